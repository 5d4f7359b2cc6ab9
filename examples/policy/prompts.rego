# Prompts are reviewed line by line: each comes from a file of its own (Markdown, or `!file`), not from a line of YAML or
# from code. `place` is there for such texts only.
package main

deny contains message if {
	some change in input.changes
	some field in change.fields
	field.field == "prompt"
	field.after
	not field.place
	message := sprintf("%s: the prompt is not in a file of its own", [change.address])
}
