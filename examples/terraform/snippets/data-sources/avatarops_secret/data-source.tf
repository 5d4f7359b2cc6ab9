# Needs `profile = "liveavatar"` in the provider block.
data "avatarops_secret" "llm" {
  secret_name = "llm-production"
}

output "llm_secret_name" {
  value = data.avatarops_secret.llm.secret_name
}
