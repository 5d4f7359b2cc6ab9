# The same Markdown file serves projects of `avatarops`: front matter for the fields, body for the prompt.
locals {
  support = provider::avatarops::prompt_file("${path.module}/support.md")
}

resource "avatarops_context" "support" {
  name         = local.support.name
  prompt       = local.support.prompt
  opening_text = local.support.opening_text
  links        = local.support.links
}
