# A policy that sees another document than it was written for finds nothing wrong, and must not say so.
package main

deny contains message if {
	not is_plan
	message := "this is no plan of version 1: run `avatarops plan --format json`"
}

# Settings that are missing would make each policy below find nothing.
deny contains message if {
	some name in ["production", "needs_approval", "hosts", "max_contexts"]
	not data.settings[name]
	message := sprintf("settings.%s is missing: run conftest with `--data settings.yaml`", [name])
}

# Without an API key, the plan knows nothing of edits in the account.
warn contains message if {
	is_plan
	input.compared_with == "state"
	message := "the plan was not compared with the account"
}

is_plan if {
	input.format == "avatarops/plan"
	input.version == 1
}
