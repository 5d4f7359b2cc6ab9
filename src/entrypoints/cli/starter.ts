import { isClone, packageFolder, version } from "../../base/version/index.js";
import { findSchema, renderSchemaLines } from "../../core/manifest/index.js";
import { renderJson } from "../../output/render/index.js";

const manifest = `#
# The desired state of the account. \`avatarops plan\` shows what would change, and \`avatarops apply\` changes it.

service:
  base_url: !env AVATAROPS_BASE_URL # the base URL, from the environment or written here
  api_key: !env AVATAROPS_API_KEY # a source, never the key itself
  sandbox_avatar: dd73ea75-1218-4ef3-92ce-606d5f7fbc0a # the avatar for sandbox sessions, which use no credits

# What avatars say: one Markdown file per context, with fields above and the prompt below. The file name is its key,
# so contexts/welcome.md is context.welcome. \`\${name}\` in a prompt is a placeholder for the service and is sent unchanged.
include: [contexts/*.md]

# Avatars and voices already exist. Declare them by id to manage their names.
# avatars:
#   host: { id: 00000000-0000-0000-0000-000000000000, name: Front desk }
# voices:
#   narrator: { id: 00000000-0000-0000-0000-000000000000, name: Narrator }

# Keys for language-model and speech providers. A new value creates a new secret.
# secrets:
#   llm:
#     secret_name: llm-production
#     secret_type: LLMPROVIDER_API_KEY
#     secret_value: !env LLM_API_KEY

# Presets for \`avatarops token NAME\`. \`avatarops smoke\` checks them in the sandbox. The avatar and voice ids are from
# \`avatarops emulate\`. Use your own, or the names of declared objects (avatar: host, voice: narrator).
sessions:
  welcome:
    avatar_id: a03779b1-9e37-4a1b-9c2d-5ee0fe120000
    mode: FULL
    persona: { voice_id: 403779b1-9e37-4a1b-9c2d-5ee0fe120000, context: welcome, language: en }

# Settings for another account, selected with \`--env staging\`. Each account has its own state.
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

/** Returns the files of a new project, by path. The files are examples to read and change. */
export function createStarterFiles(folder: string): Readonly<Record<string, string>> {
  return {
    "avatarops.yaml": [...renderSchemaLines(findSchema(folder)), manifest].join("\n"),
    "contexts/welcome.md": context,
  };
}

const definitions = `// The desired state of the account. \`avatarops plan\` shows what would change, and \`avatarops apply\` changes it.
import { Context, env, Preset, Project, promptFile } from "avatarops";

const project = new Project({
  service: {
    baseUrl: env("AVATAROPS_BASE_URL"), // base URL, from the environment or a literal
    apiKey: env("AVATAROPS_API_KEY"), // always from a source, never the key itself
    sandboxAvatar: "dd73ea75-1218-4ef3-92ce-606d5f7fbc0a", // the only avatar for sandbox sessions, which use no credits
  },
  // Settings for another account, selected with \`--env staging\`. Each account has its own state.
  // environments: {
  //   staging: { service: { baseUrl: "https://staging.example.com" }, state: ".avatarops/staging.json" },
  // },
});

// What avatars say. \`\${name}\` in a prompt is the service's own placeholder and is sent unchanged.
const welcome = new Context(project, "welcome", {
  name: "Welcome",
  prompt: promptFile("prompts/welcome.md"),
  openingText: "Hello! What brings you here today?",
  links: [{ url: "https://example.com/opening-hours", faq: "Opening hours" }],
});

// A preset for \`avatarops token welcome\`. \`avatarops smoke\` checks it in the sandbox. The avatar and voice ids are from
// \`avatarops emulate\`. Use your own, or an Avatar and a Voice declared here.
new Preset(project, "welcome", {
  avatarId: "a03779b1-9e37-4a1b-9c2d-5ee0fe120000",
  mode: "FULL",
  persona: { voiceId: "403779b1-9e37-4a1b-9c2d-5ee0fe120000", context: welcome, language: "en" },
});

export default project;
`;

/**
 * Returns the files of a new TypeScript project, by path. They declare the same objects as the files from
 * `createStarterFiles`.
 */
export const typescriptStarterFiles: Readonly<Record<string, string>> = {
  "avatarops.config.ts": definitions,
  "prompts/welcome.md": prompt,
};

/**
 * Packages for a TypeScript project. In a clone of this repository, avatarops is installed from the clone, because the
 * version may not be released yet.
 */
export const typescriptPackages: Readonly<Record<string, string>> = {
  avatarops: isClone ? `file:${packageFolder}` : `^${version}`,
  "@types/node": "^20.19.43",
  typescript: "^7.0.2",
};

/** TypeScript project files. npm uses them to install the types, and `tsc` and editors use them to check the project. */
export const typescriptPackageFiles: Readonly<Record<string, string>> = {
  "package.json": renderJson({
    private: true,
    type: "module",
    scripts: { check: "tsc" },
    devDependencies: typescriptPackages,
  }),
  "tsconfig.json": renderJson({
    compilerOptions: { target: "es2023", module: "nodenext", types: ["node"], strict: true, noEmit: true },
  }),
};
