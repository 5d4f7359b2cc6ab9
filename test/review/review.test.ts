import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { matchText } from "../cli/hosting.js";
import { startChange } from "./change.js";
import { createEventVariables, type Variables } from "./job.js";
import { type StandInName, standIns } from "./stand-in.js";

const files = {
  "avatarops.yaml": [
    "contexts:",
    "  returns:",
    "    name: Returns desk",
    "    prompt: !file prompts/returns.md",
    "    opening_text: Hi!",
    "environments:",
    "  production: { state: .avatarops/production.json }",
    "",
  ].join("\n"),
  "prompts/returns.md": "You are the returns desk.\n\nBe polite, and brief.\n",
};

/** Starts a CI job for pull request 7 of an applied project. */
async function startJob(name: StandInName, fromFork = false) {
  const change = await startChange(name, files);
  const { folder } = change.project;
  Object.assign(change.world.pulls[0] ?? {}, { fromFork });
  await change.project.avatarops("apply", "--env", "production", "--auto-approve");
  const run = { GITHUB_RUN_ID: "900", GITHUB_STEP_SUMMARY: path.join(folder, "summary.md") };
  return {
    ...{ ...change, change, run },
    review: (more: Variables = {}, ...argv: string[]) =>
      change.review({ ...run, ...more }, "--env", "production", ...argv),
  };
}

const longer = "You are the returns desk.\n\nBe warm, and brief. The order is ${order_id}.\n";
let job: Awaited<ReturnType<typeof startJob>>;
afterEach(() => {
  expect(job.problems).toEqual([]);
});

describe.each(standIns)("review on %s", (name) => {
  test("posts one comment that a later review updates, and sets a commit status with the plan digest", async () => {
    job = await startJob(name);
    const { world } = job;
    await job.project.write("prompts/returns.md", longer);
    const before = job.project.emulator.requests.length;
    const first = await job.review();
    expect(first).toMatchObject({ exit: 0, stdout: expect.stringContaining("/avatars/") });
    const [{ body = "" } = {}] = world.comments;
    expect(body.replace(job.sha, "SHA")).toMatch(
      /^<!-- avatarops:review project=avatarops.yaml environment=production ; commit=SHA digest=\S+ objects=%5B%5B%22avatarops%2Fproduction%2Fcontext\.returns%22%2C\S+ -->\n### Plan: 1 to update; 0 unchanged\n/,
    );
    const sent = job.project.emulator.requests.slice(before);
    expect(sent.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(first.stdout + first.stderr + body).not.toContain("secret-token");
    expect(body).toContain(
      "- New placeholder `${order_id}`: callers must pass it when they start a session.",
    );
    expect(body).toContain(`(<${job.options.webUrl}/team/avatars/`);
    const [, digest] = /--digest (\S+)/.exec(body) ?? [];
    expect(body).toContain(`avatarops apply --env production --digest ${digest}`);
    expect(world.statuses).toMatchObject([
      {
        ...{ commit: job.sha, context: "avatarops/production", state: "success", url: first.stdout.trim() },
        description: expect.stringMatching(RegExp(`^Plan ${digest} list \\S+: 1 to update; 0 unchanged$`)),
      },
    ]);

    await job.project.write("prompts/returns.md", files["prompts/returns.md"]);
    const second = await job.review({}, "--detailed-exitcode");
    expect(second).toMatchObject({ exit: 0, stdout: first.stdout });
    expect(world.comments).toMatchObject([
      { by: world.me, body: expect.stringContaining("Nothing to do: 1 unchanged") },
    ]);
    expect(world.comments[0]?.body).not.toContain("--digest");
  });
});

test("shows policy findings in a separate section, and sets the commit status to failed on a policy error", async () => {
  job = await startJob("gitlab");
  const { world } = job;
  const manifest = files["avatarops.yaml"];
  const policies = (severity: string) =>
    `${manifest}policies: { forbidden-phrases: { severity: ${severity}, phrases: [refund] } }\n`;
  await job.project.write("prompts/returns.md", `${longer}\nNever promise a refund.\n`);
  await job.project.write("avatarops.yaml", policies("warning"));
  expect(await job.review()).toMatchObject({ exit: 0 });
  const finding = '`context.returns.prompt` contains the forbidden phrase "refund"';
  const [plan, apart] = world.comments[0]?.body.split("#### Policies\n") ?? [];
  expect(plan).toContain("### Plan: 1 to update; 0 unchanged");
  expect(apart).toContain(`**warning** \`forbidden-phrases\` at \`prompts/returns.md:5:17\`: ${finding}`);
  await job.project.write("avatarops.yaml", policies("error"));
  expect(await job.review()).toMatchObject({ exit: 1 });
  expect(world.comments).toHaveLength(1);
  expect(world.comments[0]?.body).toMatch(
    /### 1 error\n\n#### Policies\n\n\*\*error\*\* `forbidden-phrases`/,
  );
  expect(world.comments[0]?.body).not.toContain("--digest");
  expect(world.statuses.at(-1)).toMatchObject({
    ...{ state: "failed", description: "1 error" },
  });
});

test("reports invalid files in the review comment, and sets the commit status to failed", async () => {
  job = await startJob("gitlab");
  await job.project.write("avatarops.yaml", "contexts: { returns: { promt: x } }\n");
  expect(await job.review()).toMatchObject({ exit: 1, stderr: expect.stringContaining("unknown-") });
  expect(job.world.comments).toMatchObject([{ body: expect.stringContaining("did you mean") }]);
  expect(job.world.statuses).toMatchObject([
    { state: "failed", description: expect.stringContaining("error") },
  ]);
});

test("writes the comment to the job summary, including differences omitted from the comment", async () => {
  job = await startJob("github");
  const lines = (of: number) =>
    Array.from({ length: 600 }, (_, at) => `Rule ${at}: answer kindly as ${of}.`).join("\n");
  const prompts = (count: number) =>
    Array.from(
      { length: count },
      (_, at) => [`contexts/c${at}.md`, `---\nname: C${at}\n---\n${lines(at)}`] as const,
    );
  await job.project.write("avatarops.yaml", "include: [contexts/*.md]\nenvironments: { production: {} }\n");
  for (const [file, text] of prompts(20)) await job.project.write(file, text);
  await job.project.avatarops("apply", "--env", "production", "--auto-approve");
  for (const [file, text] of prompts(20))
    await job.project.write(file, text.replace(/Rule (\d*5): answer kindly/g, "Rule $1: reply warmly ✓"));
  await job.review({}, "--summary", "own.md");
  const summary = await job.project.read("summary.md");
  const [{ body = "" } = {}] = job.world.comments;
  expect([...body].length).toBeLessThan(65_536);
  const whole = "\\[The summary of the run\\]\\(<http:\\S+/actions/runs/900>\\)";
  expect(body).toMatch(new RegExp(`differences left out\\. ${whole} shows everything`));
  expect(summary.match(/<strong> reply warmly ✓/g)).toHaveLength(1200);
  expect(summary).not.toMatch(/left out|not shown here/);
  expect(await job.project.read("own.md")).toBe(summary);
});

test("plans a new secret even if only the apply job has its value", async () => {
  job = await startJob("github");
  const secret =
    "secrets: { llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env NEW_KEY } }";
  await job.project.write("avatarops.yaml", `${files["avatarops.yaml"]}${secret}\n`);
  expect(await job.review()).toMatchObject({ exit: 0 });
  const { comments, statuses } = job.world;
  expect(comments[0]?.body).toContain("The environment variable `NEW_KEY` is not set here. Apply needs it.");
  expect(comments[0]?.body).not.toContain("in CI");
  expect(statuses.at(-1)).toMatchObject({ state: "success" });

  // After the apply, a review without the variable cannot compare the value.
  await job.project.avataropsWith({ environment: { NEW_KEY: "one" } }, "apply", "-y", "--env", "production");
  expect(await job.review()).toMatchObject({ exit: 0 });
  expect(comments[0]?.body).toContain(
    "It is unknown whether the value changed. The environment variable `NEW_KEY` is not set here. Apply needs it.",
  );
  expect(comments[0]?.body).not.toContain("in CI");
});

test("marks the origin of each edit if an object was edited in the dashboard and in its file", async () => {
  job = await startJob("github");
  const [context] = job.project.emulator.world.contexts;
  if (!context) throw new Error("no context");
  Object.assign(context, { opening_text: "Hello from the dashboard", updated_at: new Date().toISOString() });
  await job.project.write("prompts/returns.md", longer);
  await job.review();
  const [{ body: theirs = "" } = {}] = job.world.comments;
  expect(theirs).toContain("### Nothing to apply: 1 skipped (conflicting); ");
  expect(theirs).not.toContain("<details");
  expect(theirs).toContain("<del>Hello from the dashboard</del><strong> Hi!</strong>");
  expect(theirs).toMatch(/\*\*`prompt`\*\* .*characters in/);
  expect(theirs).toMatch(/\*\*`opening_text`\*\* .*\(edited elsewhere\)/);
});

test("posts a separate comment and status for each environment", async () => {
  job = await startJob("github");
  await job.review();
  await job.change.review(job.run);
  expect(job.world.statuses.map(({ context }) => context)).toEqual(["avatarops/production", "avatarops"]);
  expect(job.world.comments).toHaveLength(2);
});

test("marks an earlier commit's plan as outdated, and keeps the head commit's plan", async () => {
  job = await startJob("github");
  const { world } = job;
  const [pull] = world.pulls;
  if (!pull) throw new Error("no pull request");
  pull.commit = "2".repeat(40);
  await job.review();
  expect(world.comments[0]?.body.replaceAll(job.sha.slice(0, 10), "HEAD")).toMatch(
    /-->\n> \*\*Outdated:\*\* this comment is about \[`HEAD`\].* now at \[`2222222222`\]/,
  );

  await job.review({}, "--commit", pull.commit, "--pull-request", "7");
  expect(world.comments[0]?.body).not.toContain("Outdated");
  const { body } = world.comments[0] ?? {};
  expect(await job.review()).toMatchObject({
    exit: 0,
    stderr: matchText("has a comment about that"),
  });
  expect(world.comments).toMatchObject([{ body }]);
});

test("marks the earlier comment as outdated only once if planning fails repeatedly", async () => {
  job = await startJob("github");
  const { world } = job;
  await job.review();
  const commit = "2".repeat(40);
  const wrongKey = { AVATAROPS_API_KEY: "wrong" };
  for (let run = 0; run < 2; run += 1)
    expect(await job.review(wrongKey, "--commit", commit)).toMatchObject({ exit: 1 });
  expect(world.comments).toHaveLength(1);
  expect(world.comments[0]?.body.match(/Outdated/g)).toHaveLength(1);
  expect(world.comments[0]?.body).toMatch(/now at \[`2222222222`\]\S+ \[See the run\]/);
  expect(world.statuses.at(-1)).toMatchObject({
    commit,
    state: "failure",
    description: "The plan could not be computed.",
  });
});

test("writes a fork's plan to the summary if the token is read-only", async () => {
  job = await startJob("github", true);
  const { fail, world } = job;
  fail({
    on: /^GET .*\/user/,
    answer: { status: 403, body: '{"message":"Resource not accessible by integration"}' },
  });
  fail({
    on: /^POST .*\/comments/,
    times: 9,
    answer: { status: 403, body: '{"message":"Resource not accessible by integration"}' },
  });
  const ran = await job.review();
  expect(ran).toMatchObject({
    exit: 0,
    stdout: "",
    stderr: expect.stringMatching(/fork\s+pull\s+requests\s+have\s+read-only\s+tokens/),
  });
  expect(await job.project.read("summary.md")).toContain("Nothing to do");
  expect(world.comments).toEqual([]);
  expect(await job.review({ GITHUB_TOKEN: "" })).toMatchObject({ exit: 0 });
});

test("prints the plan to the log if Gitea's token cannot read the fork's pull request", async () => {
  job = await startJob("gitea", true);
  job.fail({ on: /\/pulls\/7$/, times: 9, answer: { status: 404 } });
  expect(await job.review()).toMatchObject({ exit: 0, stdout: expect.stringContaining("Nothing to do") });
  expect(job.world.comments).toEqual([]);
  job = await startJob("gitea");
  job.fail({ on: /\/pulls\/7$/, times: 9, answer: { status: 404 } });
  expect(await job.review()).toMatchObject({ exit: 1, stderr: expect.stringContaining("host-not-found") });
});

const makeManualJobVariables = () => ({
  ...createEventVariables({ inputs: {} }),
  GITHUB_BASE_REF: "",
  GITHUB_SHA: job.sha,
});

test("prints the plan and its apply command as plain text in a manually started Gitea job", async () => {
  job = await startJob("gitea");
  await job.project.write("prompts/returns.md", longer);
  const ran = await job.review(makeManualJobVariables());
  expect(ran).toMatchObject({ exit: 0, stderr: matchText("no pull request, so no comment was posted") });
  expect(ran.stdout.replaceAll(job.sha.slice(0, 10), "HEAD")).toMatch(
    /^Plan for http[\s\S]*update +context\.returns[\s\S]*\[-polite-\][\s\S]* 1 to update; 0 unchanged\.[\s\S]*\nTo apply exactly this plan:\n {2}avatarops apply --env production --digest \S+\n\nCommit HEAD\n$/,
  );
  const all = await job.review(makeManualJobVariables(), "--all");
  expect(all).toMatchObject({ exit: 0 });
  expect(all.stdout).toMatch(
    /^\nProject avatarops\.yaml \(production\)\n[\s\S]*\[-polite-\][\s\S]*--digest[\s\S]*\nAll projects\n[\s\S]*production +1 to update/,
  );
  for (const { stdout } of [ran, all]) expect(stdout).not.toMatch(/<\w+>|^#|\*\*|\]\(/m);
});

test("reports the missing permission if the host rejects a comment on a pull request from the same repository", async () => {
  job = await startJob("github");
  job.fail({ on: /^POST .*\/comments/, answer: { status: 403 } });
  expect(await job.review()).toMatchObject({ exit: 1, stderr: expect.stringContaining("pull-requests:") });
  const noToken = await job.review({ GITHUB_TOKEN: "" });
  expect(noToken).toMatchObject({ exit: 1, stderr: expect.stringContaining("Set GITHUB_TOKEN") });
});

test("prints the comment with --dry-run, without a request to the host", async () => {
  job = await startJob("github");
  await job.project.write("prompts/returns.md", longer);
  const ran = await job.review({ GITHUB_TOKEN: "" }, "--dry-run", "--detailed-exitcode");
  expect(ran).toMatchObject({ exit: 2, stdout: expect.stringMatching(/^### Plan: 1 to update/) });
  expect(job.requests).toEqual([]);
  expect(job.project.has("summary.md")).toBe(false);
});

test("posts a saved plan with --plan, without a request to the account", async () => {
  job = await startJob("github");
  await job.project.write("prompts/returns.md", longer);
  await job.project.avatarops("plan", "--env", "production", "--out", "plan.json");
  const { digest } = JSON.parse(await readFile(path.join(job.project.folder, "plan.json"), "utf8")).plan;
  const before = job.project.emulator.requests.length;
  expect(await job.review({}, "--plan", "plan.json")).toMatchObject({ exit: 0 });
  expect(job.project.emulator.requests).toHaveLength(before);
  expect(job.world.statuses).toMatchObject([{ description: expect.stringContaining(digest) }]);
});

test("suggests --repo if review runs outside CI", async () => {
  job = await startJob("github");
  expect(await job.project.avatarops("review")).toMatchObject({
    exit: 1,
    stderr: matchText("Choose where to post with --repo"),
  });
});
