# Never overwrites dashboard edits. `avatarops pull` writes them into the files.
package main

deny contains message if {
	some change in input.changes
	change.overwrites
	message := sprintf("%s was edited in the account. Keep the edit with `avatarops pull %s`.", [change.address, change.address])
}
