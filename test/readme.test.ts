// @module-tag ci
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir, userInfo } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { newWorkspace } from "../packages/terraform-plugin/test/terraform.js";
import {
  createExampleDataset,
  editedPrompt,
  exampleManifest,
  examplePrompt,
} from "../scripts/docs/example.js";
import { findInline, findPassages, passages } from "../scripts/docs/passages.js";
import { createEmptyDataset } from "../src/emulator/index.js";
import { newFolder, type Project, startProject } from "./cli/hosting.js";
import { readLines, replaceVaryingParts } from "./docs/printed.js";
import { adaptInstallLine, type Ended, execute, packInto, runProgram } from "./installing.js";
import { createKeyVariables, tasks } from "./readme-tasks.js";
import { findFreePort } from "./stores/starting.js";

/*
 * Installs the packed checkout with the README's install line, then runs passages from the README and docs pages.
 * Each task starts with the applied example and its own setup steps.
 */

let installed: string;

beforeAll(async () => {
  installed = await mkdtemp(path.join(tmpdir(), "avatarops-readme-"));
  const line = adaptInstallLine(findInline("README.md", "npm install --global"), await packInto(installed));
  await runProgram("bash", ["-ec", line], {
    cwd: installed,
    env: { ...process.env, npm_config_prefix: installed },
  });
});

afterAll(() => rm(installed, { recursive: true, force: true }));

describe("README example", () => {
  test("prints the plan shown in the README's screenshot", async () => {
    const project = await startReadmeExample();
    await project.write("prompts/returns.md", editedPrompt);

    const { exit, stdout } = await runLine(
      project,
      "COLUMNS=80 avatarops plan",
      createKeyVariables("a-new-key"),
    );

    expect(exit).toBe(0);
    const [, , ...shown] = readLines(readFileSync("docs/images/plan.svg", "utf8"));
    expect(replaceVaryingParts(stdout).trimEnd().split("\n")).toEqual(shown.map(replaceVaryingParts));
  });
});

describe("TypeScript example", () => {
  test("produces the same plan as the YAML example", async () => {
    const project = await startReadmeExample();
    await project.write("avatarops.config.ts", findPassages("docs/configuration.md", "ts")[0] ?? "");
    for (const file of ["avatarops.yaml", "avatarops.config.ts"]) {
      const planned = await runLine(project, `avatarops plan --detailed-exitcode --file ${file}`);
      expect(planned).toMatchObject({ exit: 0 });
      const { stdout } = await runLine(project, `avatarops token kiosk --file ${file}`);
      expect(stdout).toMatch(/^session-token-/);
    }
  });
});

describe("README start section", () => {
  const [inClone = "", install = "", emulate = "", settings = ""] = findPassages("README.md", "sh", "Start");

  test("starts with the commands that CI runs in a new clone", () => {
    const [, ran = ""] = /^(git clone .*\n(?:step .*\n)+)/m.exec(readFileSync(".ci/run", "utf8")) ?? [];
    const [clone, ...steps] = ran.trim().split("\n");
    const [ownClone, ...commands] = inClone.trim().split("\n");
    for (const line of [clone, ownClone]) expect(line).toMatch(/^git clone /);
    expect(commands).toHaveLength(2);
    expect(steps).toEqual(commands.map((command) => `step run_bare ${command}`));
  });

  test("makes the `avatarops` command from a clone available in other folders", async () => {
    const [, link = ""] = /^npm ci && (.*)$/m.exec(install) ?? [];
    const prefix = await newFolder();
    const env = { ...process.env, npm_config_prefix: prefix };
    await runProgram("bash", ["-ec", link], { cwd: path.resolve(import.meta.dirname, ".."), env });
    const ran = await execute(path.join(prefix, "bin/avatarops"), ["--version"], { cwd: prefix, env });
    expect(ran).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  test("starts an emulator that prints the settings for a second terminal", async () => {
    const folder = await newFolder();
    const project = { folder, emulator: undefined };
    const port = await findFreePort();
    // The default port may be in use on the test machine.
    const here = (text: string) => text.replaceAll("8642", `${port}`);
    expect(here(settings)).toContain(`:${port}`);
    const child = spawn("bash", ["-ec", `exec ${emulate.trim()} --port ${port}`], {
      cwd: folder,
      env: createSurroundings(folder),
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(async () => {
      if (child.kill()) await once(child, "exit");
    });
    let output = "";
    const [line = ""] = here(settings).split("\n");
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
        child.emit("output");
      });
    while (!output.includes(line)) await once(child, "output");

    expect(await runLine(project, here(settings))).toMatchObject({ exit: 0 });
    while (!output.includes("GET")) await once(child, "output");
  });
});

/** Passages run by other tests. */
const elsewhere = [
  ...findPassages("README.md", "sh", "Start"),
  ...findPassages("docs/quickstart.md", "sh"),
  ...findPassages("docs/terraform.md", "sh").slice(1),
  ...findPassages("docs/cdktf.md", "sh"),
  ...findPassages("docs/templates.md", "sh"),
  ...findPassages("docs/commands.md", "sh", "Install a commit"),
];
const lines = passages
  .filter(({ language, text }) => language === "sh" && !elsewhere.includes(text))
  .map(({ text }) => text.trim().split("\n"));

describe("tasks in the README and docs pages", () => {
  test.each(lines.map((task) => [task[0] ?? "", task] as const))(
    "run as written: %s",
    async (first, task) => {
      const [name = "no task"] = Object.keys(tasks).filter((words) =>
        listCommandWords(first).startsWith(words),
      );
      const { environment = {}, asks = false, before, after } = tasks[name] ?? {};
      expect(tasks).toHaveProperty([name]);
      const project = await startReadmeExample();
      await before?.(project, runLine);

      const ran: Ended[] = [];
      for (const line of task) ran.push(await (asks ? runAtTerminal : runLine)(project, line, environment));

      expect(ran.map(({ exit, stdout, stderr }) => (exit === 0 ? 0 : stdout + stderr))).toEqual(
        task.map(() => 0),
      );
      await after?.(project, ran, runLine);
    },
  );

  test("contain a line for every entry in readme-tasks.ts", () => {
    const firsts = lines.map(([first = ""]) => listCommandWords(first));
    expect(Object.keys(tasks).filter((words) => !firsts.some((first) => first.startsWith(words)))).toEqual(
      [],
    );
  });
});

describe("migration to Terraform", { tags: "terraform" }, () => {
  test("leads from a context in YAML to an empty Terraform plan", async () => {
    const { emulator } = await startProject({ world: createEmptyDataset() });
    emulator.addContext({
      name: "Returns desk",
      prompt: "You help visitors return a bicycle.",
      opening_text: "Hi, how can I help?",
    });
    const [context] = emulator.world.contexts;
    const [install = "", commands = ""] = findPassages("docs/terraform.md", "sh");
    const [, id = ""] = /terraform import \S+ (\S+)/.exec(commands) ?? [];
    Object.assign(context ?? {}, { id });
    const environment = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" };
    const terraform = await newWorkspace({ files: {}, environment });

    const env = createSurroundings(path.resolve(terraform.folder, "../home"));
    await runProgram("bash", ["-ec", install], { cwd: terraform.folder, env });
    await terraform.write({
      "main.tf": findPassages("docs/terraform.md", "hcl")[0] ?? "",
      "prompts/returns.md": "You help visitors return a bicycle.\n",
    });
    const outputs: string[] = [];
    for (const line of commands.trim().split("\n"))
      outputs.push(await terraform.succeed(...line.split(" ").slice(1)));

    expect(outputs.at(-1)).toContain("No changes");
  });
});

/** Applies the example to the sample account. */
async function startReadmeExample(): Promise<Project> {
  const files = { "avatarops.yaml": exampleManifest, "prompts/returns.md": examplePrompt };
  const environment = { LLM_API_KEY: "a-key" };
  const project = await startProject({ files, world: createExampleDataset(), environment });
  // Uses the same user as the installed command.
  const { username: USER } = userInfo();
  const setting = { hostname: hostname(), environment: { USER } };
  expect(await project.avataropsWith(setting, "apply", "--auto-approve")).toMatchObject({ exit: 0 });
  return project;
}

type ExampleProject = Pick<Project, "folder"> & { readonly emulator?: Project["emulator"] | undefined };

/**
 * Runs a README line in the project's folder with the installed command on the path. If the line stores a token in a
 * variable, prints the token.
 */
async function runLine(
  example: ExampleProject,
  line: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { cwd, env } = await prepareSurroundings(example, more);
  return execute("bash", ["-ec", `${line}\n[ -z "\${TOKEN:-}" ] || echo "$TOKEN"`], { cwd, env });
}

/** Runs a line at a terminal and confirms the prompt. */
async function runAtTerminal(
  example: ExampleProject,
  line: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const given = { ...(await prepareSurroundings(example, more)), typed: "yes\n" };
  return execute("script", ["--quiet", "--return", "--command", line, "/dev/null"], given);
}

async function prepareSurroundings(
  { folder, emulator }: ExampleProject,
  more: Readonly<Record<string, string>>,
) {
  const home = path.join(folder, "home");
  await mkdir(home, { recursive: true });
  const account = emulator ? { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" } : {};
  return { cwd: folder, env: { ...createSurroundings(home), LLM_API_KEY: "a-key", ...account, ...more } };
}

/**
 * Returns environment variables for the machine's programs and the installed command. All runs share one compile cache.
 */
function createSurroundings(home: string): Record<string, string> {
  return {
    PATH: `${path.join(installed, "bin")}${path.delimiter}${process.env.PATH}`,
    HOME: home,
    XDG_CACHE_HOME: path.join(installed, "caches"),
  };
}

function listCommandWords(line: string): string {
  return (/avatarops ([^)>]*)/.exec(line)?.[1] ?? line).trim();
}
