# Seeufer, a bicycle maker on Lake Constance: one avatar at the reception and one in the workshop. The same objects as in
# ../yaml, from the same prompt files. AVATAROPS_BASE_URL and AVATAROPS_API_KEY set the account.

provider "avatarops" {
  requests_per_second = 5
}

resource "avatarops_avatar" "reception" {
  id   = "a03779b1-9e37-4a1b-9c2d-5ee0fe120000"
  name = "Reception Lindau"
}

resource "avatarops_avatar" "workshop" {
  id   = "a06ef362-3c6e-4a1b-9c2d-5ee0fe120001"
  name = "Werkstatt"
}

resource "avatarops_voice" "mara" {
  id   = "403779b1-9e37-4a1b-9c2d-5ee0fe120000"
  name = "Mara"
}

resource "avatarops_voice" "joerg" {
  id   = "406ef362-3c6e-4a1b-9c2d-5ee0fe120001"
  name = "Jörg (ruhig)"
}

# One Markdown file for each context, with fields above and the prompt below. The file name is the key, as in
# from_file["support-desk"].
locals {
  folder = "${path.module}/../yaml/contexts"
  parts = {
    for file in fileset(local.folder, "*.md") :
    trimsuffix(file, ".md") => regex("(?s)^---\n(.*?)\n---\n(.*)$", file("${local.folder}/${file}"))
  }
  contexts = { for key, parts in local.parts : key => merge(yamldecode(parts[0]), { prompt = chomp(parts[1]) }) }
}

resource "avatarops_context" "from_file" {
  for_each = local.contexts

  name         = each.value.name
  prompt       = each.value.prompt
  opening_text = try(each.value.opening_text, null)
  links        = try(each.value.links, null)
}

# Neither the state nor a plan contains the value. A changed value creates a new secret.
resource "avatarops_secret" "llm" {
  secret_name     = "llm-production"
  secret_type     = "LLMPROVIDER_API_KEY"
  secret_value_wo = var.llm_api_key
}
