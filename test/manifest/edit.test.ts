import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Value } from "../../src/core/kinds/index.js";
import { editFiles, loadManifest, originFor, writeBack } from "../../src/core/manifest/index.js";
import { declared, projectWith } from "./project.js";

/** Writes fields of context.support back and returns the file's new text. */
async function edited(files: Record<string, string>, fields: Record<string, Value>, file = "avatarops.yaml") {
  const root = projectWith(files);
  const support = await declared(root, "context.support");
  const edits = Object.entries(fields).map(([name, value]) => {
    const origin = originFor(support, name);
    if (!origin) throw new Error(`${name} has no origin`);
    return { origin, value };
  });
  expect((await writeBack(root, edits)).refused).toEqual([]);
  const after = await declared(root, "context.support");
  expect(after.spec).toEqual({ ...support.spec, ...fields });
  return readFileSync(path.join(root, file), "utf8");
}

const head = `# The desk.
contexts:
  # first
  support:
    name: Support desk # as in the dashboard
`;

describe("writing back into YAML changes nothing but the value", () => {
  test.each<[name: string, before: string, fields: Record<string, Value>, after: string]>([
    [
      "a plain text stays plain, its comment stays",
      "    prompt: Hello.   # why\n",
      { prompt: "Bye." },
      "    prompt: Bye.   # why\n",
    ],
    [
      "a single-quoted text stays so",
      "    prompt: 'Hello'\n",
      { prompt: "It's me" },
      "    prompt: 'It''s me'\n",
    ],
    [
      "a double-quoted text stays so",
      '    prompt: "Hello"\n',
      { prompt: 'Say "x"' },
      '    prompt: "Say \\"x\\""\n',
    ],
    ["what looks like a number is quoted", "    prompt: Hello\n", { prompt: "12" }, '    prompt: "12"\n'],
    [
      "what looks like a truth value is quoted",
      "    prompt: Hello\n",
      { prompt: "true" },
      '    prompt: "true"\n',
    ],
    [
      "a placeholder stays as it is",
      "    prompt: Hello\n",
      { prompt: "Hi ${customer_name}" },
      "    prompt: Hi ${customer_name}\n",
    ],
    ["an empty text is quoted", "    prompt: Hello\n", { prompt: "" }, '    prompt: ""\n'],
    [
      "a text of lines becomes a block, the comment moves to its head",
      "    prompt: Hello # why\n    links: []\n",
      { prompt: "a\nb\n" },
      "    prompt: | # why\n      a\n      b\n    links: []\n",
    ],
    [
      "a block stays a block",
      "    prompt: |\n      a\n\n\n    links: []\n",
      { prompt: "b\n\nc" },
      "    prompt: |-\n      b\n\n      c\n\n\n    links: []\n",
    ],
    [
      "a block whose first line is indented says how deep",
      "    prompt: |\n      a\n",
      { prompt: "  b\nc\n" },
      "    prompt: |2\n        b\n      c\n",
    ],
    [
      "empty lines at the end of a text are kept",
      "    prompt: |\n      a\n    links: []\n",
      { prompt: "a\n\n\n" },
      "    prompt: |+\n      a\n\n\n    links: []\n",
    ],
    [
      "a line of spaces at a text's end goes with it",
      "    prompt: |-\n      a\n       \n\n",
      { prompt: "b\nc" },
      "    prompt: |-\n      b\n      c\n\n",
    ],
    [
      "the last line without a line end",
      "    prompt: Hello",
      { prompt: "a\nb" },
      "    prompt: |-\n      a\n      b\n",
    ],
    [
      "a list is replaced as a whole",
      "    prompt: x\n    links: # pages\n      - url: https://a.example\n        faq: A\n    # end\n  # next\n",
      { links: [{ url: "https://b.example" }, { url: "https://c.example", faq: "Is it: C?" }] },
      '    prompt: x\n    links: # pages\n      - url: https://b.example\n      - url: https://c.example\n        faq: "Is it: C?"\n    # end\n  # next\n',
    ],
    [
      "a list that becomes empty",
      "    prompt: x\n    links:\n      - url: https://a.example\n",
      { links: [] },
      "    prompt: x\n    links: []\n",
    ],
    [
      "an empty list that gets entries",
      "    prompt: x\n    links: [] # none\n",
      { links: [{ url: "https://a.example" }] },
      "    prompt: x\n    links: # none\n      - url: https://a.example\n",
    ],
    [
      "a list between brackets stays there",
      "    prompt: x\n    links: [{ url: https://a.example }] # one\n",
      { links: [{ url: "https://b.example", faq: "B, or not" }] },
      '    prompt: x\n    links: [{ url: https://b.example, faq: "B, or not" }] # one\n',
    ],
    [
      "a missing text comes after the last key",
      "    prompt: |\n      a\n\n  # next\n",
      { opening_text: "Hi" },
      "    prompt: |\n      a\n    opening_text: Hi\n\n  # next\n",
    ],
    [
      "a missing list comes after the last key",
      "    prompt: x # y",
      { links: [{ url: "https://a.example" }] },
      "    prompt: x # y\n    links:\n      - url: https://a.example\n",
    ],
    [
      "several fields at once",
      "    prompt: x\n    opening_text: y\n",
      { opening_text: "Y", prompt: "X" },
      "    prompt: X\n    opening_text: Y\n",
    ],
  ])("%s", async (_name, before, fields, after) => {
    expect(await edited({ "avatarops.yaml": head + before }, fields)).toBe(head + after);
  });

  test("in a mapping between braces", async () => {
    const before = "contexts: { support: { name: S, prompt: a } } # one\n";
    const after = 'contexts: { support: { name: S, prompt: "a\\nb", opening_text: "x, y" } } # one\n';
    expect(await edited({ "avatarops.yaml": before }, { prompt: "a\nb", opening_text: "x, y" })).toBe(after);
  });

  test("line ends of the file are kept", async () => {
    const before = "contexts:\r\n  support:\r\n    name: S # n\r\n    prompt: a\r\n";
    const after = "contexts:\r\n  support:\r\n    name: S # n\r\n    prompt: |-\r\n      a\r\n      b\r\n";
    expect(await edited({ "avatarops.yaml": before }, { prompt: "a\nb" })).toBe(after);
  });

  test("a byte order mark stays", async () => {
    const before = "\uFEFFcontexts:\n  support:\n    name: S\n    prompt: a\n";
    expect(await edited({ "avatarops.yaml": before }, { name: "T" })).toBe(before.replace("S", "T"));
  });

  test("a value of an environment stays in the environment", async () => {
    const root = projectWith({
      "avatarops.yaml": `${head}    prompt: x\nenvironments:\n  staging: { contexts: { support: { prompt: y } } }\n`,
    });
    const { manifest } = await loadManifest({ cwd: root, environment: "staging" });
    const origin = manifest?.declarations[0]?.origins.prompt;
    if (!origin) throw new Error("no origin");
    const { files } = editFiles(root, [{ origin, value: "z" }]);
    expect(files.map(({ after }) => after.split("\n").at(-2))).toEqual([
      "  staging: { contexts: { support: { prompt: z } } }",
    ]);
  });
});

describe("writing back into text", () => {
  const main = { "avatarops.yaml": "include: [contexts/*.md]\n" };

  test("the body of a Markdown file; its front matter stays byte for byte", async () => {
    const front = "---\nname:   S  # n\n---\n";
    const files = { ...main, "contexts/support.md": `${front}\nold\n` };
    expect(await edited(files, { prompt: "# New\n\n---\nx" }, "contexts/support.md")).toBe(
      `${front}# New\n\n---\nx\n`,
    );
  });

  test("the front matter of a Markdown file; its body stays byte for byte", async () => {
    const files = { ...main, "contexts/support.md": "---\nname: S\n---\r\nold \r\n\n" };
    const after = "---\nname: T\nopening_text: Hi\n---\r\nold \r\n\n";
    expect(await edited(files, { name: "T", opening_text: "Hi" }, "contexts/support.md")).toBe(after);
  });

  test("a file named with !file", async () => {
    const files = { "avatarops.yaml": `${head}    prompt: !file p.txt\n`, "p.txt": "old" };
    expect(await edited(files, { prompt: "new\n" }, "p.txt")).toBe("new\n\n");
  });
});

test("a text that ends with empty lines takes the place of those behind the old one", async () => {
  const files = { "avatarops.yaml": `${head}    prompt: >-\n      x\n\n\n    opening_text: y\n` };
  const after = `${head}    prompt: |+\n      z\n\n    opening_text: y\n`;
  expect(await edited(files, { prompt: "z\n\n" })).toBe(after);
});

describe("what cannot be written is refused and leaves the file alone", () => {
  test.each<[name: string, yaml: string, field: string, reason: string]>([
    [
      "a text behind an alias",
      "    prompt: &p x\n    opening_text: *p\n",
      "opening_text",
      "it stands for several values, through an alias or a merge key",
    ],
    [
      "a text that has an alias",
      "    prompt: &p x\n    opening_text: *p\n",
      "prompt",
      "it stands for several values, through an alias or a merge key",
    ],
    [
      "a merged text",
      "    prompt: x\n  other: &o { name: o, prompt: y, opening_text: z }\n  third: { <<: *o, name: t }\n",
      "../other/prompt",
      "it stands for several values, through an alias or a merge key",
    ],
  ])("%s", async (_name, yaml, field, reason) => {
    const root = projectWith({ "avatarops.yaml": head + yaml });
    const key = field.startsWith("../") ? "context.third" : "context.support";
    const origin = (await declared(root, key)).origins[path.basename(field)];
    if (!origin) throw new Error("no origin");
    expect(await writeBack(root, [{ origin, value: "new" }])).toEqual({
      files: [],
      refused: [{ origin, reason }],
    });
    expect(readFileSync(path.join(root, "avatarops.yaml"), "utf8")).toBe(head + yaml);
  });

  test("half a character in a Markdown body", () => {
    const origin = { at: "body", file: "s.md" } as const;
    const root = projectWith({ "s.md": "---\nname: S\n---\nx\n" });
    const refused = [{ origin, reason: "it has half of a surrogate pair, which UTF-8 cannot encode" }];
    expect(editFiles(root, [{ origin, value: "\ud800" }])).toEqual({ files: [], refused });
  });

  test("an implied value", () => {
    const origin = { at: "implied", file: "avatarops.yaml" } as const;
    const root = projectWith({ "avatarops.yaml": head });
    const refused = [{ origin, reason: "it has no text of its own in the files" }];
    expect(editFiles(root, [{ origin, value: "x" }])).toEqual({ files: [], refused });
  });
});
