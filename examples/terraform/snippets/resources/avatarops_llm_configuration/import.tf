import {
  to = avatarops_llm_configuration.main
  id = "5e0b7d1c-8a4f-4d0e-9b35-0f6a2c7d9e10"
}
