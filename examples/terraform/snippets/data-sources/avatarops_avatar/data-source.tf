data "avatarops_avatar" "reception" {
  name = "Reception"
}

output "reception_status" {
  value = data.avatarops_avatar.reception.status
}
