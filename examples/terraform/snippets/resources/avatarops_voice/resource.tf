# Voices are created elsewhere. This resource adopts one by its id and manages it.
resource "avatarops_voice" "narrator" {
  id   = "403779b1-9e37-4a1b-9c2d-5ee0fe120000"
  name = "Narrator"
}
