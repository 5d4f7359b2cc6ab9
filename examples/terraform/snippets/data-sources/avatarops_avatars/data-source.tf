data "avatarops_avatars" "all" {}

output "avatar_names" {
  value = { for avatar in data.avatarops_avatars.all.avatars : avatar.id => avatar.name }
}
