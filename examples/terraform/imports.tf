# Adopts this context, which already exists in the account.
import {
  to = avatarops_context.from_file["support-desk"]
  id = "c03779b1-9e37-4a1b-9c2d-5ee0fe120000"
}
