import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeBack } from "../../src/core/manifest/index.js";
import { scaleRuns } from "../real/long.js";
import { anyText, normalizeLineEnds } from "./any-text.js";
import { createProjectFolder, readDeclaration } from "./project.js";

const head = `# The desk.
contexts:
  # first
  support:
    name: Support desk # as in the dashboard
`;

describe("random text", () => {
  const yaml = (text: string) => ({ "avatarops.yaml": `${head}    prompt: ${text}` });
  const document = (text: string) => ({ "avatarops.yaml": "include: [support.md]\n", "support.md": text });
  const beside = (text: string) => ({ ...yaml("!file prompts/s.md\n"), "prompts/s.md": text });
  const code = `import { Context, Project, promptFile } from "avatarops";
const project = new Project();
new Context(project, "support", { name: "Support desk", prompt: promptFile("prompts/s.md") });
export default project;
`;
  const mark = "\uFEFF";
  test.each<[where: string, files: Record<string, string>]>([
    ["a plain scalar", yaml("x # c\n")],
    ["a single-quoted string", yaml("'x'\n")],
    ["a double-quoted string", yaml('"x"\n')],
    ["a block", yaml("|\n      x\n    opening_text: y\n")],
    ["a folded block", yaml(">-\n      x\n\n      y\n\n")],
    ["a flow mapping", { "avatarops.yaml": "contexts: { support: { name: S, prompt: x } }\n" }],
    ["a YAML file with a byte order mark", { "avatarops.yaml": mark + yaml("x\n")["avatarops.yaml"] }],
    ["a Markdown file", document("---\nname: S\n---\nx\n")],
    ["a Markdown file with Windows line endings", document("---\r\nname: S\r\n---\r\nx\r\n")],
    ["a Markdown file without a body", document("---\nname: S\n---")],
    ["front matter", document("---\nname: S\nprompt: |\n  x\n---\n")],
    ["a separate file", beside("x\n")],
    ["an empty separate file", beside("")],
    ["a file with a byte order mark", beside(`${mark}x\n`)],
    ["a file with two byte order marks", beside(`${mark}${mark}x\n`)],
    ["a file that TypeScript code refers to", { "avatarops.config.ts": code, "prompts/s.md": "x\n" }],
  ])("survives a round trip or is rejected in %s", async (_where, files) => {
    const root = createProjectFolder(files);
    const bytes = () =>
      Object.fromEntries(Object.keys(files).map((file) => [file, readFileSync(path.join(root, file))]));
    await fc.assert(
      fc.asyncProperty(anyText, async (value) => {
        const [before, was] = [bytes(), await readDeclaration(root, "context.support")];
        const origin = was.origins.prompt;
        if (!origin) throw new Error("no origin");
        const { refused } = await writeBack(root, [{ origin, value }]);
        expect(refused.length === 0 || /[\ud800-\udfff]/.test(value)).toBe(true);
        if (refused.length > 0) expect(bytes()).toEqual(before);
        else
          expect((await readDeclaration(root, "context.support")).spec).toEqual({
            ...was.spec,
            prompt: normalizeLineEnds(value),
          });
      }),
      {
        numRuns: scaleRuns(60),
        examples: [[mark], [`${mark}x`], [`${mark}${mark}`], ["x"], [`---\nname: T\n---\nx`]],
      },
    );
  });

  test("survives a round trip as a YAML value", async () => {
    const root = createProjectFolder({ "avatarops.yaml": `${head}    prompt: x # c\n    links: []\n` });
    const item = fc.record({ faq: anyText });
    await fc.assert(
      fc.asyncProperty(anyText, fc.array(item, { maxLength: 3 }), async (prompt, faqs) => {
        const links = faqs.map(({ faq }) => ({ url: "https://a.example", faq }));
        const at = (field: string) =>
          ({ at: "yaml", file: "avatarops.yaml", path: ["contexts", "support", field] }) as const;
        const done = await writeBack(root, [
          { origin: at("prompt"), value: prompt },
          { origin: at("links"), value: links },
        ]);
        expect(done.refused).toEqual([]);
        expect((await readDeclaration(root, "context.support")).spec).toEqual({
          name: "Support desk",
          prompt: normalizeLineEnds(prompt),
          links: links.map(({ url, faq }) => ({ url, faq: normalizeLineEnds(faq ?? "") })),
        });
      }),
      { numRuns: scaleRuns(60) },
    );
  });
});
