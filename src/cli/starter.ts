const manifest = `# yaml-language-server: $schema=./avatarops.schema.json
#
# The desired state of the account. \`avatarops plan\` shows what would change, \`avatarops apply\` changes it.

service:
  base_url: !env AVATAROPS_BASE_URL # the address, from the environment; or written out
  api_key: !env AVATAROPS_API_KEY # always from a source, never the key itself

# What avatars say: one Markdown file each, its fields above, its prompt below. The file name is the object's name here,
# so contexts/welcome.md is context.welcome. \`\${name}\` in a prompt is the service's own placeholder and is sent as it stands.
include: [contexts/*.md]

# Avatars and voices exist already: give their ids, and their names are managed.
# avatars:
#   host: { id: 00000000-0000-0000-0000-000000000000, name: Front desk }
# voices:
#   narrator: { id: 00000000-0000-0000-0000-000000000000, name: Narrator }

# Keys of language-model and speech providers, sent once; a new value makes a new secret.
# secrets:
#   llm:
#     secret_name: llm-production
#     secret_type: LLMPROVIDER_API_KEY
#     secret_value: !env LLM_API_KEY

# Presets for \`avatarops token NAME\`.
# sessions:
#   kiosk: { avatar: host, mode: FULL, persona: { voice: narrator, context: welcome, language: en } }

# What differs in another account, chosen with \`--env staging\`. Each account has a state of its own.
# environments:
#   staging: { service: { base_url: https://staging.example.com }, state: .avatarops/staging.json }
`;

const context = `---
name: Welcome
opening_text: Hello! What brings you here today?
links:
  - { url: https://example.com/opening-hours, faq: Opening hours }
---
You welcome visitors at the front desk. Find out in one or two questions what they need, and answer in short sentences
that are pleasant to hear.

If you do not know the answer, say so and offer to fetch a colleague.
`;

/** The files of a new project, by path. They are examples for people to read and change. */
export const starterFiles: Readonly<Record<string, string>> = {
  "avatarops.yaml": manifest,
  "contexts/welcome.md": context,
};
