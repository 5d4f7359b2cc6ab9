// @module-tag night
/** Tests the single comment for all projects and environments in a repository. */
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { matchText } from "../cli/hosting.js";
import { isLong } from "../real/long.js";
import { type Change, startChange } from "./change.js";
import { type StandInName, standIns } from "./stand-in.js";

const environments = "environments: { staging: { state: s.json }, production: { state: p.json } }\n";
const files = {
  "desk/avatarops.yaml": `contexts: { returns: { name: Returns, prompt: !file prompts/returns.md } }\n${environments}`,
  "desk/prompts/returns.md": "You are the returns desk.\n",
  "Über uns/бот/avatarops.yaml": "contexts: { bot: { name: Bot, prompt: !file prompts/returns.md } }\n",
  "Über uns/бот/prompts/returns.md": "Привет.\n",
  "billing/avatarops.yaml":
    "service: { api_key: !env BILLING_KEY }\ncontexts: { b: { name: B, prompt: Hi } }\n",
};

/** Starts a job with all projects applied, except those in `more`. */
async function startJob(name: StandInName, more: Readonly<Record<string, string>> = {}): Promise<Change> {
  const ignored = { ".gitignore": "*.json\n.avatarops/\nsummary.md\n" };
  const variables = { BILLING_KEY: "test-key", GITHUB_RUN_ID: "900" };
  const change = await startChange(name, { ...files, ...more, ...ignored }, variables);
  const { project } = change;
  for (const argv of [
    ...["staging", "production"].map((env) => ["--file", "desk/avatarops.yaml", "--env", env]),
    ...["Über uns/бот", "billing"].map((at) => ["--file", `${at}/avatarops.yaml`]),
  ])
    await project.expectDone("apply", "-y", ...argv);
  return change;
}

/** Returns the environment variable with the job summary's path. */
const createSummaryVariables = ({ project: { folder } }: Change) => ({
  GITHUB_STEP_SUMMARY: path.join(folder, "summary.md"),
});

let job: Change;
afterEach(() => {
  expect(job.problems).toEqual([]);
});

describe.each(isLong ? standIns : (["gitea"] as const))("review --all on %s", (name) => {
  test("posts one comment, and a status for each changed project and environment", async () => {
    job = await startJob(name);
    const { project } = job;
    const { world, options } = job;
    await project.write("desk/prompts/returns.md", "You are the returns desk. Be brief.\n");
    await project.write("Über uns/бот/prompts/returns.md", "Здравствуйте.\n");
    const head = job.commit();
    const ran = await job.review({}, "--all", "--detailed-exitcode");
    expect(ran, ran.stderr).toMatchObject({ exit: 2, stdout: expect.stringContaining("/avatars/") });
    expect(world.comments).toMatchObject([
      { by: world.me, body: expect.stringContaining("## **All projects**") },
    ]);
    const [{ body = "" } = {}] = world.comments;
    const [top = "", ...sections] = body.split(/^## (?=Project )/m);
    expect(top).toContain("| `desk/avatarops.yaml` | `staging` | `1 to update; 0 unchanged` |");
    expect(top).toContain("| `Über uns/бот/avatarops.yaml` |  | `1 to update; 0 unchanged` |");
    expect(sections.map((text) => text.split("\n")[0])).toEqual([
      "Project `desk/avatarops.yaml` (`staging`)",
      "Project `desk/avatarops.yaml` (`production`)",
      "Project `Über uns/бот/avatarops.yaml`",
    ]);
    expect(sections[0]).toContain("`desk/prompts/returns.md`");
    expect(sections[1]).toContain("The same changes as in `staging`.\n");
    const page = `${options.webUrl}/team/avatars/`;
    expect(sections[0]).toContain(page);
    expect(sections[0]).toMatch(new RegExp(`/${head}/desk/prompts/returns\\.md`));
    expect(sections[2]).toContain(encodeURIComponent("Über uns"));
    expect(body).not.toContain("not declared in any file");
    const digests = sections.map((text) => /avatarops apply .*--digest (\S+)/.exec(text)?.[1]);
    expect(sections[0]).toContain("avatarops apply --file desk/avatarops.yaml --env staging --digest");
    expect(sections[2]).toContain("avatarops apply --file 'Über uns/бот/avatarops.yaml' --digest");
    const { statuses } = world;
    expect(statuses.map(({ context }) => context)).toEqual([
      ...["avatarops/desk/staging", "avatarops/desk/production", "avatarops/Über uns/бот/"],
    ]);
    expect(statuses).toMatchObject(
      digests.map((digest) => ({
        ...{ commit: head, state: "success", url: ran.stdout.trim() },
        description: expect.stringMatching(RegExp(`^Plan ${digest} list \\S+: 1 to update; 0 unchanged$`)),
      })),
    );

    // Reverts a project's change, so the comment leaves the project out.
    await project.write("desk/prompts/returns.md", files["desk/prompts/returns.md"]);
    job.commit();
    expect(await job.review({}, "--all")).toMatchObject({ exit: 0, stdout: ran.stdout });
    expect(world.comments).toHaveLength(1);
    expect(world.comments[0]?.body).toContain("3 skipped: the files have not changed");
    expect(world.comments[0]?.body).not.toContain("desk/");
    await project.write("Über uns/бот/prompts/returns.md", files["Über uns/бот/prompts/returns.md"]);
    job.commit();
    expect(await job.review({}, "--all")).toMatchObject({ exit: 0 });
    expect(world.comments).toMatchObject([
      { body: expect.stringContaining("## **No project has changed**") },
    ]);
  });
});

test("plans the remaining projects even if one fails, and omits the error from the comment", async () => {
  job = await startJob("github", { "broken/avatarops.yaml": "contexts: { returns: { promt: x } }\n" });
  const { world } = job;
  await job.project.write("desk/prompts/returns.md", "Other.\n");
  await job.project.write("billing/avatarops.yaml", files["billing/avatarops.yaml"].replace("Hi", "Hey"));
  await job.project.write("broken/avatarops.yaml", "contexts: { returns: { prompd: x } }\n");
  job.commit();
  const ran = await job.review({ BILLING_KEY: "wrong" }, "--all");
  expect(ran).toMatchObject({ exit: 1, stderr: matchText("BILLING_KEY") });
  const [{ body = "" } = {}] = world.comments;
  expect(body).toContain("## **All projects**");
  expect(body).toMatch(/\| `billing\/avatarops.yaml` \| {2}\| `The plan could not be computed\. \(.+\)` \|/);
  expect(body).not.toContain("BILLING_KEY");
  expect(body).toContain("at `broken/avatarops.yaml:1:24`");
  expect(world.statuses.map(({ context, state }) => [context, state])).toEqual([
    ...[
      ["avatarops/billing/", "failure"],
      ["avatarops/broken/", "failure"],
    ],
    ...[
      ["avatarops/desk/staging", "success"],
      ["avatarops/desk/production", "success"],
    ],
  ]);
});

test("prints apply commands with the project's path relative to the repository root", {
  tags: "night",
}, async () => {
  job = await startJob("github");
  await job.project.write("desk/prompts/returns.md", "Other.\n");
  job.commit();
  const cwd = path.join(job.project.folder, "desk");
  const { stdout } = await job.project.avataropsWith({ cwd }, "review", "--env", "staging", "--dry-run");
  expect(stdout).toContain("\navatarops apply --file desk/avatarops.yaml --env staging --digest ");
});

test("runs no code from a fork in review --all, not even to find its projects", async () => {
  const code = "code/avatarops.config.ts";
  const ran = 'import { writeFileSync } from "node:fs";\nwriteFileSync("ran", "");\nexport default {};\n';
  job = await startJob("github", { [code]: "export default {};\n" });
  await job.project.write(code, ran);
  await job.project.write("desk/prompts/returns.md", "Other.\n");
  Object.assign(job.world.pulls[0] ?? {}, { fromFork: true });
  job.commit();
  const shown = await job.review(createSummaryVariables(job), "--all");
  expect(shown.exit).toBe(1);
  expect(shown.stderr).toContain("untrusted-code");
  expect(await job.project.read("summary.md")).toContain("## Project `desk/avatarops.yaml` (`staging`)");
  for (const folder of ["", "code/"]) expect(job.project.has(`${folder}ran`)).toBe(false);
});

test("posts nothing with review --all if no project has changed and no comment exists", {
  tags: "night",
}, async () => {
  job = await startJob("github");
  await job.project.write("README.md", "Hello.\n");
  job.commit();
  expect(await job.review({}, "--all")).toMatchObject({ exit: 0, stdout: "" });
  expect(job.world).toMatchObject({ comments: [], statuses: [] });
});

test("truncates many long plans in the comment, and writes them in full to the summary", {
  tags: "night",
}, async () => {
  const line = (at: number, word: string) => `Rule ${at}: answer ${word}.`;
  const prompt = (word: string) => Array.from({ length: 400 }, (_, at) => line(at, word)).join("\n");
  const many = Object.fromEntries(
    Array.from({ length: 25 }, (_, at) => [
      [`p${at}/avatarops.yaml`, "contexts: { c: { name: C, prompt: !file p.md } }\n"],
      [`p${at}/p.md`, prompt("kindly")],
    ]).flat(),
  );
  job = await startJob("github", many);
  for (let at = 0; at < 25; at += 1)
    await job.project.write(`p${at}/p.md`, prompt(at === 7 ? "kindly" : `as ${at}`));
  await job.project.write("p7/p.md", `${prompt("kindly")}\nOne more.\n`);
  job.commit();
  expect(await job.review(createSummaryVariables(job), "--all")).toMatchObject({ exit: 0 });
  const [{ body = "" } = {}] = job.world.comments;
  expect(Buffer.byteLength(body)).toBeLessThan(65_536);
  expect(body.match(/^\| `p\d+\//gm)).toHaveLength(25);
  expect(body).toMatch(
    /_\d+ more plans not shown here\. \[The summary of the run\]\(<http:\S+>\) shows everything\._/,
  );
  const summary = await job.project.read("summary.md");
  expect(summary.match(/^## Project `p\d+\//gm)).toHaveLength(25);
  expect(summary).not.toContain("not shown here");
});

test("prints the comment with --dry-run, and rejects options for a single project", async () => {
  job = await startJob("github");
  await job.project.write("desk/prompts/returns.md", "Other.\n");
  job.commit();
  const ran = await job.review({ GITHUB_TOKEN: "" }, "--all", "--dry-run", "--env", "production");
  expect(ran).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^## Project `desk\/avatarops.yaml` \(`production`\)\n/),
  });
  for (const wrong of [
    ["--plan", "p.json"],
    ["--target", "context.a"],
    ["--file", "a.yaml"],
  ])
    expect(await job.review({}, "--all", ...wrong)).toMatchObject({
      exit: 1,
      stderr: matchText("cannot be used with --all"),
    });
});
