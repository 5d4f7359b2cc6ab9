output "context_ids" {
  description = "For whoever starts sessions."
  value       = { for key, context in avatarops_context.from_file : key => context.id }
}
