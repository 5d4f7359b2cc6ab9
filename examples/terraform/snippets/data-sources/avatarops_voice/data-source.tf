# Needs `profile = "liveavatar"` in the provider block.
data "avatarops_voice" "narrator" {
  name = "Narrator"
}

output "narrator_language" {
  value = data.avatarops_voice.narrator.language
}
