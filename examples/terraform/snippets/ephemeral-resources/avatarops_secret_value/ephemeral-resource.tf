# Read anew in every plan and every apply, and never written down.
ephemeral "avatarops_secret_value" "llm" {
  from   = "sops"
  fields = { path = "secrets/production.yaml", field = "llm.api_key" }
}

# Posted once, and again when the value is another.
resource "avatarops_secret" "llm" {
  secret_name     = "llm-production"
  secret_type     = "LLMPROVIDER_API_KEY"
  secret_value_wo = ephemeral.avatarops_secret_value.llm.value
}
