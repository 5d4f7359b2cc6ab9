import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasTools, toolsFolder } from "../../scripts/cdktf/tools.js";
import { type Emulator, sampleWorld, startEmulator } from "../../src/emulator/index.js";
import { hasTerraform } from "../terraform/terraform.js";

/*
 * The example and the README, deployed as a user's pipeline does it: the real command lines, the real terraform, and the
 * provider as the build has packed it.
 */

const repository = path.resolve(import.meta.dirname, "../..");
const promptFile = "examples/cdktf/prompts/support-desk.md";
const unattended = ["--auto-approve", "--skip-provider-lock", "--no-color"];
const [, section = ""] =
  /^## CDKTF\n(.*?)^## /ms.exec(readFileSync(path.join(repository, "README.md"), "utf8")) ?? [];

describe.skipIf(!hasTerraform || !hasTools())("the example on the command line of CDKTF", () => {
  test("is deployed, left alone, changed, and forgotten", { timeout: 240_000 }, async () => {
    const { emulator, run, edit, read, writes } = await startExample();

    await run("npx", "cdktf", "deploy", "*", ...unattended, "--outputs-file", "outputs.json");
    const { staging, production } = JSON.parse(await read("outputs.json"));
    const prompts = () => emulator.world.contexts.map(({ id, name, prompt }) => ({ id, name, prompt }));
    const prompt = (await read(promptFile)).trimEnd();
    expect(prompts()).toEqual(
      expect.arrayContaining([
        { id: staging.context_id, name: "Support desk (staging)", prompt },
        { id: production.context_id, name: "Support desk", prompt },
      ]),
    );
    expect(emulator.world.secrets.map(({ id }) => emulator.secretValue(id))).toEqual(["a-key", "a-key"]);
    expect(writes()).not.toEqual([]);

    const again = await run("npx", "cdktf", "deploy", "*", ...unattended);
    expect(again.match(/No changes\./g)).toHaveLength(2);
    expect(writes()).toEqual([]);

    await edit(promptFile, (text) =>
      text.replace("One question at a time", "One question at once, ${customer_name}"),
    );
    const diff = await run("npx", "cdktf", "diff", "staging", "--skip-provider-lock", "--no-color");
    expect(diff).toContain("0 to add, 1 to change, 0 to destroy");
    expect(diff).toContain("One question at once, ${customer_name}");
    expect(writes()).toEqual([]);

    await run("npx", "cdktf", "deploy", "*", ...unattended);
    expect(writes().map(({ method }) => method)).toEqual(["PATCH", "PATCH"]);
    const changed = (await read(promptFile)).trimEnd();
    expect(prompts().map((one) => one.prompt)).toEqual([changed, changed]);

    const destroyed = await run("npx", "cdktf", "destroy", "*", ...unattended);
    expect(destroyed).toContain("The context stays in the account: the service offers no delete.");
    expect(writes()).toEqual([]);
    expect(prompts()).toHaveLength(2);
  });
});

describe.skipIf(!hasTerraform)("the README's app", () => {
  const [, inPipeline = "", byHand = ""] = blocks("sh");

  test.skipIf(!hasTools())("is deployed by its lines for a pipeline", { timeout: 120_000 }, async () => {
    const { emulator, run, writes } = await startReadme();

    const said = await run("bash", "-ec", inPipeline);
    expect(said).toContain("3 to add, 0 to change, 0 to destroy");
    expect(emulator.world.contexts.map(({ name }) => name)).toEqual(["Returns desk"]);
    expect(writes()).not.toEqual([]);

    // The plan that `diff` leaves behind.
    const plan = await run("terraform", "-chdir=cdktf.out/stacks/production", "show", "-json", "plan");
    expect(plan).toContain("llm-production");
    expect(plan).not.toContain("a-key");
  });

  test.each([
    ["cdktf", (text: string) => text],
    ["cdktn", inCdkTerrain],
  ])(
    "is synthesised and applied by its lines without that command, with %s",
    { timeout: 60_000 },
    async (_, said) => {
      const { emulator, run, edit, writes } = await startReadme();
      await edit("main.ts", said);

      await run("bash", "-ec", byHand);
      expect(emulator.world.contexts.map(({ name }) => name)).toEqual(["Returns desk"]);
      expect(writes()).not.toEqual([]);

      const again = await run("bash", "-ec", byHand);
      expect(again).toContain("No changes.");
      expect(writes()).toEqual([]);
    },
  );
});

/** As the README says that it is to be written for CDK Terrain. */
function inCdkTerrain(text: string): string {
  const [app = ""] = /`(new App\(\{.*?\}\))`/.exec(section)?.slice(1) ?? [];
  expect(text).toContain("new App()");
  return text.replaceAll("cdktf", "cdktn").replace("new App()", app);
}

function blocks(language: string): string[] {
  const found = section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"));
  return Array.from(found, ([, text = ""]) => text);
}

interface Project {
  readonly emulator: Emulator;
  /** Runs a command in the project, which must succeed; what it said. */
  run(command: string, ...args: string[]): Promise<string>;
  read(file: string): Promise<string>;
  edit(file: string, change: (text: string) => string): Promise<void>;
  /** The requests since the last call that may have changed something. */
  writes(): { readonly method: string; readonly path: string }[];
}

/** The README's app. */
function startReadme(): Promise<Project> {
  const [app = ""] = blocks("ts");
  const [settings = ""] = blocks("json");
  return startProject(async (folder) => {
    await writeFile(path.join(folder, "main.ts"), app);
    await writeFile(path.join(folder, "cdktf.json"), settings);
    await mkdir(path.join(folder, "prompts"));
    await writeFile(path.join(folder, "prompts/returns.md"), "You help ${customer_name}.\n");
  });
}

/** The example with the `cdktf.json` that runs it. */
function startExample(): Promise<Project> {
  return startProject(async (folder) => {
    for (const name of ["cdktf.json", "examples/cdktf"])
      await cp(path.join(repository, name), path.join(folder, name), { recursive: true });
  });
}

/** A folder of its own, where the package and the tools are at hand as if they had been installed there. */
async function startProject(fill: (folder: string) => Promise<void>): Promise<Project> {
  const root = await mkdtemp(path.join(tmpdir(), "avatarops-deploy-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = path.join(root, "work");
  await mkdir(path.join(root, "home"));
  await mkdir(folder);
  await fill(folder);
  const modules = path.join(folder, "node_modules");
  await linkAll(path.join(repository, "node_modules"), modules);
  await linkAll(path.join(repository, "node_modules/.bin"), path.join(modules, ".bin"));
  await symlink(repository, path.join(modules, "avatarops"));
  await symlink(path.join(toolsFolder, "node_modules/.bin/cdktf"), path.join(modules, ".bin/cdktf"));
  // Of its own, too: terraform notes the digest of what it takes from it, and a build beside this test makes others.
  const mirror = path.join(root, "mirror");
  await cp(path.join(repository, "dist/terraform"), mirror, { recursive: true });
  await writeFile(path.join(root, "terraformrc"), installationFrom(mirror));

  const emulator = await startEmulator({ world: { ...sampleWorld(Date.now()), contexts: [], secrets: [] } });
  onTestFinished(() => emulator.close());
  const env = {
    PATH: process.env.PATH,
    HOME: path.join(root, "home"),
    CI: "1",
    CHECKPOINT_DISABLE: "1",
    TF_CLI_CONFIG_FILE: path.join(root, "terraformrc"),
    AVATAROPS_BASE_URL: emulator.url,
    AVATAROPS_API_KEY: "test-key",
    TF_VAR_llm_api_key: "a-key",
  };
  let told = 0;
  return {
    emulator,
    run: (command, ...args) => runIn(folder, env, command, args),
    read: (file) => readFile(path.join(folder, file), "utf8"),
    edit: async (file, change) =>
      writeFile(path.join(folder, file), change(await readFile(path.join(folder, file), "utf8"))),
    writes() {
      const fresh = emulator.requests.slice(told);
      told = emulator.requests.length;
      return fresh.filter(({ method }) => method !== "GET");
    },
  };
}

/** Terraform's own configuration: providers come from this folder. */
function installationFrom(mirror: string): string {
  return `provider_installation {
    filesystem_mirror {
      path = ${JSON.stringify(mirror)}
    }
  }`;
}

async function linkAll(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const name of await readdir(from))
    if (name !== ".bin") await symlink(path.join(from, name), path.join(to, name));
}

function runIn(
  cwd: string,
  env: NodeJS.ProcessEnv,
  command: string,
  args: readonly string[],
): Promise<string> {
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exit) =>
      exit === 0
        ? resolve(said)
        : reject(new Error(`${command} ${args.join(" ")} ended with ${exit}:\n${said}`)),
    );
  });
}
