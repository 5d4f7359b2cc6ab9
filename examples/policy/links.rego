# Allows only links to our own hosts. A URL without a recognizable host is rejected.
package main

deny contains message if {
	some change in input.changes
	some field in change.fields
	field.type == "list"
	some entry in field.after
	entry.url
	not leads_home(entry.url)
	message := sprintf("%s: the link %s does not lead to one of our hosts", [change.address, entry.url])
}

leads_home(url) if {
	[[_, host, _]] := regex.find_all_string_submatch_n(`^https?://([a-z0-9.-]+)(?::[0-9]+)?([/?#]|$)`, lower(url), 1)
	host in data.settings.hosts
}
