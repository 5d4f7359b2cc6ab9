# Avatars are created elsewhere. This resource adopts one by its id and manages it.
resource "avatarops_avatar" "reception" {
  id   = "a03779b1-9e37-4a1b-9c2d-5ee0fe120000"
  name = "Reception"
}
