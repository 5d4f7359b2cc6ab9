output "context_ids" {
  description = "Context ids for programs that start sessions."
  value       = { for key, context in avatarops_context.from_file : key => context.id }
}
