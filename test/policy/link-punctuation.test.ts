import { expect, test } from "vitest";
import { startProject } from "../cli/hosting.js";

const startWith = (prompt: string) =>
  startProject({
    files: {
      "avatarops.yaml": `contexts: { c: { name: C, prompt: !file p.txt } }
policies: { allowed-link-hosts: { hosts: [example.com] } }
`,
      "p.txt": prompt,
    },
  });

test("allows a link to an allowed host before punctuation", async () => {
  const allowed = await startWith(
    "See https://example.com, https://example.com; https://example.com! Or https://example.com。 Or https://example.com...\n",
  );
  expect(await allowed.avatarops("validate")).toMatchObject({ exit: 0 });
});

test("allows a link to an allowed host inside emphasis or quotation marks", async () => {
  const allowed = await startWith(
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
])("rejects a link to another host: %s", async (link) => {
  expect(await (await startWith(`See ${link} for more.\n`)).avatarops("validate")).toMatchObject({ exit: 1 });
});
