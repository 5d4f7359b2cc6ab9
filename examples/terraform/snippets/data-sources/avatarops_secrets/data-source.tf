# Needs `profile = "liveavatar"` in the provider block.
data "avatarops_secrets" "all" {}

output "secret_secret_names" {
  value = { for secret in data.avatarops_secrets.all.secrets : secret.id => secret.secret_name }
}
