# A change to many contexts at once is more than somebody can review.
package main

deny contains message if {
	changed := {change.address |
		some change in input.changes
		change.kind == "context"
	}
	count(changed) > data.settings.max_contexts
	message := sprintf("%d contexts change at once; at most %d may", [count(changed), data.settings.max_contexts])
}
