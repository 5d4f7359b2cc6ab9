# Needs `profile = "liveavatar"` in the provider block.
data "avatarops_stock_avatar" "guide" {
  name = "Wayne"
}

output "stock_avatar_id" {
  value = data.avatarops_stock_avatar.guide.id
}
