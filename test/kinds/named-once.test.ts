import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type Kind, kinds } from "../../src/core/kinds/index.js";
import { camelCase } from "../../src/core/manifest/index.js";

/*
 * What belongs to a kind is in its own files: its descriptor, its resource in `api` and in `emulator`, and one line in each of
 * three lists. Everything else follows from the descriptor, when it runs or by `npm run generate`.
 */

/** Code that names a kind all the same, and why. */
const exceptions: Readonly<Record<string, string>> = {
  "src/core/kinds/preset.ts": "a token is asked for with the ids of an avatar, a voice and a context (§4.5)",
  "src/core/kinds/llm-configuration.ts": "a language model is reached with a secret of the account",
  "src/core/kinds/voice.ts": "voices are seen in the list of avatars alone (§4.2)",
  "src/core/kinds/avatar.ts": "an avatar has a default voice, which can be declared (§2.3)",
  "src/core/api/avatars.ts": "an avatar tells its default voice (§2.3)",
  "src/emulator/session-tokens.ts":
    "sessions are those of an avatar, and refuse a context that does not exist (§4.5)",
  "src/emulator/transcripts.ts": "an avatar begins with the opening text of its context",
  "src/review/hosts/host.ts": "code hosts call the name of a commit status its context",
  "src/emulator/avatars.ts": "an avatar shows its default voice (§2.3)",
  "src/emulator/llm-configurations.ts": "a language model is reached with a secret of the account",
  "src/entrypoints/cli/commands/emulate-edit.ts": "the same from the command line",
  "src/entrypoints/cli/facts/sessions.ts": "options and their values, which are read by the names of kinds",
};

/** English words in code, too: as an identifier they say nothing of the kind. */
const commonWords = ["context", "secret", "secrets"];

const files = ["src", "scripts"]
  .flatMap(filesIn)
  .filter(
    (file) =>
      !/^src\/entrypoints\/cdktf\/generated\/|^scripts\/(bench|demo|docs\/example|pictures)\b/.test(file),
  )
  .map((file) => ({ file, words: wordsIn(readFileSync(file, "utf8")) }));

describe.each(kinds.map((kind) => [kind.name, kind] as const))("the kind %s", (_, kind) => {
  const own = [
    `src/core/kinds/${fileOf(kind.name)}.ts`,
    `src/core/api/${fileOf(kind.collection)}.ts`,
    `src/emulator/${fileOf(kind.collection)}.ts`,
  ];
  const lists = ["src/core/kinds/index.ts", "src/core/api/resources.ts", "src/emulator/resources.ts"];
  const naming = files.filter(({ words }) => namesOf(kind).some((name) => words.has(name)));
  const others = naming.map(({ file }) => file).filter((file) => !own.includes(file));

  test("the kind has its own files, and a line in each list", () => {
    expect(naming.map(({ file }) => file)).toEqual(expect.arrayContaining([...own, ...lists]));
  });

  test("the kind is named nowhere else without a reason", () => {
    expect(others.filter((file) => !lists.includes(file) && !(file in exceptions))).toEqual([]);
  });

  test("few other files contain the name of the kind", () => {
    expect(others.length).toBeLessThanOrEqual(10);
  });
});

test("every exception is needed", () => {
  const needed = files.filter(({ file, words }) =>
    kinds.some(
      (kind) => !file.includes(`/${fileOf(kind.name)}`) && namesOf(kind).some((name) => words.has(name)),
    ),
  );
  expect(Object.keys(exceptions).filter((file) => !needed.some((one) => one.file === file))).toEqual([]);
});

/** How code calls a kind: identifiers, texts that are nothing but its name, and its own files. */
function namesOf({ name, title, className, collection }: Kind): string[] {
  const words = camelCase(collection);
  const plural = words.charAt(0).toUpperCase() + words.slice(1);
  const identifiers = [camelCase(name), words, className, plural, `${className}Props`, `I${className}`];
  const texts = [name, title, className, collection, `avatarops_${name}`, `avatarops_${collection}`];
  const modules = [name, collection].map((word) => `./${fileOf(word)}.js`);
  return [
    ...identifiers.filter((word) => !commonWords.includes(word)),
    ...[...texts, ...modules].map((text) => JSON.stringify(text)),
  ];
}

function fileOf(word: string): string {
  return word.replaceAll("_", "-");
}

/** The identifiers and texts of code that people wrote: nothing of comments, and nothing that is generated. */
function wordsIn(code: string): ReadonlySet<string> {
  if (code.startsWith("// Generated")) return new Set();
  const written = code.replace(/^\/\/ <generated: kinds>$.*?^\/\/ <\/generated>$/gms, "");
  const tokens =
    /\/\/[^\n]*|\/\*.*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|[A-Za-z_$][\w$]*/gs;
  return new Set(
    [...written.matchAll(tokens)].map(([token]) => token).filter((token) => !/^\/[/*]/.test(token)),
  );
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.posix.join(folder, file.split(path.sep).join("/")));
}
