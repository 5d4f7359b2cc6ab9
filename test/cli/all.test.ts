/** Runs commands with `--all` on every project in a repository. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findPassages } from "../../scripts/docs/passages.js";
import { createStopper, matchText, newFolder, type Project, startProject } from "./hosting.js";
import { commit, git } from "./in-git.js";

const formatContexts = (prompt: string) =>
  `contexts: { desk: { name: Desk, prompt: ${JSON.stringify(prompt)} } }\n`;
const environments = "environments: { staging: { state: s.json }, production: { state: p.json } }\n";
const text = "You are the desk.\n";
const files = {
  "support/avatarops.yaml": `include: [contexts/*.md]\n${formatContexts("Be kind.")}${environments}`,
  "support/contexts/night.md": `---\nname: Night\n---\n${text}`,
  "support/notes.txt": "Not of the project.\n",
  "Über uns/вопросы/avatarops.yaml": `${formatContexts("Sei freundlich.")}`,
  "support/inner/avatarops.yaml": "contexts: { c: { name: C, prompt: !file prompt.md } }\n",
  "support/inner/prompt.md": text,
  "billing/avatarops.yaml": `service: { api_key: !env BILLING_KEY }\n${formatContexts("Be exact.")}`,
  "node_modules/p/avatarops.yaml": formatContexts("Of a package."),
  ".hidden/avatarops.yaml": formatContexts("Hidden."),
};

async function startRepository(more: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = await startProject({
    files: { ...files, ...more },
    environment: { BILLING_KEY: "wrong" },
  });
  git(project, "init", "--quiet", "--initial-branch=main");
  commit(project);
  return project;
}

interface All {
  readonly exit: number;
  readonly changed_since?: string;
  readonly projects: readonly {
    project: string;
    environment?: string;
    order?: number;
    exit: number;
    counts: string;
    result?: object;
  }[];
  readonly unchanged: readonly object[];
  readonly deleted: readonly string[];
}

async function runAll(project: Project, ...argv: string[]): Promise<All> {
  const ran = await project.avatarops(...argv, "--all", "--format", "json");
  const document = JSON.parse(ran.stdout) as All;
  expect(document, ran.stdout + ran.stderr).toMatchObject({ format: "avatarops/projects", exit: ran.exit });
  return document;
}

const nameProjects = ({ projects }: All) =>
  projects.map(({ project, environment }) =>
    [project.replace("/avatarops.yaml", ""), environment].filter(Boolean).join(" "),
  );

test("plans each project and environment with --all even if one project fails", async () => {
  const project = await startRepository();
  const found = await runAll(project, "plan");
  expect(nameProjects(found)).toEqual([
    ...["billing", "support staging", "support production", "support/inner", "Über uns/вопросы"],
  ]);
  expect(found.exit).toBe(1);
  const [billing] = found.projects;
  expect(billing).toMatchObject({
    ...{ project: "billing/avatarops.yaml", exit: 1, counts: matchText("BILLING_KEY") },
    result: { format: "avatarops/error" },
  });
  const others = found.projects.slice(1);
  expect(others.map(({ exit }) => exit)).toEqual(others.map(() => 0));
  expect(others[0]).toMatchObject({ result: { format: "avatarops/plan", exit: "changes" } });
  expect(found).toMatchObject({ unchanged: [], deleted: [] });
});

test("returns the worst exit code of all projects with --all, and lists each project within 80 columns", async () => {
  const project = await startRepository();
  const some = await project.avatarops("plan", "--all", "--path", "!billing", "--detailed-exitcode");
  expect(some).toMatchObject({ exit: 2, stderr: "" });
  expect(some.stdout).toContain("Project support/avatarops.yaml (staging)");
  expect(some.stdout).toMatch(/All projects\n {2}project +environment +result/);
  expect(some.stdout).toMatch(/вопросы\/avatarops\.yaml +1 to create; 0 unchanged/);
  const whole = await project.avatarops("plan", "--all", "--detailed-exitcode", "--env", "staging");
  expect(whole.exit).toBe(2);
  const broken = await startRepository({ "broken/avatarops.yaml": "contexts: 7\n" });
  const validated = await broken.avatarops("validate", "--all");
  expect(validated).toMatchObject({ exit: 1 });
  expect(validated.stdout).toContain("broken/avatarops.yaml:1:11");
  // Valid projects appear only in the table.
  expect(validated.stdout.match(/^Project .*/gm)).toEqual(["Project broken/avatarops.yaml"]);
  for (const line of [...some.stdout.split("\n"), ...validated.stdout.split("\n")])
    expect([...line].length, line).toBeLessThanOrEqual(80);
});

test("lists every environment and who must act next in one table with status --all", async () => {
  const limits = "thresholds: { max_percent: 10, min_objects: 1 }\n";
  const project = await startProject({
    files: {
      "billing/avatarops.yaml": formatContexts("Be exact."),
      "legal/avatarops.yaml": "contexts: { legal: { name: Legal, prompt: Be exact. } }\n",
      "sales/avatarops.yaml": `${limits}contexts: { sales: { name: Sales, prompt: Be kind. } }\n`,
      "support/avatarops.yaml": `reviews: { require_approval: 2 }
contexts: { c: { name: C, prompt: Be kind. } }
environments: { staging: { state: s.json }, production: { state: p.json, needs: [staging] } }
`,
    },
  });
  for (const file of ["billing/avatarops.yaml", "legal/avatarops.yaml", "sales/avatarops.yaml"])
    await project.expectDone("apply", "-y", "-f", file);
  project.emulator.editContext("Desk", { prompt: "Be quick." });
  await project.expectDone("hold", "--reason", "audit", "-f", "legal/avatarops.yaml");
  await project.write("legal/avatarops.yaml", "contexts: { legal: { name: Legal, prompt: Be short. } }\n");
  const sales = `${limits}contexts: { sales: { name: Sales, prompt: Be warm. } }\n`;
  await project.write("sales/avatarops.yaml", sales);
  const { exit, stdout } = await project.avatarops("status", "--all");
  expect(exit).toBe(2);
  expect(stdout.trim().split("\n")).toEqual([
    "All projects",
    ...[
      "  project                 environment  result      who must act",
      "  billing/avatarops.yaml               1 drifted   you: pull",
      "  legal/avatarops.yaml                 1 to apply  .+ (on hold)",
      "  sales/avatarops.yaml                 1 to apply  you: apply --allow threshold",
      "  support/avatarops.yaml  staging      1 to apply  2 reviewers",
      "  support/avatarops.yaml  production   1 to apply  staging first",
    ].map((line) => expect.stringMatching(new RegExp(`^${line.replace(/[()]/g, "\\$&")}\\s*$`))),
  ]);
  const { projects } = await runAll(project, "status", "--path", "billing");
  expect(projects).toMatchObject([
    { counts: "1 drifted", next: "you: pull", result: { format: "avatarops/status" } },
  ]);
});

test("keeps the status --all and plan --all tables at 80 columns if paths are long", async () => {
  const folder = "products/customer-conversations/europe-and-middle-east/assistants";
  const project = await startProject({
    files: {
      [`${folder}/returns/avatarops.yaml`]: `contexts: { c: { name: C, prompt: Be kind. } }
environments: { staging: { state: s.json }, production: { state: p.json, needs: [staging] } }
`,
      [`${folder}/voice-desk/avatarops.yaml`]: "contexts: { d: { name: D, prompt: !file missing.md } }\n",
    },
  });
  const path = (name: string) => `${folder}/${name}/avatarops.yaml`;
  for (const [command, rows] of [
    [
      "status",
      [
        ["environment", "result", "who must act"],
        ["staging", "1 to apply", "you: apply"],
        ["production", "1 to apply", "staging first"],
      ],
    ],
    [
      "plan",
      [
        ["environment", "result"],
        ["staging", "1 to create; 0 unchanged"],
        ["production", "1 to create; 0 unchanged"],
      ],
    ],
  ] as const) {
    const { stdout } = await project.avatarops(command, "--all");
    const table = stdout.slice(stdout.indexOf("All projects")).trimEnd().split("\n");
    for (const line of table) expect(line.length, line).toBeLessThanOrEqual(80);
    const cells = table.map((line) => line.trim().split(/ {2,}/));
    expect(cells.slice(1, 3)).toEqual([["project"], rows[0]]);
    expect(table.slice(3).join("").replaceAll(/\s/g, "")).toContain(path("voice-desk"));
    expect(cells.slice(3, 7)).toEqual([[expect.any(String)], [expect.any(String)], rows[1], rows[2]]);
    expect(`${cells[3]}${cells[4]}`).toBe(path("returns"));
  }
});

describe("plan --all stopped during a request of the second of three projects", () => {
  async function stop(...argv: string[]) {
    const project = await startProject({
      files: {
        "a/avatarops.yaml": formatContexts("Be kind."),
        "b/avatarops.yaml": formatContexts("Be exact."),
        "c/avatarops.yaml": formatContexts("Be brief."),
      },
    });
    const { stop, onStoppable } = createStopper();
    project.emulator.addFault({
      match: { method: "GET", path: "/v1/contexts" },
      skip: 1,
      do: { kind: "run", run: () => void stop("SIGTERM") },
    });
    return project.avataropsWith({ onStoppable }, "plan", "--all", ...argv);
  }

  test("prints one complete JSON document with the results so far", async () => {
    const { exit, stdout } = await stop("--format", "json");
    expect(exit).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ format: "avatarops/projects", exit: 130 },
      projects: [
        { project: "a/avatarops.yaml", exit: 0, result: { format: "avatarops/plan" } },
        { project: "b/avatarops.yaml", exit: 130, result: { format: "avatarops/error", code: "cancelled" } },
        { project: "c/avatarops.yaml", exit: 130, counts: "not run, because the command was stopped" },
      ],
    });
  });

  test("prints the table of all projects", async () => {
    const { exit, stdout, stderr } = await stop();
    expect(exit).toBe(130);
    expect(stderr).toContain("error[cancelled] The command was stopped before it completed.");
    expect(stdout).toMatch(/^ {2}a\/avatarops\.yaml +1 to create/m);
    expect(stdout).toMatch(/^ {2}c\/avatarops\.yaml +not run/m);
  });
});

test("selects projects with --path and --env, and rejects a selection without a match", async () => {
  const project = await startRepository();
  expect(nameProjects(await runAll(project, "validate", "--path", "support", "--env", "production"))).toEqual(
    ["support production"],
  );
  expect(nameProjects(await runAll(project, "validate", "--path", "*/inner", "--path", "Über*"))).toEqual([
    "support/inner",
    "Über uns/вопросы",
  ]);
  expect(
    nameProjects(await runAll(project, "validate", "--path", "support", "--path", "!support/inner")),
  ).toEqual(["support staging", "support production"]);
  for (const [wrong, code] of [
    [["--path", "nowhere"], "no-projects"],
    [["--env", "prod"], "unknown-environment"],
    [["--file", "a.yaml"], "usage"],
  ] as const)
    await project.expectRefused(["validate", "--all", ...wrong], `error[${code}]`);
  for (const wrong of [
    ["--path", "a"],
    ["--changed-since", "main"],
    ["--env", "a", "--env", "b"],
  ])
    expect(await project.avatarops("validate", ...wrong)).toMatchObject({
      exit: 1,
      stderr: matchText("--all"),
    });
});

test("skips projects without changed files if --changed-since is set", async () => {
  const project = await startRepository();
  const since = async (ref = "main") => {
    const found = await runAll(project, "validate", "--changed-since", ref);
    return { ...found, names: nameProjects(found) };
  };
  expect((await since()).names).toEqual([]);
  git(project, "checkout", "--quiet", "-b", "change");
  await project.write("support/notes.txt", "Other notes.\n");
  await project.write("README.md", "New.\n");
  expect((await since()).names).toEqual([]);
  // This file is untracked, but an include matches it.
  await project.write("support/contexts/day.md", `---\nname: Day\n---\n${text}`);
  expect((await since()).names).toEqual(["support staging", "support production"]);
  commit(project);
  expect((await since()).names).toEqual(["support staging", "support production"]);
  await project.write("support/inner/prompt.md", "Another text.\n");
  expect((await since()).names).toContain("support/inner");
  git(project, "checkout", "--quiet", "--force", "main");

  // Removes an included file and leaves the manifest unchanged.
  git(project, "checkout", "--quiet", "-b", "removal");
  rmSync(path.join(project.folder, "support/contexts/night.md"));
  rmSync(path.join(project.folder, "support/inner/avatarops.yaml"));
  rmSync(path.join(project.folder, "support/notes.txt"));
  const removal = await since();
  expect(removal.names).toEqual(["support staging", "support production"]);
  expect(removal.deleted).toEqual(["support/inner/avatarops.yaml"]);
  expect(removal.unchanged).toEqual(expect.arrayContaining([{ project: "billing/avatarops.yaml" }]));
  const shown = await project.avatarops("validate", "--all", "--changed-since", "main");
  expect(shown.stdout).toMatch(/support\/inner\/avatarops.yaml was deleted. Its objects stay in the account/);
});

test("ignores later commits on the base branch with --changed-since", async () => {
  const project = await startRepository();
  git(project, "checkout", "--quiet", "-b", "change");
  await project.write("support/inner/prompt.md", "Mine.\n");
  commit(project);
  git(project, "checkout", "--quiet", "main");
  await project.write(
    "billing/avatarops.yaml",
    `service: { api_key: !env BILLING_KEY }\n${formatContexts("Other.")}`,
  );
  commit(project);
  git(project, "checkout", "--quiet", "change");
  expect(nameProjects(await runAll(project, "validate", "--changed-since", "main"))).toEqual([
    "support/inner",
  ]);
});

test("limits --all in a pull request job to changed projects, or includes all if the clone lacks the base branch", async () => {
  const project = await startRepository();
  git(project, "update-ref", "refs/remotes/origin/main", "HEAD");
  await project.write("support/inner/prompt.md", "Mine.\n");
  const run = (environment: Record<string, string>, ...argv: string[]) =>
    project.avataropsWith({ environment }, "validate", "--all", "--format", "json", ...argv);
  const count = async (...given: Parameters<typeof run>) =>
    JSON.parse((await run(...given)).stdout).projects.length;
  expect(await count({ GITHUB_BASE_REF: "main" })).toBe(1);
  expect(await count({ GITHUB_BASE_REF: "main" }, "--no-changed-since")).toBe(5);
  const lacking = await run({ GITHUB_BASE_REF: "elsewhere" });
  expect(JSON.parse(lacking.stdout).projects).toHaveLength(5);
  expect(lacking.stderr).toMatch(/check\s+out\s+the\s+whole\s+history/);
  expect(await run({}, "--changed-since", "elsewhere")).toMatchObject({
    exit: 1,
    stdout: matchText("no-base"),
  });
});

test("selects a TypeScript project with --changed-since if an imported file changed", async () => {
  const project = await startRepository({
    "code/avatarops.config.ts":
      'import { Context, Project } from "avatarops";\nimport { prompt } from "../shared/prompt.js";\nexport default new Project({}, (project) => { new Context(project, "desk", { name: "Desk", prompt }); });\n',
    "shared/prompt.ts": 'export const prompt = "Be kind.";\n',
  });
  expect(nameProjects(await runAll(project, "validate", "--changed-since", "main"))).toEqual([]);
  await project.write("support/notes.txt", "Other notes.\n");
  expect(nameProjects(await runAll(project, "validate", "--changed-since", "main"))).toEqual([]);
  await project.write("shared/prompt.ts", 'export const prompt = "Be brief.";\n');
  expect(nameProjects(await runAll(project, "validate", "--changed-since", "main"))).toEqual([
    "code/avatarops.config.ts",
  ]);
});

test("ignores symlinks and nested repositories with --all", async () => {
  const project = await startRepository();
  const outside = await newFolder();
  writeFileSync(path.join(outside, "avatarops.yaml"), formatContexts("Of a stranger."));
  symlinkSync(outside, path.join(project.folder, "linked"));
  mkdirSync(path.join(project.folder, "sly"));
  symlinkSync(path.join(outside, "avatarops.yaml"), path.join(project.folder, "sly/avatarops.yaml"));
  await project.write("nested/deep/avatarops.yaml", formatContexts("Of another repository."));
  git(project, "init", "--quiet", "nested");
  const found = await runAll(project, "validate");
  expect(nameProjects(found).filter((name) => /linked|nested/.test(name))).toEqual([]);
  expect(found.projects.find((one) => one.project.startsWith("sly"))).toMatchObject({
    exit: 1,
    result: { diagnostics: [{ code: "outside-project" }] },
  });
  await project.expectRefused(["validate", "--all", "--path", "linked"], "no-projects");
});

test("orders environments by `needs` in plan --all", async () => {
  const project = await startProject({
    files: {
      "avatarops.yaml": `${formatContexts("Hi.")}environments:
  production: { state: p.json, needs: [staging, canary] }
  canary: { state: c.json, needs: [staging] }
  staging: { state: s.json }
`,
    },
  });
  const found = await runAll(project, "plan");
  expect(found.projects.map(({ environment, order }) => [environment, order])).toEqual([
    ["staging", 0],
    ["canary", 1],
    ["production", 2],
  ]);
});

test("validates the environments example in docs/projects.md", async () => {
  const [yaml = ""] = findPassages("docs/projects.md", "yaml");
  const contexts = "contexts: { desk: { name: Desk, prompt: Be kind. } }\n";
  const { avatarops } = await startProject({ files: { "avatarops.yaml": `${yaml}\n${contexts}` } });
  expect(await avatarops("validate", "--env", "production")).toMatchObject({ exit: 0 });
});
