import { typescriptPackages } from "../../base/version/index.js";
import { schemaFor, schemaLines } from "../../core/manifest/index.js";
import { renderJson } from "../../output/render/index.js";

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

# Presets for \`avatarops token NAME\`; \`avatarops smoke\` checks them in the sandbox. These ids of an avatar and a voice are those of
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

const prompt = `You welcome visitors at the front desk. Find out in one or two questions what they need, and answer in short sentences
that are pleasant to hear.

If you do not know the answer, say so and offer to fetch a colleague.
`;

const context = `---
name: Welcome
opening_text: Hello! What brings you here today?
links:
  - { url: https://example.com/opening-hours, faq: Opening hours }
---
${prompt}`;

/** The files of a new project, by path. They are examples for people to read and change. */
export function starterFiles(folder: string): Readonly<Record<string, string>> {
  return {
    "avatarops.yaml": [...schemaLines(schemaFor(folder)), manifest].join("\n"),
    "contexts/welcome.md": context,
  };
}

const definitions = `// The desired state of the account. \`avatarops plan\` shows what would change, \`avatarops apply\` changes it.
import { Context, env, Preset, Project, promptFile } from "avatarops";

const project = new Project({
  service: {
    baseUrl: env("AVATAROPS_BASE_URL"), // the address, from the environment; or written out
    apiKey: env("AVATAROPS_API_KEY"), // always from a source, never the key itself
    sandboxAvatar: "dd73ea75-1218-4ef3-92ce-606d5f7fbc0a", // the one avatar of sandbox sessions, which use no credits
  },
  // What differs in another account, chosen with \`--env staging\`. Each account has a state of its own.
  // environments: {
  //   staging: { service: { baseUrl: "https://staging.example.com" }, state: ".avatarops/staging.json" },
  // },
});

// What avatars say. \`\${name}\` in a prompt is the service's own placeholder and is sent as it stands.
const welcome = new Context(project, "welcome", {
  name: "Welcome",
  prompt: promptFile("prompts/welcome.md"),
  openingText: "Hello! What brings you here today?",
  links: [{ url: "https://example.com/opening-hours", faq: "Opening hours" }],
});

// A preset for \`avatarops token welcome\`; \`avatarops smoke\` checks it in the sandbox. These ids of an avatar and a voice are
// those of \`avatarops emulate\`: give your own, or an Avatar and a Voice declared here (avatar: host, voice: narrator).
new Preset(project, "welcome", {
  avatarId: "a03779b1-9e37-4a1b-9c2d-5ee0fe120000",
  mode: "FULL",
  persona: { voiceId: "403779b1-9e37-4a1b-9c2d-5ee0fe120000", context: welcome, language: "en" },
});

export default project;
`;

/** The same project in TypeScript. */
export const typescriptStarterFiles: Readonly<Record<string, string>> = {
  "avatarops.config.ts": definitions,
  "prompts/welcome.md": prompt,
};

const projectTest = `import assert from "node:assert/strict";
import test from "node:test";
import { loadManifest } from "avatarops";

const { manifest, diagnostics } = await loadManifest({ cwd: import.meta.dirname });

test("the project is valid", () => {
  assert.deepEqual(diagnostics, []);
});

test("no prompt gives a guarantee", () => {
  for (const { address, spec } of manifest?.declarations ?? []) {
    assert.doesNotMatch(String(spec["prompt"] ?? ""), /guarantee/i, address);
  }
});
`;

/** What makes a folder with definitions a package that is installed, type-checked and tested. */
export const typescriptPackageFiles: Readonly<Record<string, string>> = {
  "package.json": renderJson({
    private: true,
    type: "module",
    scripts: { check: "tsc", test: "tsx --test avatarops.test.ts" },
    devDependencies: typescriptPackages,
  }),
  "tsconfig.json": renderJson({
    compilerOptions: { target: "es2023", module: "nodenext", types: ["node"], strict: true, noEmit: true },
  }),
  "avatarops.test.ts": projectTest,
};
