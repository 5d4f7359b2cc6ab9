# Limits the number of changed contexts, because a larger change cannot be reviewed.
package main

deny contains message if {
	changed := {change.address |
		some change in input.changes
		change.kind == "context"
	}
	count(changed) > data.settings.max_contexts
	message := sprintf("%d contexts change at once, but at most %d can", [count(changed), data.settings.max_contexts])
}
