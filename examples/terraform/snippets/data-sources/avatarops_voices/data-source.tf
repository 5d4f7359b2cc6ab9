# Needs `profile = "liveavatar"` in the provider block.
data "avatarops_voices" "all" {}

output "voice_names" {
  value = { for voice in data.avatarops_voices.all.voices : voice.id => voice.name }
}
