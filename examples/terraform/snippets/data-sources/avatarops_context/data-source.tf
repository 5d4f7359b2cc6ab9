data "avatarops_context" "support" {
  name = "Support desk"
}

output "support_prompt" {
  value = data.avatarops_context.support.prompt
}
