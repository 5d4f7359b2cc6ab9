variable "llm_secret_value" {
  type      = string
  sensitive = true
  ephemeral = true
}

resource "avatarops_secret" "llm" {
  secret_name     = "llm-production"
  secret_type     = "LLMPROVIDER_API_KEY"
  secret_value_wo = var.llm_secret_value
}

# Needs `profile = "liveavatar"` in the provider block.
resource "avatarops_llm_configuration" "main" {
  display_name = "Production"
  model_name   = "gpt-4o"
  secret_id    = avatarops_secret.llm.id
}
