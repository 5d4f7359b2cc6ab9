# In production, deletes and supersedes need an approval: a variable that a protected job sets.
package main

deny contains message if {
	input.environment in data.settings.production
	some change in input.changes
	change.action in data.settings.needs_approval
	not approved
	message := sprintf("%s: %s in %s needs AVATAROPS_APPROVED=yes", [change.address, change.action, input.environment])
}

approved if opa.runtime().env.AVATAROPS_APPROVED == "yes"
