resource "avatarops_context" "support" {
  name         = "Support desk"
  opening_text = "Hi, how can I help?"

  # The service fills in `$${…}`, which Terraform sends as `${…}`.
  prompt = <<-EOT
    You answer politely and briefly. The visitor is $${customer_name}.
    If you do not know, say so and offer to have a colleague call back.
  EOT

  links = [
    { url = "https://example.com/returns", faq = "Returns and refunds" },
    { url = "https://example.com/prices" },
  ]
}
