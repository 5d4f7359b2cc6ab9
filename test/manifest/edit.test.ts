import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Value } from "../../src/core/kinds/index.js";
import { editFiles, findOrigin, loadManifest, writeBack } from "../../src/core/manifest/index.js";
import { createProjectFolder, readDeclaration } from "./project.js";

/** Writes fields of context.support and returns the file's new text. */
async function editFile(
  files: Record<string, string>,
  fields: Record<string, Value>,
  file = "avatarops.yaml",
) {
  const root = createProjectFolder(files);
  const support = await readDeclaration(root, "context.support");
  const edits = Object.entries(fields).map(([name, value]) => {
    const origin = findOrigin(support, name);
    if (!origin) throw new Error(`${name} has no origin`);
    return { origin, value };
  });
  expect((await writeBack(root, edits)).refused).toEqual([]);
  const after = await readDeclaration(root, "context.support");
  expect(after.spec).toMatchObject({ ...support.spec, ...fields });
  return readFileSync(path.join(root, file), "utf8");
}

const head = `# The desk.
contexts:
  # first
  support:
    name: Support desk # as in the dashboard
`;

describe("editing YAML", () => {
  test("changes only the value, in any scalar style", async () => {
    const golden = `${import.meta.dirname}/edits.txt`;
    const [, ...edits] = readFileSync(golden, "utf8").split(/^### /m);
    const written: string[] = [];
    for (const edit of edits) {
      const [, what, before, fields = ""] = /^(.*)\n([\s\S]*?)^-- (.*) --\n/m.exec(edit) ?? [];
      const after = await editFile({ "avatarops.yaml": head + before }, JSON.parse(fields));
      expect(after.startsWith(head)).toBe(true);
      written.push(`### ${what}\n${before}-- ${fields} --\n${after.slice(head.length)}`);
    }
    await expect(written.join("")).toMatchFileSnapshot(golden);
  });

  test.each<[before: string, fields: Record<string, Value>, after: string]>([
    ["    prompt: Hello", { prompt: "a\nb" }, "    prompt: |-\n      a\n      b"],
    [
      "    prompt: x # y",
      { links: [{ url: "https://a.example" }] },
      "    prompt: x # y\n    links:\n      - url: https://a.example",
    ],
  ])("adds no final newline if the last line (%j) has none", async (before, fields, after) => {
    expect(await editFile({ "avatarops.yaml": head + before }, fields)).toBe(head + after);
  });

  test.each(["", "  # prod\n", "# prod\n", "\n  # prod\n", "  # prod\r\n"])(
    "puts a block below an empty key, above the next key's comment (%j)",
    (comment) => {
      const before = `environments:\n  s: # staging\n${comment}  prod:\n    variables: {}\n`;
      const path = ["environments", "s", "variables", "city"];
      const root = createProjectFolder({ "avatarops.yaml": before });
      const origin = { at: "yaml", file: "avatarops.yaml", path } as const;
      const { files } = editFiles(root, [{ origin, value: "Bern" }]);
      expect(files[0]?.after).toBe(before.replace("# staging\n", "$&    variables:\n      city: Bern\n"));
    },
  );

  test("changes only the value in a flow mapping", async () => {
    const before = "contexts: { support: { name: S, prompt: a } } # one\n";
    const after = 'contexts: { support: { opening_text: "x, y", name: S, prompt: "a\\nb" } } # one\n';
    expect(await editFile({ "avatarops.yaml": before }, { prompt: "a\nb", opening_text: "x, y" })).toBe(
      after,
    );
  });

  test("keeps the file's line endings", async () => {
    const before = "contexts:\r\n  support:\r\n    name: S # n\r\n    prompt: a\r\n";
    const after = "contexts:\r\n  support:\r\n    name: S # n\r\n    prompt: |-\r\n      a\r\n      b\r\n";
    expect(await editFile({ "avatarops.yaml": before }, { prompt: "a\nb" })).toBe(after);
  });

  test("keeps a byte order mark", async () => {
    const before = "\uFEFFcontexts:\n  support:\n    name: S\n    prompt: a\n";
    expect(await editFile({ "avatarops.yaml": before }, { name: "T" })).toBe(before.replace("S", "T"));
  });

  test("edits an environment's override instead of the base value", async () => {
    const root = createProjectFolder({
      "avatarops.yaml": `${head}    prompt: x\nenvironments:\n  staging: { contexts: { support: { prompt: y } } }\n`,
    });
    const { manifest } = await loadManifest({ allowCode: true, cwd: root, environment: "staging" });
    const origin = manifest?.declarations[0]?.origins.prompt;
    if (!origin) throw new Error("no origin");
    const { files } = editFiles(root, [{ origin, value: "z" }]);
    expect(files.map(({ after }) => after.split("\n").at(-2))).toEqual([
      "  staging: { contexts: { support: { prompt: z } } }",
    ]);
  });
});

describe("editing Markdown and text files", () => {
  const main = { "avatarops.yaml": "include: [contexts/*.md]\n" };

  test("replaces a Markdown body and keeps the front matter byte for byte", async () => {
    const front = "---\nname:   S  # n\n---\n";
    const files = { ...main, "contexts/support.md": `${front}\nold\n` };
    expect(await editFile(files, { prompt: "# New\n\n---\nx" }, "contexts/support.md")).toBe(
      `${front}# New\n\n---\nx\n`,
    );
  });

  test("replaces front matter and keeps the Markdown body byte for byte", async () => {
    const files = { ...main, "contexts/support.md": "---\nname: S\n---\r\nold \r\n\n" };
    const after = "---\nname: T\nopening_text: Hi\n---\r\nold \r\n\n";
    expect(await editFile(files, { name: "T", opening_text: "Hi" }, "contexts/support.md")).toBe(after);
  });

  test("replaces the content of a file referenced with !file", async () => {
    const files = { "avatarops.yaml": `${head}    prompt: !file p.txt\n`, "p.txt": "old" };
    expect(await editFile(files, { prompt: "new\n" }, "p.txt")).toBe("new\n\n");
  });
});

test("quotes a YAML string with trailing blank lines if more lines follow it", async () => {
  const files = { "avatarops.yaml": `${head}    prompt: >-\n      x\n\n\n    opening_text: y\n` };
  const after = `${head}    prompt: "z\\n\\n"\n\n\n    opening_text: y\n`;
  expect(await editFile(files, { prompt: "z\n\n" })).toBe(after);
});

describe("editing an unwritable value", () => {
  const aliased = "    prompt: &p x\n    opening_text: *p\n";
  const merged =
    "    prompt: x\n  other: &o { name: o, prompt: y, opening_text: z }\n  third: { <<: *o, name: t }\n";

  test.each([
    ["a string that an alias refers to", aliased, "context.support", "opening_text"],
    ["a string with an alias", aliased, "context.support", "prompt"],
    ["a merged string", merged, "context.third", "prompt"],
  ])("is rejected and leaves the file unchanged: %s", async (_name, yaml, address, field) => {
    const reason =
      "an alias or a merge key shares it, so edit it by hand, or replace the alias with its value";
    const root = createProjectFolder({ "avatarops.yaml": head + yaml });
    const origin = (await readDeclaration(root, address)).origins[field];
    if (!origin) throw new Error("no origin");
    expect(await writeBack(root, [{ origin, value: "new" }])).toEqual({
      files: [],
      refused: [{ origin, reason }],
    });
    expect(readFileSync(path.join(root, "avatarops.yaml"), "utf8")).toBe(head + yaml);
  });

  test("is rejected for a lone surrogate in a Markdown body", () => {
    const origin = { at: "body", file: "s.md" } as const;
    const root = createProjectFolder({ "s.md": "---\nname: S\n---\nx\n" });
    const refused = [
      { origin, reason: "it contains a lone surrogate, which UTF-8 cannot encode, so remove it" },
    ];
    expect(editFiles(root, [{ origin, value: "\ud800" }])).toEqual({ files: [], refused });
  });
});
