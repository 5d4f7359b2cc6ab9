terraform import avatarops_secret.llm 9a1f0c1e-52b7-4a1b-9c2d-5ee0fe120000
