import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { loadManifest } from "../../src/core/manifest/index.js";
import { runIn } from "../cli/hosting.js";
import { projectWith } from "./project.js";

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
  "kubeconfig-prod.yaml",
  ".config/gh/hosts.yml",
  ".cargo/credentials.toml",
  ".yarnrc.yml",
  "keys.kdbx",
];

async function told(cwd: string, options: object = {}) {
  const { manifest, diagnostics } = await loadManifest({ cwd, ...options });
  expect(JSON.stringify(diagnostics)).not.toContain("4711");
  return { prompt: manifest?.declarations[0]?.spec.prompt, diagnostics };
}

function promptFrom(file: string, settings = ""): string {
  return `${settings}contexts:\n  a: { name: A, prompt: !file ${JSON.stringify(file)} }\n`;
}

describe("a file that holds keys by its name", () => {
  test.each(privateNames)("is no prompt: %s", async (file) => {
    const { diagnostics } = await told(projectWith({ "avatarops.yaml": promptFrom(file), [file]: key }));
    expect(diagnostics).toMatchObject([
      {
        code: "private-file",
        message: `${file} is not read: files with such names may hold keys, and its text would be shown`,
        place: { file: "avatarops.yaml", line: 2 },
        hint: `name another file; or, if it holds no keys, write allow_files: [${JSON.stringify(file)}] in the main file`,
      },
    ]);
  });

  test.each(privateNames)("is a prompt where allow_files lists it: %s", async (file) => {
    const settings = `allow_files: [${JSON.stringify(file)}]\n`;
    const cwd = projectWith({ "avatarops.yaml": promptFrom(file, settings), [file]: "You answer." });
    expect(await told(cwd)).toEqual({ prompt: "You answer.", diagnostics: [] });
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
  ])("is not meant by a name like it: %s", async (file) => {
    expect(await told(projectWith({ "avatarops.yaml": promptFrom(file), [file]: "P" }))).toMatchObject({
      prompt: "P",
    });
  });

  test("is allowed by a pattern, and only what matches it", async () => {
    const settings = 'allow_files: ["texts/id_*", ".env.*"]\n';
    const files = { "texts/id_card.md": "P", id_rsa: key, ".env.example": "E", ".env": key };
    const codes = (file: string) =>
      told(projectWith({ ...files, "avatarops.yaml": promptFrom(file, settings) })).then(({ diagnostics }) =>
        diagnostics.map(({ code }) => code),
      );
    const asked = ["texts/id_card.md", ".env.example", "id_rsa", ".env"];
    expect(await Promise.all(asked.map(codes))).toEqual([[], [], ["private-file"], ["private-file"]]);
  });

  test("is judged by what a link leads to, and by the link's own name", async () => {
    const codesOf = async (link: string, target: string, allowed: readonly string[]) => {
      const settings = `allow_files: ${JSON.stringify(allowed)}\n`;
      const cwd = projectWith({ "avatarops.yaml": promptFrom(link, settings), [target]: key });
      mkdirSync(path.dirname(path.join(cwd, link)), { recursive: true });
      symlinkSync(path.join(cwd, target), path.join(cwd, link));
      return (await told(cwd)).diagnostics.map(({ message }) => message.replace(/ is not read.*/, ""));
    };
    const leads = "prompts/a.md, a link to .git/config,";
    expect(await codesOf("prompts/a.md", ".git/config", [])).toEqual([leads]);
    expect(await codesOf("prompts/a.md", ".git/config", ["prompts/a.md"])).toEqual([leads]);
    expect(await codesOf("prompts/a.md", ".git/config", [".git/config"])).toEqual([]);
    expect(await codesOf(".env", "plain.txt", ["plain.txt"])).toEqual([".env"]);
  });

  test("is judged through a folder that is a link", async () => {
    const cwd = projectWith({ "avatarops.yaml": promptFrom("docs/config"), ".git/config": key });
    symlinkSync(".git", path.join(cwd, "docs"));
    expect((await told(cwd)).diagnostics.map(({ code }) => code)).toEqual(["private-file"]);
  });

  test("is not included, by its name or by a pattern", async () => {
    const text = "contexts: { b: { name: B, prompt: P } }\n";
    const files = { "avatarops.yaml": "include: [.env.yaml, 'parts/*.yaml']\n", ".env.yaml": text };
    const { diagnostics } = await told(projectWith({ ...files, "parts/id_x.yaml": text }));
    expect(diagnostics.map(({ message }) => message.replace(/ is not.*/, ""))).toEqual([
      ".env.yaml",
      "parts/id_x.yaml",
    ]);
  });

  test("is not named in front matter, in an environment, in an included file, or as the address that plans show", async () => {
    const file = "!file ../.netrc";
    const cwd = projectWith({
      ".netrc": "https://x:ghp_4711@example.com",
      "avatarops.yaml":
        "include: ['parts/*']\nservice: { base_url: !file .netrc }\nenvironments:\n  e: { contexts: { c: { prompt: !file .netrc } } }\n",
      "parts/b.md": `---\nname: B\nopening_text: ${file}\n---\nP\n`,
      "parts/c.yaml": `contexts: { c: { name: C, prompt: ${file} } }\n`,
    });
    const { diagnostics } = await told(cwd);
    expect(diagnostics.map(({ code, place }) => [code, place?.file, place?.line])).toEqual([
      ["private-file", "avatarops.yaml", 2],
      ["private-file", "avatarops.yaml", 4],
      ["private-file", "parts/b.md", 3],
      ["private-file", "parts/c.yaml", 1],
    ]);
  });

  test("may give the value of a secret and the keys, which are never shown", async () => {
    const cwd = projectWith({
      "avatarops.yaml": `service: { api_key: !file .env }
fingerprint_key: !file certs/f.pem
secrets:
  llm: { secret_name: l, secret_type: LLMPROVIDER_API_KEY, secret_value: !file certs/key.pem }
`,
    });
    expect((await told(cwd)).diagnostics).toEqual([]);
  });

  test("but not the name of a secret, which is shown", async () => {
    const secret = "{ secret_name: !file .env, secret_type: LLMPROVIDER_API_KEY, secret_value: !env A }";
    const cwd = projectWith({ ".env": "ghp_4711", "avatarops.yaml": `secrets: { llm: ${secret} }\n` });
    expect((await told(cwd)).diagnostics.map(({ code }) => code)).toEqual(["private-file"]);
  });

  test("is refused in TypeScript in its words, and allowed there", async () => {
    const config = (props: string) => `import { Context, Project, promptFile } from "avatarops";
const project = new Project(${props});
new Context(project, "a", { name: "A", prompt: promptFile(".env") });
export default project;
`;
    const validate = (props: string) =>
      runIn(projectWith({ ".env": "P 4711", "avatarops.config.ts": config(props) }), ["validate"]);
    const refused = await validate("");
    expect(refused).toMatchObject({ exit: 1 });
    expect(refused.stdout.replace(/\s+/g, " ")).toContain('allowFiles: [".env"]');
    expect(await validate('{ allowFiles: [".env"] }')).toMatchObject({ exit: 0 });
    expect((await validate('{ include: [".env.yaml"] }')).stdout).toContain("private-file");
  });
});

test("an included file of something else shows nothing but its keys", async () => {
  const files = {
    "account.json": '{"type":"account","deep":{"list":["ghp_4711"]},"private_key":"ghp_4711"}',
    "list.json": '["ghp_4711", {"a":"ghp_4711"}]',
    "stack.yaml": "token: ghp_4711 # ghp_4711\nservices: { a: ghp_4711 }\n",
  };
  const { diagnostics } = await told(
    projectWith({ ...files, "avatarops.yaml": "include: ['*.json', stack.yaml]\n" }),
  );
  expect(diagnostics.map(({ code, place }) => `${code} ${place?.text}`)).toEqual([
    ...Array(3).fill('unknown-field {"type":…,"deep":{"list":[…]},"private_key":…}'),
    'wrong-type […, {"a":…}]',
    "unknown-field token: …",
    "unknown-field services: { a: … }",
  ]);
});

test("what may be a secret is shown nowhere, also where a source takes something else", async () => {
  const yaml = `service: { api_key: !azure-key-vault "https://u:4711@v.vault.azure.net/secrets/x", wrong: 4711 }
state: "postgres://u:4711@db/x" # postgres://u:4711@db/x
secrets:
  a: { secret_name: A, secret_type: T, secret_value: !vault { path: a, field: b, address: "https://u:4711@v" } }
  b: { secret_name: B, secret_type: T, secret_value: !env [4711] }
sessions:
  k: { extra: { token: 4711x, list: [{ api_key: 4711x, b: ghp_4711 }], c: !vault { path: a, adress: x4711 } } }
`;
  const { diagnostics } = await told(projectWith({ "avatarops.yaml": yaml }));
  expect(new Set(diagnostics.map(({ place }) => place?.line))).toEqual(new Set([1, 2, 4, 5, 7]));
  expect(JSON.stringify(diagnostics)).not.toContain("4711");
});

test.each<[list: string, code: string]>([
  [".env", "wrong-type"],
  ["[1]", "wrong-type"],
  ["[!env A]", "wrong-type"],
  ["[../.env]", "outside-project"],
])("allow_files must be a list of paths in the project: %s", async (list, code) => {
  const { diagnostics } = await told(projectWith({ "avatarops.yaml": `allow_files: ${list}\n` }));
  expect(diagnostics).toMatchObject([{ code, place: { line: 1 } }]);
});

test("allow_files counts in the main file alone", async () => {
  const { diagnostics } = await told(
    projectWith({
      "avatarops.yaml": `include: [b.yaml]\nenvironments: { e: { allow_files: [.env] } }\n`,
      "b.yaml": `allow_files: [.env]\n${promptFrom(".env")}`,
      ".env": key,
    }),
  );
  expect(diagnostics.map(({ code, place }) => `${place?.file} ${code}`)).toEqual([
    "avatarops.yaml unknown-field",
    "b.yaml unknown-field",
    "b.yaml private-file",
  ]);
});
