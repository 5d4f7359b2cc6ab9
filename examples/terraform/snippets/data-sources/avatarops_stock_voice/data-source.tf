# Needs `profile = "liveavatar"` in the provider block.
data "avatarops_stock_voice" "guide" {
  name = "Wayne"
}

output "stock_voice_id" {
  value = data.avatarops_stock_voice.guide.id
}
