data "avatarops_contexts" "all" {}

output "context_names" {
  value = { for context in data.avatarops_contexts.all.contexts : context.id => context.name }
}
