import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import { type Project, startProject } from "../cli/hosting.js";
import { conftestTool } from "./tools.js";

const policies = path.resolve("examples/policy");

/** What Conftest said of a document. */
interface Judged {
  readonly exit: number | null;
  readonly refused: readonly string[];
  readonly warned: readonly string[];
}

describe("the policies of examples/policy, judged by Conftest", { tags: "conftest" }, () => {
  test("pass their own tests", () => {
    const { status, stdout, stderr } = conftest("verify", "--policy", policies);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/1[0-9] tests, 1[0-9] passed/);
  });

  test("accept a plan that keeps all of them", async () => {
    const project = await start();
    expect(await judged(project)).toEqual({ exit: 0, refused: [], warned: [] });
  });

  test("refuse an unapproved supersede in production, and accept an approved one or one elsewhere", async () => {
    const project = await applied();
    const rotated = { environment: { LLM_API_KEY: "another-key" } };
    const refused = ["secret.llm: supersede in production needs AVATAROPS_APPROVED=yes"];
    expect(await judged(project, rotated)).toMatchObject({ exit: 1, refused });
    const approved = { ...rotated, approved: "yes" };
    expect(await judged(project, approved)).toMatchObject({ exit: 0, refused: [] });
    expect(await judged(project, { ...rotated, approved: "no" })).toMatchObject({ refused });
    expect(await judged(project, { ...rotated, env: "staging" })).toMatchObject({ exit: 0 });
  });

  test("refuse a prompt in a line of YAML", async () => {
    const project = await start("contexts:\n  desk: { name: Desk, prompt: You help. }\n");
    const refused = ["context.desk: the prompt is not in a file of its own"];
    expect(await judged(project)).toEqual({ exit: 1, refused, warned: [] });
  });

  test("refuse a link to another host", async () => {
    const other = manifest.replace("https://help.example.com/returns", "https://example.com.evil.org/");
    const refused = [
      "context.desk: the link https://example.com.evil.org/ does not lead to one of our hosts",
    ];
    expect(await judged(await start(other))).toEqual({ exit: 1, refused, warned: [] });
  });

  test("refuse a change of many contexts", async () => {
    const contexts = Array.from({ length: 6 }, (_, i) => `  c${i}: { name: C${i}, prompt: !file desk.md }\n`);
    const refused = ["6 contexts change at once; at most 5 may"];
    const project = await start(`contexts:\n${contexts.join("")}${environments}`);
    expect(await judged(project)).toEqual({ exit: 1, refused, warned: [] });
  });

  test("refuse to overwrite an edit made in the account", async () => {
    const project = await applied();
    project.emulator.editContext("Desk", { prompt: "Edited." });
    await project.write("desk.md", "You help, and more.\n");
    const message =
      "context.desk was edited in the account: take the edit with `avatarops pull context.desk`";
    expect(await judged(project)).toEqual({ exit: 1, refused: [message], warned: [] });
  });

  test("refuse any document but a plan, and missing settings", async () => {
    const project = await start();
    const { stdout } = await project.avatarops("validate", "--format", "json");
    expect(judge(project, stdout)).toMatchObject({
      exit: 1,
      refused: ["this is no plan of version 1: run `avatarops plan --format json`"],
    });
    const plan = (await project.avatarops("plan", "--env", "production", "--format", "json")).stdout;
    const { status } = conftestOn(plan, project, ["--policy", policies]);
    expect(status).toBe(1);
  });
});

test("the README has a row for each policy, and its commands are those of the pipeline", () => {
  const readme = readFileSync("examples/policy/README.md", "utf8");
  const files = readdirSync(policies).filter((file) => /(?<!_test)\.rego$/.test(file));
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) expect(readme).toContain(`| \`${file}\` |`);
  expect(readme).toContain(
    "conftest test plan.json --policy examples/policy --data examples/policy/settings.yaml",
  );
});

const environments =
  "environments:\n  production: { state: production.json }\n  staging: { state: staging.json }\n";
const manifest = `contexts:
  desk:
    name: Desk
    prompt: !file desk.md
    links: [{ url: https://help.example.com/returns, faq: Returns }]
secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }
${environments}`;

function start(text = manifest): Promise<Project> {
  const whole = text.includes("environments:") ? text : text + environments;
  return startProject({
    files: { "avatarops.yaml": whole, "desk.md": "You help.\n" },
    world: emptyDataset(),
    environment: { LLM_API_KEY: "a-key" },
  });
}

async function applied(): Promise<Project> {
  const project = await start();
  const apply = ["apply", "--auto-approve", "--env", "production"];
  expect(await project.avatarops(...apply)).toMatchObject({ exit: 0 });
  return project;
}

interface Judging {
  readonly environment?: Readonly<Record<string, string>>;
  readonly env?: string;
  readonly approved?: string;
}

/** Plans as the command does, and has the policies judge the plan. */
async function judged(
  project: Project,
  { environment = {}, env = "production", approved }: Judging = {},
): Promise<Judged> {
  const argv = ["plan", "--env", env, "--format", "json"];
  const { stdout } = await project.avataropsWith({ environment }, ...argv);
  return judge(project, stdout, approved);
}

function judge(project: Project, document: string, approved?: string): Judged {
  const options = ["--policy", policies, "--data", path.join(policies, "settings.yaml")];
  const { status, stdout } = conftestOn(document, project, [...options, "--output", "json"], approved);
  const [{ failures = [], warnings = [] } = {}] = JSON.parse(stdout) as {
    failures?: { msg: string }[];
    warnings?: { msg: string }[];
  }[];
  return { exit: status, refused: failures.map(({ msg }) => msg), warned: warnings.map(({ msg }) => msg) };
}

function conftestOn(document: string, { folder }: Project, options: readonly string[], approved?: string) {
  return spawnSync(conftestTool.program, ["test", "--parser", "json", "-", ...options], {
    cwd: folder,
    input: document,
    encoding: "utf8",
    env: { HOME: folder, ...(approved === undefined ? {} : { AVATAROPS_APPROVED: approved }) },
  });
}

function conftest(...argv: string[]) {
  return spawnSync(conftestTool.program, argv, { encoding: "utf8" });
}
