# Requires each prompt in its own file (Markdown or `!file`), so that it can be reviewed line by line. Only such texts have
# a `location`.
package main

deny contains message if {
	some change in input.changes
	some field in change.fields
	field.field == "prompt"
	field.after
	not field.location
	message := sprintf("%s: the prompt is not in a file of its own", [change.address])
}
