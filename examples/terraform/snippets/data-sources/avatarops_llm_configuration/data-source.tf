# Needs `profile = "liveavatar"` in the provider block.
data "avatarops_llm_configuration" "main" {
  display_name = "Production"
}

output "main_created_at" {
  value = data.avatarops_llm_configuration.main.created_at
}
