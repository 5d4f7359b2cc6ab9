terraform import avatarops_context.support 2c5faf09-e6fd-46fd-84e3-489b10838fbf
