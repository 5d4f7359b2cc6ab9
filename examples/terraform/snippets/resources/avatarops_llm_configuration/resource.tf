resource "avatarops_llm_configuration" "main" {
  display_name = "Production"
  model_name   = "gpt-4o"
  secret       = avatarops_secret.llm.id
}
