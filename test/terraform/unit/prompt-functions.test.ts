import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Value } from "@avatarops/terraform-plugin";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadManifest } from "../../../src/core/manifest/index.js";
import { createProvider } from "../../../src/entrypoints/terraform/index.js";

const { functions } = createProvider({ version: "0.0.0", environment: {} });

const call = async (name: string, ...given: Value[]) => functions[name]?.call(...given);

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

  test("take a text with a mark of byte order and Windows line ends as it stands", async () => {
    const file = await written(`\uFEFF---\r\nname: A\r\n---\r\nOne\r\nTwo\r\n`);
    expect(await call("prompt_file", file)).toMatchObject({ name: "A", prompt: "One\nTwo" });
  });
});

describe("a template", () => {
  const template = "---\nname: A\n---\n{{> tone}}\n{{> ./legal.txt}}\nIt costs {{price}}, ${who}.\n";

  /** A folder with partials, and a template below it. */
  async function module(): Promise<{ file: string; add(name: string, text: string): Promise<void> }> {
    const root = path.dirname(await written(template));
    const add = async (name: string, text: string) => {
      await mkdir(path.dirname(path.join(root, name)), { recursive: true });
      await writeFile(path.join(root, name), text);
    };
    await add("partials/tone.md", "Be {{mood}}.\n");
    await add("prompts/legal.txt", "No refunds.\n");
    await add("prompts/returns.md", template);
    return { file: path.join(root, "prompts/returns.md"), add };
  }

  test("is composed with the values given, of which later ones count, and with the nearest partials", async () => {
    const { file, add } = await module();
    const values: Value[] = [
      { mood: "kind", price: "9 EUR" },
      { price: "10 EUR" },
      { price: null, unused: "" },
    ];
    expect(await call("prompt_file", file, ...values)).toMatchObject({
      prompt: "Be kind.\nNo refunds.\nIt costs 10 EUR, ${who}.",
    });
    await add("prompts/partials/tone.md", "Be brief.\n");
    expect(await call("prompt_file", file, { price: "9 EUR" })).toMatchObject({
      prompt: expect.stringMatching(/^Be brief\.\n/),
    });
  });

  test("is what a project makes of the same files", async () => {
    const { file, add } = await module();
    const folder = path.dirname(path.dirname(file));
    const front = template.replace("name: A", "name: A\ntemplate: true");
    await add("contexts/a.md", front.replace("./legal", "../prompts/legal"));
    await add("avatarops.yaml", "include: [contexts/*.md]\nvariables: { mood: kind, price: 9 EUR }\n");
    const { manifest } = await loadManifest({ cwd: folder });
    expect(
      await call("prompt_file", path.join(folder, "contexts/a.md"), { mood: "kind", price: "9 EUR" }),
    ).toMatchObject({ prompt: manifest?.declarations[0]?.spec.prompt });
  });

  test("is not composed of files outside, nor of those that may hold keys, and says where that was asked", async () => {
    const { file, add } = await module();
    await add("prompts/returns.md", "---\nname: A\n---\nA\n{{> tone}}\n");
    await add("partials/tone.md", "{{> ../key.pem}}\n");
    const said = async () =>
      (call("prompt_file", file, {}) as Promise<never>).catch((error: Error) => error.message);
    expect(await said()).toMatch(/partials\/tone\.md:1:1: .*key\.pem is not read: .*\(name another file\)/);
    await add("partials/tone.md", "{{> ../../x.md}}\n");
    expect(await said()).toContain("leads outside the project folder");
    await symlink("/etc/hostname", path.join(path.dirname(file), "link.md"));
    await add("partials/tone.md", "{{> ../prompts/link.md}}\n");
    expect(await said()).toContain("outside the project folder through a link");
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
    { wrong: "a tag there is not", text: "---\nname: !ref x\n---\nB", says: ["!ref", "no tag is followed"] },
  ])("$wrong is told with its place", async ({ text, says }) => {
    const file = await written(text);
    const error = await call("prompt_file", file).then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).toMatchObject({ name: "FunctionError" });
    for (const said of says) expect(error?.message).toContain(said);
    expect(error?.message).toContain(file);
  });

  test("a template that is no file is told to be one", async () => {
    await expect(call("parse_prompt", "---\nname: A\ntemplate: true\n---\n{{> tone}}")).rejects.toThrow(
      "the text:5:1: a template is not composed here (read it from its file",
    );
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
