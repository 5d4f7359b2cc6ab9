import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadManifest } from "../../../src/core/manifest/index.js";
import { createProvider } from "../../../src/entrypoints/terraform/index.js";

const { functions } = createProvider({ version: "0.0.0", environment: {} });

const call = async (name: string, argument: string) => functions[name]?.call(argument);

/** A folder with one Markdown file. */
async function written(text: string | Uint8Array): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-prompt-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, "support.md");
  await writeFile(file, text);
  return file;
}

const support = `---
name: Support desk
links:
  - { url: https://example.com/returns, faq: Returns }
  - { url: https://example.com/prices }
---
You answer \${customer_name} politely.

Briefly.
`;

const object = {
  name: "Support desk",
  prompt: "You answer ${customer_name} politely.\n\nBriefly.",
  opening_text: null,
  links: [
    { url: "https://example.com/returns", faq: "Returns" },
    { url: "https://example.com/prices", faq: null },
  ],
};

describe("prompt_file and parse_prompt", () => {
  test("read front matter and body into an object; what is not set is null", async () => {
    expect(await call("prompt_file", await written(support))).toEqual(object);
    expect(await call("parse_prompt", support)).toEqual(object);
  });

  test("read what a project of avatarops reads from the same file", async () => {
    const file = await written(support);
    await writeFile(path.join(path.dirname(file), "avatarops.yaml"), "include: [support.md]\n");
    const { manifest } = await loadManifest({ cwd: path.dirname(file) });
    const { name, prompt } = (await call("prompt_file", file)) as Record<string, unknown>;
    expect(manifest?.declarations.map(({ spec }) => [spec.name, spec.prompt])).toEqual([[name, prompt]]);
  });

  test("take a text with a mark of byte order and Windows line ends as it stands", async () => {
    const file = await written(`\uFEFF---\r\nname: A\r\n---\r\nOne\r\nTwo\r\n`);
    expect(await call("prompt_file", file)).toMatchObject({ name: "A", prompt: "One\nTwo" });
  });
});

describe("what is wrong with a prompt file", () => {
  test.each([
    {
      wrong: "a misspelt field",
      text: "---\nname: A\nopenning_text: x\n---\nB",
      says: ["3:1", "opening_text"],
    },
    { wrong: "no name", text: "You answer.", says: ['no "name"'] },
    {
      wrong: "a source tag",
      text: "---\nname: A\nopening_text: !env X\n---\nB",
      says: ["3:20", "!env", "write the text out"],
    },
    { wrong: "a file tag", text: "---\nname: A\nopening_text: !file x\n---\nB", says: ["!file"] },
    { wrong: "a tag there is not", text: "---\nname: !ref x\n---\nB", says: ["!ref", "no tag is followed"] },
    {
      wrong: "a template",
      text: "---\nname: A\ntemplate: true\n---\n{{> tone}}",
      says: ["5:1", "not composed here", "avatarops render"],
    },
    { wrong: "YAML that is none", text: "---\nname: [A\n---\nB", says: ["not valid YAML"] },
    {
      wrong: "a link that is none",
      text: "---\nname: A\nlinks: [{ url: x }]\n---\nB",
      says: ["not a web address"],
    },
  ])("$wrong is told with its place", async ({ text, says }) => {
    const file = await written(text);
    const error = await call("prompt_file", file).then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).toMatchObject({ name: "FunctionError", argument: 0 });
    for (const said of says) expect(error?.message).toContain(said);
    expect(error?.message).toContain(file);
  });

  test("a text without front matter is told with the lines to begin it with, and one with it is not", async () => {
    await expect(call("parse_prompt", "You answer.")).rejects.toThrow("---\nname: …\n---");
    await expect(call("parse_prompt", "---\nopening_text: Hi\n---\nYou answer.")).rejects.toThrow(
      /no "name".*add "name: …"/,
    );
  });

  test("a file that is not there, or no text, is told with what to do", async () => {
    await expect(call("prompt_file", "nowhere/support.md")).rejects.toThrow(/no such file.*path\.module/);
    const latin = await written(new Uint8Array([0x47, 0x72, 0xfc, 0xdf]));
    await expect(call("prompt_file", latin)).rejects.toThrow("not UTF-8");
    const pipe = `${await written("")}.pipe`;
    execFileSync("mkfifo", [pipe]);
    await expect(call("prompt_file", pipe)).rejects.toThrow("no regular file");
  });
});
