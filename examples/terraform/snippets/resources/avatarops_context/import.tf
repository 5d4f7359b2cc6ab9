import {
  to = avatarops_context.support
  id = "2c5faf09-e6fd-46fd-84e3-489b10838fbf"
}
