# For text that is not in a file as it stands. What the service fills in is written `$${…}` in the template.
locals {
  support = provider::avatarops::parse_prompt(templatefile("${path.module}/support.md.tftpl", {
    company = "Seeufer"
  }))
}

resource "avatarops_context" "support" {
  name   = local.support.name
  prompt = local.support.prompt
}
