# Run with `conftest verify --policy examples/policy`.
package main_test

import data.main

settings := {
	"production": ["production"],
	"needs_approval": ["delete", "supersede"],
	"hosts": ["example.com"],
	"max_contexts": 1,
}

plan := {"format": "avatarops/plan", "version": 1, "environment": "production", "changes": []}

with_change(change) := object.union(plan, {"changes": [change]})

with_field(field) := with_change({"address": "context.a", "kind": "context", "action": "update", "overwrites": false, "fields": [field]})

secret := {"address": "secret.llm", "kind": "secret", "action": "supersede", "overwrites": false, "fields": []}

test_an_empty_plan_passes if {
	count(main.deny) == 0 with input as plan with data.settings as settings
}

test_another_document_is_refused if {
	some message in main.deny with input as {"format": "avatarops/outcome"} with data.settings as settings
	startswith(message, "this is not a plan of version 1")
}

test_a_later_version_is_refused if {
	count(main.deny) == 1 with input as object.union(plan, {"version": 2}) with data.settings as settings
}

test_missing_settings_are_refused if {
	count(main.deny) == 4 with input as plan with data.settings as {}
}

test_a_plan_without_the_account_is_told if {
	count(main.warn) == 1 with input as object.union(plan, {"compared_with": "state"}) with data.settings as settings
}

test_superseding_in_production_needs_approval if {
	main.deny == {"secret.llm: supersede in production needs AVATAROPS_APPROVED=yes"} with input as with_change(secret)
		with data.settings as settings
		with opa.runtime as {"env": {}}
}

test_superseding_in_production_with_approval_passes if {
	count(main.deny) == 0 with input as with_change(secret)
		with data.settings as settings
		with opa.runtime as {"env": {"AVATAROPS_APPROVED": "yes"}}
}

test_superseding_elsewhere_passes if {
	count(main.deny) == 0 with input as object.union(with_change(secret), {"environment": "staging"})
		with data.settings as settings
		with opa.runtime as {"env": {}}
}

test_an_inline_yaml_prompt_is_refused if {
	field := {"field": "prompt", "type": "prose", "after": "You help."}
	main.deny == {"context.a: the prompt is not in a file of its own"} with input as with_field(field)
		with data.settings as settings
}

test_a_prompt_in_a_file_passes if {
	field := {"field": "prompt", "type": "prose", "after": "You help.", "location": {"file": "a.md", "line": 1}}
	count(main.deny) == 0 with input as with_field(field) with data.settings as settings
}

link(url) := {"field": "links", "type": "list", "after": [{"url": url, "faq": ""}]}

test_a_link_to_an_own_host_passes if {
	every url in ["https://example.com", "https://EXAMPLE.com/a?b", "http://example.com:8080#c"] {
		count(main.deny) == 0 with input as with_field(link(url)) with data.settings as settings
	}
}

test_a_link_elsewhere_is_refused if {
	every url in [
		"https://example.org",
		"https://example.com.evil.org/",
		"https://example.com@evil.org/",
		"https://evil.org\\@example.com/",
		"https://evil.org?https://example.com",
		"//example.com",
	] {
		count(main.deny) == 1 with input as with_field(link(url)) with data.settings as settings
	}
}

test_many_contexts_are_refused if {
	changes := [change |
		some key in ["a", "b"]
		change := {"address": concat(".", ["context", key]), "kind": "context", "action": "create", "overwrites": false, "fields": []}
	]
	main.deny == {"2 contexts change at once, but at most 1 can"} with input as object.union(plan, {"changes": changes})
		with data.settings as settings
}

test_an_edit_in_the_account_is_not_overwritten if {
	change := {"address": "context.a", "kind": "context", "action": "update", "overwrites": true, "fields": []}
	count(main.deny) == 1 with input as with_change(change) with data.settings as settings
}
