// @module-tag night
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type CommandName, findCommand, hasCommand } from "../../scripts/cdktf/commands.js";
import { findInline, findPassages } from "../../scripts/docs/passages.js";
import { createSampleDataset, type Emulator } from "../../src/emulator/index.js";
import { startEmulator } from "../documented-emulator.js";
import { adaptInstallLine, packInto, runProgram } from "../installing.js";
import { isLong } from "../real/long.js";
import { writtenFor } from "./page.js";

/**
 * Deploys the app in docs/cdktf.md like a user's pipeline, with the real CLIs, terraform and packed provider.
 * The page's commands install everything except the CDK command, which is linked from tools/.
 * `AVATAROPS_TEST_WHOLE_INSTALL=1` also installs the CDK command.
 */

const page = "docs/cdktf.md";

describe("app in docs/cdktf.md", { tags: "terraform" }, () => {
  const [install = "", byHand = "", inPipeline = ""] = findPassages(page, "sh");
  const [app = ""] = findPassages(page, "ts");
  const [settings = "", compiler = ""] = findPassages(page, "json");
  const whole = process.env.AVATAROPS_TEST_WHOLE_INSTALL === "1";
  let packed: string;
  let archive: string;

  beforeAll(async () => {
    packed = await mkdtemp(path.join(tmpdir(), "avatarops-packed-"));
    archive = await packInto(packed);
  });

  afterAll(() => rm(packed, { recursive: true, force: true }));

  describe.each(writtenFor)("with %s", (flavor, written) => {
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "avatarops-readme-"));
      const lines = written(install).trim().split("\n");
      const command = whole ? [findInline(page, "npm install --save-dev cdktn-cli")].map(written) : [];
      const packed = lines.map((line) =>
        line.startsWith("npm install ") ? adaptInstallLine(line, archive) : line,
      );
      await runProgram("bash", ["-ec", [...packed, ...command].join("\n")], { cwd: folder });
    }, 360_000);

    afterAll(() => rm(folder, { recursive: true, force: true }));

    /** Creates a folder with the app and the installed packages. */
    const startPage = async () => {
      const made = await startProject(async (project) => {
        await symlink(path.join(folder, "node_modules"), path.join(project, "node_modules"));
        await cp(path.join(folder, "package.json"), path.join(project, "package.json"));
        await writeFile(path.join(project, "main.ts"), written(app));
        await writeFile(path.join(project, "cdktf.json"), settings);
        await writeFile(path.join(project, "tsconfig.json"), compiler);
        await mkdir(path.join(project, "prompts"));
        await writeFile(path.join(project, "prompts/returns.md"), "You help ${customer_name}.\n");
      });
      await made.run("npx", ...findInline(page, "avatarops terraform install").split(" "));
      return made;
    };

    // The CDKTF command needs Node 20 or 22. The CDK Terrain command needs Node 22.19 or later.
    test("deploys with the pipeline commands on the page", {
      tags: whole ? [] : [`${flavor}-command`],
    }, async () => {
      const { emulator, run, writes } = await startPage();
      if (!whole) await linkCommand(path.join(folder, "node_modules"), flavor);

      const output = await run("bash", "-ec", written(inPipeline));
      expect(output).toContain("3 to add, 0 to change, 0 to destroy");
      expect(emulator.world.contexts.map(({ name }) => name)).toEqual(["Returns desk"]);
      expect(writes()).not.toEqual([]);

      // Shows the plan file written by `diff`.
      const plan = await run("terraform", "-chdir=cdktf.out/stacks/production", "show", "-json", "plan");
      expect(plan).toContain("llm-production");
      expect(plan).not.toContain("a-key");
    });

    const byLines = "is synthesized and applied by its lines without that command";
    test.skipIf(hasCommand(flavor) && !isLong)(byLines, async () => {
      const { emulator, run, writes } = await startPage();

      await run("bash", "-ec", byHand);
      expect(emulator.world.contexts.map(({ name }) => name)).toEqual(["Returns desk"]);
      expect(writes()).not.toEqual([]);

      const again = await run("bash", "-ec", byHand);
      expect(again).toContain("No changes.");
      expect(writes()).toEqual([]);
    });
  });
});

interface Project {
  readonly emulator: Emulator;
  /** Runs a command in the project, which must succeed, and returns its output. */
  run(command: string, ...args: string[]): Promise<string>;
  /** Returns the write requests since the last call. */
  writes(): { readonly method: string; readonly path: string }[];
}

/** Links the command instead of installing it. */
async function linkCommand(modules: string, name: CommandName): Promise<void> {
  await symlink(findCommand(name), path.join(modules, ".bin", name));
}

/** Creates a project folder and a separate account. */
async function startProject(fill: (folder: string) => Promise<void>): Promise<Project> {
  const root = await mkdtemp(path.join(tmpdir(), "avatarops-deploy-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = path.join(root, "work");
  await mkdir(path.join(root, "home"));
  await mkdir(folder);
  await fill(folder);
  await writeFile(path.join(root, "terraformrc"), "");

  const emulator = await startEmulator({
    world: { ...createSampleDataset(Date.now()), contexts: [], secrets: [] },
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
  let previousCount = 0;
  return {
    emulator,
    run: (command, ...args) => runProgram(command, args, { cwd: folder, env }),
    writes() {
      const fresh = emulator.requests.slice(previousCount);
      previousCount = emulator.requests.length;
      return fresh.filter(({ method }) => method !== "GET");
    },
  };
}
