import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type CommandName, commandPath, hasCommand } from "../../scripts/cdktf/tools.js";
import { exampleManifest } from "../../scripts/docs/example.js";
import { inlineOf, passagesOf } from "../../scripts/docs/passages.js";
import { type Emulator, sampleDataset } from "../../src/emulator/index.js";
import { startEmulator } from "../documented-emulator.js";
import { installing, packInto, succeed } from "../installing.js";
import { isLong } from "../real/long.js";
import { writtenFor } from "./page.js";

/*
 * The example and the app of docs/cdktf.md, deployed as a user's pipeline does it: the real command lines, the real terraform,
 * and the provider as the build has packed it. For the page, what its own lines install, but for the command, which
 * comes from the tools: `AVATAROPS_TEST_WHOLE_INSTALL=1` installs it, too.
 */

const repository = path.resolve(import.meta.dirname, "../..");
const page = "docs/cdktf.md";
const promptFile = "examples/cdktn/prompts/support-desk.md";
const unattended = ["--auto-approve", "--skip-provider-lock", "--no-color"];
// Five starts of a command of which the page below has one in every run.
describe.each(writtenFor)("the example, with %s", { tags: ["terraform", "night"] }, (flavour, written) => {
  const lasts = { timeout: 240_000 };
  test("is deployed, left alone, changed, and forgotten", {
    tags: `${flavour}-command`,
    ...lasts,
  }, async () => {
    const { emulator, run, edit, read, writes } = await startExample(flavour, written);

    await run("npx", flavour, "deploy", "*", ...unattended, "--outputs-file", "outputs.json");
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

    const again = await run("npx", flavour, "deploy", "*", ...unattended);
    expect(again.match(/No changes\./g)).toHaveLength(2);
    expect(writes()).toEqual([]);

    await edit(promptFile, (text) =>
      text.replace("One question at a time", "One question at once, ${customer_name}"),
    );
    const diff = await run("npx", flavour, "diff", "staging", "--skip-provider-lock", "--no-color");
    expect(diff).toContain("0 to add, 1 to change, 0 to destroy");
    expect(diff).toContain("One question at once, ${customer_name}");
    expect(writes()).toEqual([]);

    await run("npx", flavour, "deploy", "*", ...unattended);
    expect(writes().map(({ method }) => method)).toEqual(["PATCH", "PATCH"]);
    const changed = (await read(promptFile)).trimEnd();
    expect(prompts().map((one) => one.prompt)).toEqual([changed, changed]);

    const destroyed = await run("npx", flavour, "destroy", "*", ...unattended);
    expect(destroyed).toContain("The context stays in the account: the service cannot delete contexts.");
    expect(writes()).toEqual([]);
    expect(prompts()).toHaveLength(2);
  });
});

describe("the app of docs/cdktf.md", { tags: "terraform" }, () => {
  const [install = "", byHand = "", inPipeline = ""] = passagesOf(page, "sh");
  const [app = ""] = passagesOf(page, "ts");
  const [settings = ""] = passagesOf(page, "json");
  const whole = process.env.AVATAROPS_TEST_WHOLE_INSTALL === "1";
  let packed: string;
  let archive: string;

  beforeAll(async () => {
    packed = await mkdtemp(path.join(tmpdir(), "avatarops-packed-"));
    archive = await packInto(packed);
  });

  afterAll(() => rm(packed, { recursive: true, force: true }));

  describe.each(writtenFor)("with %s", (flavour, written) => {
    let folder: string;
    // In every run, test/cdktf/package.test.ts has the same constructs installed beside CDK Terrain.
    const night = flavour === "cdktn" ? ["night"] : [];

    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "avatarops-readme-"));
      const [packages = "", ...more] = written(install).trim().split("\n");
      const command = whole ? [inlineOf(page, "npm install --save-dev cdktn-cli")].map(written) : [];
      const lines = [installing(packages, archive), ...command, ...more];
      await succeed("bash", ["-ec", lines.join("\n")], { cwd: folder });
    }, 360_000);

    afterAll(() => rm(folder, { recursive: true, force: true }));

    /** A folder of its own with the app, and with what was installed. */
    const startPage = async () => {
      const made = await startProject(async (project) => {
        await symlink(path.join(folder, "node_modules"), path.join(project, "node_modules"));
        await cp(path.join(folder, "package.json"), path.join(project, "package.json"));
        await writeFile(path.join(project, "main.ts"), written(app));
        await writeFile(path.join(project, "cdktf.json"), settings);
        await mkdir(path.join(project, "prompts"));
        await writeFile(path.join(project, "prompts/returns.md"), "You help ${customer_name}.\n");
      });
      await made.run("npx", ...inlineOf(page, "avatarops terraform install").split(" "));
      return made;
    };

    // On every run on Node 20, that of CDKTF: the command of CDK Terrain needs a later one.
    test("is deployed by its lines for a pipeline", {
      tags: [...night, ...(whole ? [] : [`${flavour}-command`])],
      timeout: 240_000,
    }, async () => {
      const { emulator, run, writes } = await startPage();
      if (!whole) await linkCommand(path.join(folder, "node_modules"), flavour);

      const said = await run("bash", "-ec", written(inPipeline));
      expect(said).toContain("3 to add, 0 to change, 0 to destroy");
      expect(emulator.world.contexts.map(({ name }) => name)).toEqual(["Returns desk"]);
      expect(writes()).not.toEqual([]);

      // The plan that `diff` leaves behind.
      const plan = await run("terraform", "-chdir=cdktf.out/stacks/production", "show", "-json", "plan");
      expect(plan).toContain("llm-production");
      expect(plan).not.toContain("a-key");
    });

    const byLines = "is synthesised and applied by its lines without that command";
    test.skipIf(hasCommand(flavour) && !isLong)(byLines, { tags: night }, async () => {
      const { emulator, run, writes } = await startPage();

      await run("bash", "-ec", byHand);
      expect(emulator.world.contexts.map(({ name }) => name)).toEqual(["Returns desk"]);
      expect(writes()).not.toEqual([]);

      const again = await run("bash", "-ec", byHand);
      expect(again).toContain("No changes.");
      expect(writes()).toEqual([]);
    });

    const whollyByLine = "takes a whole project by its line";
    test(whollyByLine, { tags: night }, async () => {
      const { run, edit, read } = await startPage();
      const line = inlineOf(page, "await AvatarManifest");
      await edit("main.ts", (text) =>
        text
          .replace("{ Avatar,", "{ Avatar, AvatarManifest,")
          .replace("app.synth()", `${line};\napp.synth()`),
      );
      await edit("avatarops.yaml", () => `${exampleManifest}environments: { staging: {} }\n`);

      await run("npx", "tsx", "main.ts");
      const { resource } = JSON.parse(await read("cdktf.out/stacks/production/cdk.tf.json"));
      const names = Object.values<{ name: string }>(resource.avatarops_context).map(({ name }) => name);
      expect(names).toEqual(["Returns desk", "Returns desk"]);
    });
  });
});

interface Project {
  readonly emulator: Emulator;
  /** Runs a command in the project, which must succeed; what it said. */
  run(command: string, ...args: string[]): Promise<string>;
  read(file: string): Promise<string>;
  edit(file: string, change: (text: string) => string): Promise<void>;
  /** The requests since the last call that may have changed something. */
  writes(): { readonly method: string; readonly path: string }[];
}

/** The example with the `cdktf.json` that runs it, where the package and the tools are at hand as if installed there. */
function startExample(name: CommandName, written: (text: string) => string): Promise<Project> {
  return startProject(async (folder) => {
    const example = path.join(folder, "examples/cdktn");
    await cp(path.join(repository, "examples/cdktn"), example, { recursive: true });
    await cp(path.join(repository, "cdktf.json"), path.join(folder, "cdktf.json"));
    for (const file of ["main.ts", "front-desk.ts"].map((one) => path.join(example, one)))
      await writeFile(file, written(await readFile(file, "utf8")));
    const modules = path.join(folder, "node_modules");
    await linkAll(path.join(repository, "node_modules"), modules);
    await linkAll(path.join(repository, "node_modules/.bin"), path.join(modules, ".bin"));
    await symlink(repository, path.join(modules, "avatarops"));
    await linkCommand(modules, name);
  }, mirrored);
}

/** The command, as if it had been installed there. */
async function linkCommand(modules: string, name: CommandName): Promise<void> {
  await symlink(commandPath(name), path.join(modules, ".bin", name));
}

/** A folder of its own with an account of its own. */
async function startProject(
  fill: (folder: string) => Promise<void>,
  configuration: (root: string) => Promise<string> = async () => "",
): Promise<Project> {
  const root = await mkdtemp(path.join(tmpdir(), "avatarops-deploy-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = path.join(root, "work");
  await mkdir(path.join(root, "home"));
  await mkdir(folder);
  await fill(folder);
  await writeFile(path.join(root, "terraformrc"), await configuration(root));

  const emulator = await startEmulator({
    world: { ...sampleDataset(Date.now()), contexts: [], secrets: [] },
  });
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
    run: (command, ...args) => succeed(command, args, { cwd: folder, env }),
    read: (file) => readFile(path.join(folder, file), "utf8"),
    edit: async (file, change) =>
      writeFile(
        path.join(folder, file),
        change(await readFile(path.join(folder, file), "utf8").catch(() => "")),
      ),
    writes() {
      const fresh = emulator.requests.slice(told);
      told = emulator.requests.length;
      return fresh.filter(({ method }) => method !== "GET");
    },
  };
}

/** Terraform's own configuration: providers come from the mirror of the last build. */
async function mirrored(root: string): Promise<string> {
  // A copy: terraform notes the digest of what it takes from it, and a build beside this test makes others.
  const mirror = path.join(root, "mirror");
  await cp(path.join(repository, "dist/terraform"), mirror, { recursive: true });
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
