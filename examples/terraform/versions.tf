terraform {
  required_version = ">= 1.11"

  required_providers {
    avatarops = {
      source = "avatarops/avatarops"
    }
  }
}
