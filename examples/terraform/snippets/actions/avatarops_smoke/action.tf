resource "avatarops_context" "returns" {
  name   = "Returns desk"
  prompt = "You help people send things back."

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.avatarops_smoke.kiosk]
    }
  }
}

action "avatarops_smoke" "kiosk" {
  config {
    avatar_id = "a03779b1-9e37-4a1b-9c2d-5ee0fe120000"
    mode      = "FULL"

    avatar_persona = {
      context_id = avatarops_context.returns.id
      voice_id   = "403779b1-9e37-4a1b-9c2d-5ee0fe120000"
      language   = "en"
    }
  }
}
