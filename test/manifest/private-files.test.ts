import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { loadManifest } from "../../src/core/manifest/index.js";
import { createProjectFolder } from "./project.js";

const key = "url = https://x:ghp_4711@example.com";

const privateNames = [
  ".git/config",
  "sub/.git/config",
  ".GIT/Config",
  ".git./config",
  ".git",
  ".git-credentials",
  ".env",
  ".env.production",
  "deep/down/.Env.local",
  ".envs/prod/keys",
  ".npmrc",
  ".netrc",
  "_netrc",
  ".ssh/known",
  ".aws/credentials",
  ".avatarops/state.json",
  "certs/server.pem",
  "certs/SERVER.PEM",
  "server.key",
  "id_rsa",
  "keys/ID_ed25519",
  "gha-creds-0a1b2c.json",
  "client_secret_47.apps.json",
  "deploy/terraform.tfstate",
  "terraform.tfstate.backup",
  ".terraform/environment",
  "prod.auto.tfvars",
  "prod.tfvars.json",
  "kubeconfig-prod",
  ".config/gh/hosts.yml",
  ".cargo/credentials.toml",
  ".yarnrc.yml",
  "keys.kdbx",
];

async function loadPrompt(cwd: string, options: object = {}) {
  const { manifest, diagnostics } = await loadManifest({ allowCode: true, cwd, ...options });
  expect(JSON.stringify(diagnostics)).not.toContain("4711");
  return { prompt: manifest?.declarations[0]?.spec.prompt, diagnostics };
}

function formatPromptFrom(file: string): string {
  return `contexts:\n  a: { name: A, prompt: !file ${JSON.stringify(file)} }\n`;
}

describe("file whose name or content suggests that it holds keys", () => {
  test.each(privateNames)("is not read as a prompt: %s", async (file) => {
    const { diagnostics } = await loadPrompt(
      createProjectFolder({ "avatarops.yaml": formatPromptFrom(file), [file]: key }),
    );
    expect(diagnostics).toMatchObject([
      {
        code: "private-file",
        message: `${file} is not read, because files with this name may contain keys, which would then be shown`,
        location: { file: "avatarops.yaml", line: 2 },
        hint: "rename the file if it contains no keys",
      },
    ]);
  });

  test.each([
    ".gitignore",
    ".github/prompt.md",
    "environment.md",
    "prompts/identity.md",
    "gitconfig",
    "git/config",
    "monkeys.md",
    "prompts/credentials.md",
    "config/desk.json",
    "tfstate.md",
    "prompts/id_verification.md",
    "kubeconfig-help.md",
    "client_secret_rotation.txt",
  ])("is distinguished from a harmless file with a similar name: %s", async (file) => {
    expect(
      await loadPrompt(createProjectFolder({ "avatarops.yaml": formatPromptFrom(file), [file]: "P" })),
    ).toMatchObject({
      prompt: "P",
    });
  });

  test.each([
    ["plain.md", "-----BEGIN OPENSSH PRIVATE KEY-----\n4711\n"],
    ["id_rsa.bak", "PuTTY-User-Key-File-3: 4711"],
    ["id_login.txt", key],
    ["id_token.txt", "eyJhbGciOiJSUzI1NiJ9.4711"],
    ["id_deploy.txt", "a4711aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"],
    ["kubeconfig-prod.yaml", "users:\n  - token: ghp_4711"],
    ["client_secret.txt", "client_secret = 4711"],
  ])("is recognized by content: %s", async (file, text) => {
    const { diagnostics } = await loadPrompt(
      createProjectFolder({ "avatarops.yaml": formatPromptFrom(file), [file]: text }),
    );
    expect(diagnostics).toMatchObject([
      {
        code: "private-file",
        message: `${file} is not used, because it seems to contain a key or a password, which would be shown`,
        hint: "remove the key or the password from the file",
      },
    ]);
  });

  test("is recognized by a symlink's target and by its name", async () => {
    const readMessages = async (link: string, target: string) => {
      const cwd = createProjectFolder({ "avatarops.yaml": formatPromptFrom(link), [target]: key });
      mkdirSync(path.dirname(path.join(cwd, link)), { recursive: true });
      symlinkSync(path.join(cwd, target), path.join(cwd, link));
      return (await loadPrompt(cwd)).diagnostics.map(({ message }) => message.replace(/ is not read.*/, ""));
    };
    expect(await readMessages("prompts/a.md", ".git/config")).toEqual([
      "prompts/a.md, a symlink to .git/config,",
    ]);
    expect(await readMessages(".env", "plain.txt")).toEqual([".env"]);
  });

  test("is recognized behind a symlinked folder", async () => {
    const cwd = createProjectFolder({
      "avatarops.yaml": formatPromptFrom("docs/config"),
      ".git/config": key,
    });
    symlinkSync(".git", path.join(cwd, "docs"));
    expect((await loadPrompt(cwd)).diagnostics.map(({ code }) => code)).toEqual(["private-file"]);
  });
});
