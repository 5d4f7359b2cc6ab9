import { expect, test } from "vitest";
import { startProject } from "../cli/hosting.js";

const project = (prompt: string) =>
  startProject({
    files: {
      "avatarops.yaml": `contexts: { c: { name: C, prompt: !file p.txt } }
policies: { allowed-link-hosts: { hosts: [example.com] } }
`,
      "p.txt": prompt,
    },
  });

test("allows a link to an allowed host that punctuation follows", async () => {
  const allowed = await project(
    "See https://example.com, https://example.com; https://example.com! Or https://example.com。 Or https://example.com...\n",
  );
  expect(await allowed.avatarops("validate")).toMatchObject({ exit: 0 });
});

test("allows a link to an allowed host that emphasis or quotation marks end", async () => {
  const allowed = await project(
    "**https://example.com**, __https://example.com__, ~~https://example.com~~ | “https://example.com” «https://example.com» 「https://example.com」 （https://example.com）\n",
  );
  expect(await allowed.avatarops("validate")).toMatchObject({ exit: 0 });
});

test.each([
  "https://example.com**.evil.example",
  "https://evil.example**",
  "https://example.com,evil.example",
  "https://evil.example,",
  "https://example.com.evil.example.",
])("refuses %s, whose host is another one", async (link) => {
  expect(await (await project(`See ${link} for more.\n`)).avatarops("validate")).toMatchObject({ exit: 1 });
});
