import { findSchema, renderSchemaLines } from "../../core/manifest/index.js";

const manifest = `#
# The desired state of the account. \`avatarops plan\` shows what would change, \`avatarops apply\` changes it.

service:
  base_url: !env AVATAROPS_BASE_URL # the address, from the environment; or written out
  api_key: !env AVATAROPS_API_KEY # always from a source, never the key itself
  sandbox_avatar: dd73ea75-1218-4ef3-92ce-606d5f7fbc0a # the one avatar of sandbox sessions, which use no credits

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

# Presets for \`avatarops token NAME\`; \`avatarops smoke\` checks them in the sandbox. The ids of avatar and voice are those of
# \`avatarops emulate\`: give your own, or the names of declared ones (avatar: host, voice: narrator).
sessions:
  welcome:
    avatar_id: a03779b1-9e37-4a1b-9c2d-5ee0fe120000
    mode: FULL
    persona: { voice_id: 403779b1-9e37-4a1b-9c2d-5ee0fe120000, context: welcome, language: en }

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

/** Returns the files of a new project, by path. The files are examples to read and change. */
export function createStarterFiles(folder: string): Readonly<Record<string, string>> {
  return {
    "avatarops.yaml": [...renderSchemaLines(findSchema(folder)), manifest].join("\n"),
    "contexts/welcome.md": context,
  };
}
