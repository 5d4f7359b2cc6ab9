# An edit in the account is never overwritten: somebody made it for a reason. `avatarops pull` takes it into the files.
package main

deny contains message if {
	some change in input.changes
	change.overwrites
	message := sprintf("%s was edited in the account: take the edit with `avatarops pull %s`", [change.address, change.address])
}
