# Rejects other documents, in which the policies would find no violation.
package main

deny contains message if {
	not is_plan
	message := "this is not a plan of version 1. Run `avatarops plan --format json`."
}

# Rejects missing settings, without which the policies would find no violation.
deny contains message if {
	some name in ["production", "needs_approval", "hosts", "max_contexts"]
	not data.settings[name]
	message := sprintf("settings.%s is missing. Run conftest with `--data settings.yaml`.", [name])
}

# Warns of a plan without an API key, which does not show dashboard edits.
warn contains message if {
	is_plan
	input.compared_with == "state"
	message := "the plan was not compared with the account"
}

is_plan if {
	input.format == "avatarops/plan"
	input.version == 1
}
