import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Item } from "../../src/core/kinds/index.js";
import { editFiles, writeBack } from "../../src/core/manifest/index.js";
import { declared, projectWith } from "./project.js";

const head = `# The desk.
contexts:
  # first
  support:
    name: Support desk # as in the dashboard
`;

const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        "\n",
        "\r",
        "\t",
        " ",
        "---",
        "#",
        ": ",
        "'",
        '"',
        "- ",
        "|",
        "${x}",
        "\u2028",
        "\u0085",
        "\uFEFF",
        "é",
        "a",
        "\\",
        "%",
        "{",
        "]",
      ),
    )
    .map((parts) => parts.join("")),
);

/** Of all of Unicode, with halves of characters, and of what files and formats give a meaning of their own. */
const live = fc.oneof(
  nasty,
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "\uFEFF",
          "\r\n",
          "\r",
          "\n",
          "---\n",
          "---",
          "...",
          "\u0000",
          "\u2028",
          "\u2029",
          "\u0085",
        ),
        fc.constantFrom(
          "\ud800",
          "\udfff",
          "\ufffe",
          "name: T",
          "```",
          "%YAML 1.2",
          "!file x",
          "&a",
          "*a",
          "\t",
        ),
        fc.string({ unit: "binary", maxLength: 3 }),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join("")),
);

/** As files are read: line ends are line feeds. */
const withLineFeeds = (text: string) => text.replace(/\r+\n/g, "\n");

describe("any text can be written and read again, but for line ends,", () => {
  const styles: Record<string, string> = {
    plain: "    prompt: x # c\n",
    quoted: "    prompt: 'x'\n    links: []\n",
    block: "    prompt: |+\n      x\n\n    # c\n",
    folded: "    prompt: >-\n      x\n      y\n\n\n    opening_text: y\n",
    missing: "    opening_text: y\n",
    braces: "    links: []\n  other: { name: x, prompt: x }\n",
  };
  test.each(Object.entries(styles))("in YAML that is %s", (_name, text) => {
    const yaml = `${head.replace("as in", "at")}${text}avatars:\n  host: { id: 7d1f0c1e-0000-1000-8000-000000000001 }\n`;
    const root = projectWith({ "avatarops.yaml": yaml });
    const key = text.includes("other") ? "other" : "support";
    const origin = { at: "yaml", file: "avatarops.yaml", path: ["contexts", key, "prompt"] } as const;
    fc.assert(
      fc.property(nasty, (value) => {
        const { files, refused } = editFiles(root, [{ origin, value }]);
        expect(refused).toEqual([]);
        expect(parse(files[0]?.after ?? yaml).contexts[key].prompt).toBe(withLineFeeds(value));
      }),
    );
  });

  test.each(["\n", "\r\n"])("as the body of a Markdown file whose lines end with %j", async (end) => {
    await fc.assert(
      fc.asyncProperty(nasty, async (value) => {
        fc.pre(!/\p{Surrogate}/u.test(value));
        const front = `---${end}name: S${end}---${end}`;
        const root = projectWith({ "avatarops.yaml": "include: [s.md]", "s.md": `${front}x${end}` });
        const origin = { at: "body", file: "s.md" } as const;
        expect((await writeBack(root, [{ origin, value }])).refused).toEqual([]);
        expect((await declared(root, "context.s")).spec).toEqual({
          name: "S",
          prompt: withLineFeeds(value),
        });
      }),
      { numRuns: 60 },
    );
  });

  const yaml = (text: string) => ({ "avatarops.yaml": `${head}    prompt: ${text}` });
  const document = (text: string) => ({ "avatarops.yaml": "include: [support.md]\n", "support.md": text });
  const beside = (text: string) => ({ ...yaml("!file prompts/s.md\n"), "prompts/s.md": text });
  const code = `import { Context, Project, promptFile } from "avatarops";
const project = new Project();
new Context(project, "support", { name: "Support desk", prompt: promptFile("prompts/s.md") });
export default project;
`;
  const mark = "\uFEFF";
  test.each<[place: string, files: Record<string, string>]>([
    ["a plain text", yaml("x # c\n")],
    ["a text in quotes", yaml("'x'\n")],
    ["a text in double quotes", yaml('"x"\n')],
    ["a block", yaml("|\n      x\n    opening_text: y\n")],
    ["a folded block", yaml(">-\n      x\n\n      y\n\n")],
    ["braces", { "avatarops.yaml": "contexts: { support: { name: S, prompt: x } }\n" }],
    ["a YAML file that begins with a mark", { "avatarops.yaml": mark + yaml("x\n")["avatarops.yaml"] }],
    ["a Markdown file", document("---\nname: S\n---\nx\n")],
    ["a Markdown file with a line end of two characters", document("---\r\nname: S\r\n---\r\nx\r\n")],
    ["a Markdown file without a body", document("---\nname: S\n---")],
    ["front matter", document("---\nname: S\nprompt: |\n  x\n---\n")],
    ["a file", beside("x\n")],
    ["an empty file", beside("")],
    ["a file that begins with a mark", beside(`${mark}x\n`)],
    ["a file that begins with two marks", beside(`${mark}${mark}x\n`)],
    ["a file named in TypeScript", { "avatarops.config.ts": code, "prompts/s.md": "x\n" }],
  ])("in %s, through the disk, or nothing is written", async (_place, files) => {
    const root = projectWith(files);
    const bytes = () =>
      Object.fromEntries(Object.keys(files).map((file) => [file, readFileSync(path.join(root, file))]));
    await fc.assert(
      fc.asyncProperty(live, async (value) => {
        const [before, was] = [bytes(), await declared(root, "context.support")];
        const origin = was.origins.prompt;
        if (!origin) throw new Error("no origin");
        const { refused } = await writeBack(root, [{ origin, value }]);
        expect(refused.length === 0 || /[\ud800-\udfff]/.test(value)).toBe(true);
        if (refused.length > 0) expect(bytes()).toEqual(before);
        else
          expect((await declared(root, "context.support")).spec).toEqual({
            ...was.spec,
            prompt: withLineFeeds(value),
          });
      }),
      { numRuns: 60, examples: [[mark], [`${mark}x`], [`${mark}${mark}`], ["x"], [`---\nname: T\n---\nx`]] },
    );
  });

  test("as a value of YAML, through the disk", async () => {
    const root = projectWith({ "avatarops.yaml": `${head}    prompt: x # c\n    links: []\n` });
    const item = fc.record({ faq: nasty });
    await fc.assert(
      fc.asyncProperty(nasty, fc.array(item, { maxLength: 3 }), async (prompt, faqs) => {
        const links: Item[] = faqs.map(({ faq }) => ({ url: "https://a.example", faq }));
        const at = (field: string) =>
          ({ at: "yaml", file: "avatarops.yaml", path: ["contexts", "support", field] }) as const;
        const done = await writeBack(root, [
          { origin: at("prompt"), value: prompt },
          { origin: at("links"), value: links },
        ]);
        expect(done.refused).toEqual([]);
        expect((await declared(root, "context.support")).spec).toEqual({
          name: "Support desk",
          prompt: withLineFeeds(prompt),
          links: links.map(({ url, faq }) => ({ url, faq: withLineFeeds(faq ?? "") })),
        });
      }),
      { numRuns: 60 },
    );
  });
});
