import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { tools } from "../../scripts/tools.js";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { type Project, startProject } from "../cli/hosting.js";

const policies = path.resolve("examples/policy");

/** Conftest's result for a document. */
interface Judged {
  readonly exit: number | null;
  readonly refused: readonly string[];
  readonly warned: readonly string[];
}

describe("examples/policy in Conftest", { tags: "conftest" }, () => {
  test("passes its own tests", () => {
    const verify = ["verify", "--policy", policies];
    const { status, stdout, stderr } = spawnSync(tools.conftest.path, verify, { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/1[0-9] tests, 1[0-9] passed/);
  });

  test("accepts a valid plan and names each violation in an invalid plan", async () => {
    const kept = await start(manifest);
    expect(judge(kept, await readPlan(kept))).toEqual({ exit: 0, refused: [], warned: [] });
    const desk = { name: "Desk", links: [{ url: "https://example.com.evil.org/", faq: "Returns" }] };
    const contexts = Array.from({ length: 6 }, (_, i) => [
      `c${i}`,
      { ...desk, name: `C${i}`, prompt: "You help." },
    ]);
    const broken = await start(JSON.stringify({ contexts: Object.fromEntries(contexts) }));
    const { exit, refused } = judge(broken, await readPlan(broken));
    expect(exit).toBe(1);
    expect(refused).toEqual(
      expect.arrayContaining([
        "6 contexts change at once, but at most 5 can",
        "context.c0: the prompt is not in a file of its own",
        "context.c0: the link https://example.com.evil.org/ does not lead to one of our hosts",
      ]),
    );
  });

  test("denies overwriting a dashboard edit and superseding a secret without approval", async () => {
    const project = await start(manifest);
    expect(await project.avatarops("apply", "--auto-approve", ...production)).toMatchObject({ exit: 0 });
    project.emulator.editContext("Desk", { prompt: "Edited." });
    await project.write("desk.md", "You help, and more.\n");
    const rotated = { environment: { LLM_API_KEY: "another-key" } };
    const { stdout } = await project.avataropsWith(rotated, "plan", "--format", "json", ...production);
    const edited =
      "context.desk was edited in the account. Keep the edit with `avatarops pull context.desk`.";
    const supersede = "secret.llm: supersede in production needs AVATAROPS_APPROVED=yes";
    expect(judge(project, stdout).refused.toSorted()).toEqual([edited, supersede]);
    expect(judge(project, stdout, "yes").refused).toEqual([edited]);
  });

  test("denies documents other than plans", async () => {
    const project = await start(manifest);
    const { stdout } = await project.avatarops("validate", "--format", "json");
    const refused = ["this is not a plan of version 1. Run `avatarops plan --format json`."];
    expect(judge(project, stdout)).toMatchObject({ exit: 1, refused });
  });
});

test("lists each Conftest policy and the pipeline's command in examples/policy/README.md", () => {
  const readme = readFileSync("examples/policy/README.md", "utf8");
  const files = readdirSync(policies).filter((file) => /(?<!_test)\.rego$/.test(file));
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) expect(readme).toContain(`| \`${file}\` |`);
  expect(readme).toContain(
    "conftest test plan.json --policy examples/policy --data examples/policy/settings.yaml",
  );
});

const production = ["--env", "production"];
const manifest = `contexts:
  desk:
    name: Desk
    prompt: !file desk.md
    links: [{ url: https://help.example.com/returns, faq: Returns }]
secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }
`;

function start(text: string): Promise<Project> {
  const environments = "environments: { production: { state: production.json } }\n";
  return startProject({
    files: {
      "avatarops.yaml": `include: [objects.yaml]\n${environments}`,
      "objects.yaml": text,
      "desk.md": "You help.\n",
    },
    world: createEmptyDataset(),
    environment: { LLM_API_KEY: "a-key" },
  });
}

/** Returns the plan printed by the command. */
async function readPlan(project: Project): Promise<string> {
  return (await project.avatarops("plan", "--format", "json", ...production)).stdout;
}

/** Evaluates the policies for a document. */
function judge({ folder }: Project, document: string, approved?: string): Judged {
  const options = ["--policy", policies, "--data", path.join(policies, "settings.yaml"), "--output", "json"];
  const { status, stdout } = spawnSync(tools.conftest.path, ["test", "--parser", "json", "-", ...options], {
    cwd: folder,
    input: document,
    encoding: "utf8",
    env: { HOME: folder, ...(approved === undefined ? {} : { AVATAROPS_APPROVED: approved }) },
  });
  const [{ failures = [], warnings = [] } = {}] = JSON.parse(stdout) as {
    failures?: { msg: string }[];
    warnings?: { msg: string }[];
  }[];
  return { exit: status, refused: failures.map(({ msg }) => msg), warned: warnings.map(({ msg }) => msg) };
}
