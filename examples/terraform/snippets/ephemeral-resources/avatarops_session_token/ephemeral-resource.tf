# Opened anew in every plan and every apply, and never written down.
ephemeral "avatarops_session_token" "kiosk" {
  avatar_id  = "a03779b1-9e37-4a1b-9c2d-5ee0fe120000"
  mode       = "FULL"
  is_sandbox = true

  avatar_persona = {
    context_id = "2c5faf09-e6fd-46fd-84e3-489b10838fbf"
    voice_id   = "403779b1-9e37-4a1b-9c2d-5ee0fe120000"
    language   = "en"
  }
}

# For what takes it without keeping it: a write-only argument, the configuration of another provider, a check.
check "token" {
  assert {
    condition     = ephemeral.avatarops_session_token.kiosk.session_token != ""
    error_message = "The service minted no token."
  }
}
