data "avatarops_contexts" "all" {}

output "context_names" {
  value = data.avatarops_contexts.all.contexts[*].name
}
