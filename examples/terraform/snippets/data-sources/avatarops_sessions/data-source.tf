data "avatarops_sessions" "past" {
  type = "historic"
}

output "credits" {
  value = data.avatarops_sessions.past.totals.credits
}
