terraform {
  required_providers {
    avatarops = {
      source = "avatarops/avatarops"
    }
  }
}

# Omitted arguments come from AVATAROPS_BASE_URL and AVATAROPS_API_KEY.
provider "avatarops" {
  base_url            = "https://avatars.example.com"
  api_key             = var.avatarops_api_key
  requests_per_second = 5
}

# A second account, for resources with `provider = avatarops.staging`.
provider "avatarops" {
  alias    = "staging"
  base_url = "https://staging.avatars.example.com"
  api_key  = var.avatarops_staging_api_key
}

variable "avatarops_api_key" {
  type      = string
  sensitive = true
}

variable "avatarops_staging_api_key" {
  type      = string
  sensitive = true
}
