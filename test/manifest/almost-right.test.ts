/** Tests small mistakes whose message must name the cause. */
import { describe, expect, test } from "vitest";
import { matchText, startProject } from "../cli/hosting.js";

const formatPrompt = (file: string) => `contexts:\n  t: { name: T, prompt: !file '${file}' }\n`;
const desk = { "prompts/desk.md": "Be kind.\n" };
const composed = "caf\u00e9.md";
const decomposed = "cafe\u0301.md";

test.for<[what: string, files: Record<string, string>, argv: string[], why: string]>([
  [
    "in the wrong letter case",
    { ...desk, "avatarops.yaml": formatPrompt("prompts/DESK.md") },
    [],
    "names are case-sensitive, and the file is called prompts/desk.md",
  ],
  [
    "in a folder with the wrong letter case",
    { ...desk, "avatarops.yaml": formatPrompt("Prompts/desk.md") },
    [],
    "the file is called prompts/desk.md",
  ],
  [
    "with backslashes",
    { ...desk, "avatarops.yaml": formatPrompt("prompts\\desk.md") },
    [],
    "write the path with forward slashes: prompts/desk.md",
  ],
  [
    "with a typo",
    { ...desk, "avatarops.yaml": formatPrompt("promts/desk.md") },
    [],
    'did you mean "prompts/desk.md"?',
  ],
  [
    "with accents as single characters",
    { [decomposed]: "x", "avatarops.yaml": formatPrompt(composed) },
    [],
    "its accents use a different Unicode form",
  ],
  [
    "with accents as two characters",
    { [composed]: "x", "avatarops.yaml": formatPrompt(decomposed) },
    [],
    "its accents use a different Unicode form",
  ],
  [
    "called avatarops.yml",
    { "avatarops.yml": "contexts: {}\n" },
    [],
    "rename avatarops.yml to avatarops.yaml, or choose it with --file avatarops.yml",
  ],
  ["called Avatarops.yaml", { "Avatarops.yaml": "contexts: {}\n" }, [], "the file is called Avatarops.yaml"],
  [
    "given with a typo",
    { "prod.yaml": "contexts: {}\n" },
    ["--file", "prd.yaml"],
    'did you mean "prod.yaml"?',
  ],
  [
    "given as a folder",
    { "bot/avatarops.yaml": "contexts: {}\n" },
    ["--file", "bot"],
    "use the path of the manifest, such as bot/avatarops.yaml",
  ],
  [
    "given as Markdown",
    { "desk.md": "---\nname: T\n---\nBody\n" },
    ["--file", "desk.md"],
    "desk.md is Markdown, but --file takes a manifest",
  ],
  [
    "of another program",
    { "k.yaml": "apiVersion: v1\nkind: Pod\n" },
    ["--file", "k.yaml"],
    "k.yaml is not a manifest: all its keys are unknown",
  ],
  [
    "included with backslashes",
    { ...desk, "avatarops.yaml": "include: ['prompts\\*.md']\n" },
    [],
    "write the path with forward slashes",
  ],
  [
    "included from a folder with the wrong letter case",
    { ...desk, "avatarops.yaml": "include: [Prompts/*.md]\n" },
    [],
    "the file is called prompts",
  ],
])("explains why a file %s is not loaded", async ([, files, argv, why]) => {
  const project = await startProject({ files });
  const { stdout, stderr } = await project.avatarops("validate", ...argv);
  expect(stdout + stderr).toEqual(matchText(why));
});

test("does not suggest the names of files that may hold keys", async () => {
  const files = { ".env": "KEY=1\n", "avatarops.yaml": formatPrompt(".Env") };
  const { stdout, stderr } = await (await startProject({ files })).avatarops("validate");
  expect(stdout + stderr).not.toMatch(/called \.env|mean "\.env/);
});

describe("front matter", () => {
  test.for<[what: string, text: string, why: string]>([
    ["below an empty line", "\n---\nname: T\n---\nBody\n", "does not start on the first line"],
    [
      "below a comment",
      "<!-- owner: desk team -->\n---\nname: T\n---\nBody\n",
      "does not start on the first line",
    ],
    ["without an end", "---\nname: T\nBody\n", "is never closed"],
    ["in TOML", '+++\nname = "T"\n+++\nBody\n', "is TOML"],
  ])("is reported as misplaced or malformed: %s", async ([, text, why]) => {
    const files = { "avatarops.yaml": "include: [contexts/*.md]\n", "contexts/t.md": text };
    const { exit, stdout } = await (await startProject({ files })).avatarops("validate");
    expect([exit, stdout]).toEqual([1, matchText(`the front matter in contexts/t.md ${why}`)]);
    expect(stdout).not.toContain('has no "name"');
  });

  test("can be followed by horizontal rules", async () => {
    const text = "---\nname: T\n---\nBody\n\n---\nnote: not a field\n---\n";
    const files = { "avatarops.yaml": "include: [contexts/*.md]\n", "contexts/t.md": text };
    await (await startProject({ files })).expectDone("validate");
  });
});

describe("environment", () => {
  const manifest = (more: string) => `contexts:
  demo: { name: Demo, prompt: Only for staging. }
sessions:
  desk: { avatar_id: a03779b1-9e37-4a1b-9c2d-5ee0fe120000, persona: { language: en } }
environments:
  staging: {}
  production:
${more}`;

  test.for([
    ["    contexts:\n      demo: ~\n", "environments.production.contexts.demo"],
    ["    contexts: { demo: null }\n", "environments.production.contexts.demo"],
    ["    sessions: { desk: { persona: } }\n", "environments.production.sessions.desk.persona"],
  ] as const)("rejects %j, because an empty value would remove nothing", async ([more, at]) => {
    const project = await startProject({ files: { "avatarops.yaml": manifest(more) } });
    const { exit, stderr } = await project.avatarops("plan", "--env", "production");
    expect([exit, stderr]).toEqual([1, matchText(`${at} is empty, but an empty value removes nothing`)]);
  });

  test("can contain the key `contexts` without a value", async () => {
    const project = await startProject({ files: { "avatarops.yaml": manifest("    contexts:\n") } });
    expect((await project.avatarops("plan", "--env", "production")).stdout).toContain("context.demo");
  });
});
