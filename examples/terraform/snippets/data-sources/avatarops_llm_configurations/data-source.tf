# Needs `profile = "liveavatar"` in the provider block.
data "avatarops_llm_configurations" "all" {}

output "llm_configuration_display_names" {
  value = { for llm_configuration in data.avatarops_llm_configurations.all.llm_configurations : llm_configuration.id => llm_configuration.display_name }
}
