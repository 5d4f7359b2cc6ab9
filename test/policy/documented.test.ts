// @module-tag night
/** Applies the YAML in docs/policies.md, and runs the page's policy function and its test. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder, runIn } from "../cli/hosting.js";

const page = readFileSync("docs/policies.md", "utf8");
const findPassages = (language: string) =>
  Array.from(page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms")), ([, text = ""]) => text);
const [rules = "", except = "", functions = ""] = findPassages("yaml");
const code = findPassages("ts").map((text) => [/^\/\/ (\S+)\n/.exec(text)?.[1] ?? "", text] as const);

async function createFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await newFolder();
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

test("finds violations of the rules in docs/policies.md", async () => {
  const context = `contexts:
  support:
    name: Support desk
    prompt: |
      # Role
      It is cheap, \${customer}. See https://example.org
`;
  const folder = await createFolder({ "avatarops.yaml": rules + context });
  const { stdout } = await runIn(folder, ["validate", "--format", "json"]);
  const { policies } = JSON.parse(stdout) as { policies: { severity: string; code: string }[] };
  expect(policies.map(({ severity, code }) => `${severity} ${code}`).sort()).toEqual([
    "error allowed-link-hosts",
    "error forbidden-phrases",
    "error placeholders",
    "error placeholders",
    "error required-sections",
  ]);
});

test("applies the exceptions in docs/policies.md", async () => {
  const prompt = { "prompts/legal.md": "There is a guaranteed refund.\n" };
  const manifest = (policies: string) => createFolder({ ...prompt, "avatarops.yaml": policies + contexts });
  const contexts = "contexts:\n  legal: { name: Legal desk, prompt: !file prompts/legal.md }\n";
  const [bare = ""] = except.split("    except:");
  for (const [policies, exit] of [
    [bare, 1],
    [except, 0],
  ] as const)
    expect(await runIn(await manifest(policies), ["validate"])).toMatchObject({ exit });
});

test("runs the policy function in docs/policies.md and its test", async () => {
  const folder = await createFolder({
    "avatarops.yaml": `${functions}contexts: { a: { name: A, prompt: Hi } }\n`,
    "package.json": '{ "type": "module" }\n',
    ...Object.fromEntries(code),
  });
  expect(await runIn(folder, ["validate"])).toMatchObject({ exit: 0 });
  mkdirSync(path.join(folder, "node_modules"));
  symlinkSync(process.cwd(), path.join(folder, "node_modules/avatarops"));
  const tsx = path.resolve("node_modules/tsx/dist/loader.mjs");
  const run = () =>
    execFileSync(process.execPath, ["--import", tsx, "--test", "policies/no-removals.test.ts"], {
      ...{ cwd: folder, encoding: "utf8", stdio: "pipe" },
      env: { PATH: process.env.PATH },
    });
  expect(run()).toMatch(/pass 1/);
});
