import { type Dataset, generateDataset } from "../../src/emulator/index.js";

/** Project of a given size, and commands whose cost must be linear in the size. */
export interface Size {
  /** Smallest size. Tests multiply it by up to 8, and the bench by up to 16. */
  readonly base: number;
  begin(count: number): ScalingSetup;
  readonly commands: readonly string[];
}

export interface ScalingSetup {
  readonly files: Files;
  /** Files written after `files` were applied. If omitted, nothing is applied. */
  readonly edited?: Files;
  /** Word to replace in every live prompt after the apply, and its replacement. */
  readonly replaced?: readonly [word: string, by: string];
  readonly world?: Dataset;
  readonly profile?: "liveavatar";
}

type Files = Readonly<Record<string, string>>;

const words =
  "the of and you we it in your can will guests room desk please say when ask never price late door".split(
    " ",
  );

/** Generates deterministic text with this number of words, in sentences and paragraphs. */
function writeText(count: number): string[] {
  let seed = 1;
  return Array.from({ length: count }, (_, at) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    const word = words[Math.floor((seed / 2 ** 31) * words.length)] ?? "";
    return `${word}${at % 100 === 99 ? ".\n\n" : at % 11 === 10 ? ". " : " "}`;
  });
}

const editHalf = (text: readonly string[]) => text.map((word, at) => (at % 2 === 0 ? `X${word}` : word));
const oneContext = "contexts:\n  c: { name: C, prompt: !file prompt.txt }\n";
const createList = (count: number, entry: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => `  ${entry(at)}\n`).join("");
const createContexts = (count: number, entry: (at: number) => string) => ({
  "avatarops.yaml": `contexts:\n${createList(count, entry)}`,
});
const formatContext = (number: number, name: string) =>
  `c${number}: { name: ${name}, prompt: "Be kind ${number}, and brief." }`;

const textCommands = [
  "plan",
  "plan --format markdown",
  "diff",
  "apply -y",
  "show context.c",
  "blame context.c",
];
const objectCommands = [
  "plan",
  "plan --format markdown",
  "plan --format json",
  "diff",
  "status",
  "apply -y --allow threshold",
];

/** Sizes by the quantity that grows. */
export const sizes: Readonly<Record<string, Size>> = {
  "words in a line with one changed word": {
    base: 4_000,
    begin(count) {
      const text = writeText(count).map((word) => word.replaceAll("\n", " "));
      const edited = text.with(count / 2, "INSERTED ").join("");
      return {
        files: { "avatarops.yaml": oneContext, "prompt.txt": text.join("") },
        edited: { "prompt.txt": edited },
      };
    },
    commands: textCommands,
  },
  "words in a partial with every second word changed": {
    base: 1_000,
    begin(count) {
      const text = writeText(count);
      const files = {
        "avatarops.yaml": `templates: [prompt.txt]\n${oneContext}`,
        "prompt.txt": "Hi.\n{{> rules}}\nBye.\n",
        "partials/rules.md": text.join(""),
      };
      return { files, edited: { "partials/rules.md": editHalf(text).join("") } };
    },
    commands: [...textCommands, "render context.c"],
  },
  "changed contexts": {
    base: 100,
    begin: (count) => ({
      files: createContexts(count, (at) => formatContext(at, `C${at}`)),
      edited: createContexts(count, (at) => formatContext(at, `C${at}`).replace("kind", "warm")),
    }),
    commands: [...objectCommands, "rollback --to 1 -y --allow threshold"],
  },
  "contexts with a changed partial": {
    base: 100,
    begin(count) {
      const prompts = Array.from({ length: count }, (_, at) => [
        `prompts/${at}.txt`,
        `You are ${at}.\n\n{{> rules}}\nBye.\n`,
      ]);
      const files = {
        ...createContexts(count, (at) => `c${at}: { name: C${at}, prompt: !file prompts/${at}.txt }`),
        "partials/rules.md": "Be kind and brief.\n",
        ...Object.fromEntries(prompts),
      };
      const main = `templates: [prompts/*.txt]\n${files["avatarops.yaml"]}`;
      return {
        files: { ...files, "avatarops.yaml": main },
        edited: { "partials/rules.md": "Be warm and brief.\n" },
      };
    },
    commands: ["plan", "plan --format markdown"],
  },
  "new contexts": {
    base: 100,
    begin: (count) => ({ files: createContexts(count, (at) => formatContext(at, `C${at}`)) }),
    commands: ["validate", "plan", "apply -y", "history"],
  },
  "contexts removed from the files": {
    base: 100,
    begin: (count) => ({
      files: createContexts(count, (at) => formatContext(at, `C${at}`)),
      edited: createContexts(1, (at) => formatContext(at, `C${at}`)),
    }),
    commands: ["plan", "status", "apply -y --allow threshold"],
  },
  "contexts that take the next context's name": {
    base: 100,
    begin: (count) => ({
      files: createContexts(count, (at) => formatContext(at, `C${at}`)),
      edited: createContexts(count, (at) => formatContext(at, `C${at + 1}`)),
    }),
    commands: ["plan", "apply -y --allow threshold"],
  },
  "contexts that take the previous context's name": {
    base: 100,
    begin: (count) => ({
      files: createContexts(count, (at) => formatContext(at, `C${at + 1}`)),
      edited: createContexts(count, (at) => formatContext(at, `C${at}`)),
    }),
    commands: ["plan"],
  },
  "dashboard edits": {
    base: 50,
    begin: (count) => ({
      files: createContexts(count, (at) => formatContext(at, `C${at}`)),
      edited: {},
      replaced: ["kind", "dear"],
    }),
    commands: ["drift", "plan", "pull"],
  },
  "undeclared contexts": {
    base: 50,
    begin: (count) => ({
      files: createContexts(1, (at) => formatContext(at, `C${at}`)),
      world: generateDataset({
        contexts: count,
        prompt: (at) => `You are ${at}.`,
        firstCreatedAtMs: Date.parse("2025-01-01T00:00:00Z"),
      }),
    }),
    commands: ["plan", "prune", "export account", "import --write --all"],
  },
  "changed links": {
    base: 500,
    begin(count) {
      const links = (faq: string) => {
        const entries = createList(count, (at) => `{ url: "https://example.com/${at}", faq: ${faq} },`);
        return createContexts(1, () => `c: { name: C, prompt: P, links: [${entries.replaceAll("\n", "")}] }`);
      };
      return { files: links("A"), edited: links("B") };
    },
    commands: ["plan", "plan --format markdown", "apply -y"],
  },
  "rotated secrets, each used by an LLM configuration": {
    // At eight times this size, deletes overlap with other writes. The test then also measures the repeated checks of
    // references.
    base: 40,
    begin(count) {
      const secret = "secret_type: LLMPROVIDER_API_KEY, on_rotation: delete_old, secret_value: !file key.txt";
      const manifest = `service: { profile: liveavatar }
secrets:
${createList(count, (at) => `s${at}: { secret_name: S${at}, ${secret} }`)}llm_configurations:
${createList(count, (at) => `l${at}: { display_name: L${at}, model_name: gpt-4o, secret: s${at} }`)}`;
      return {
        files: { "avatarops.yaml": manifest, "key.txt": "sk-0123456789" },
        edited: { "key.txt": "sk-9876543210" },
        profile: "liveavatar",
      };
    },
    commands: ["plan", "apply -y --allow threshold"],
  },
};

export const toArguments = (command: string): string[] => command.split(" ");
