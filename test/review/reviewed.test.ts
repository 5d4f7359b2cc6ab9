// @module-tag ci
/** Tests which plans `apply --reviewed` accepts as reviewed, and its advice if it accepts none. */
import { describe, expect, test } from "vitest";
import { expectSuccess } from "../cli/hosting.js";
import { isLong } from "../real/long.js";
import { listPrompts, merge, startChange } from "./change.js";
import type { StoredStatus } from "./stand-in.js";

const key = { AVATAROPS_REVIEW_KEY: "a key of at least twenty characters" };
const matchRefusal = (reason: RegExp) => ({
  exit: 7,
  stderr: expect.stringMatching(new RegExp(`not-reviewed[\\s\\S]*${reason.source.replaceAll(" ", "\\s+")}`)),
});

describe.each(isLong ? (["github", "gitlab", "gitea"] as const) : (["github"] as const))(
  "apply --reviewed on %s",
  (name) => {
    test("applies a merged pull request's plan, but not the plan of one closed without a merge", async () => {
      const { world, problems, ...change } = await startChange(name);
      expect(await change.review()).toMatchObject({ exit: 0 });
      Object.assign(world.pulls[0] ?? {}, { open: false });
      expect(await change.apply()).toMatchObject(matchRefusal(/was not merged through a pull request/));
      Object.assign(world.pulls[0] ?? {}, { merged: change.sha });
      await expectSuccess(change.apply());
      expect(change.project.emulator.world.contexts).toHaveLength(1);
      expect(problems).toEqual([]);
    });

    test("accepts only plans signed by a job with the same review key", async () => {
      const { world, problems, ...change } = await startChange(name);
      await change.review();
      Object.assign(world.pulls[0] ?? {}, { open: false, merged: change.sha });
      expect(await change.apply(key)).toMatchObject(matchRefusal(/signed with AVATAROPS_REVIEW_KEY/));
      await change.review(key);
      expect(world.statuses.at(-1)?.description).toMatch(/^Plan 1:[\w-]{22} signed [\w-]{22}: 1 to create/);
      // Simulates a workflow that uses the same account to claim a review of another plan.
      const { description = "" } = world.statuses.at(-1) ?? {};
      const forged = description.replace(/Plan 1:[\w-]{22}/, `Plan 1:${"A".repeat(22)}`);
      world.statuses.push({ ...world.statuses.at(-1), description: forged } as StoredStatus);
      const [comment] = world.comments.splice(0);
      expect(await change.apply()).toMatchObject({ exit: 5 });
      if (comment) world.comments.push(comment);
      expect(await change.apply({ AVATAROPS_REVIEW_KEY: "another key of twenty characters" })).toMatchObject({
        exit: 7,
      });
      await expectSuccess(change.apply(key));
      expect(problems).toEqual([]);
    });
  },
);

test("rejects a plan signed for another repository or a later commit", async () => {
  const { world, ...change } = await startChange("github");
  Object.assign(world.pulls[0] ?? {}, { open: false, merged: change.sha });
  // Signs the review in another repository with the same commit and the same key.
  await change.review({ ...key, GITHUB_REPOSITORY: "other/avatars" });
  expect(world.statuses).toMatchObject([{ description: expect.stringContaining(" signed ") }]);
  expect(await change.apply(key)).toMatchObject(matchRefusal(/signed with AVATAROPS_REVIEW_KEY/));
  await change.review(key);
  const later = "2".repeat(40);
  world.statuses.push({ ...world.statuses.at(-1), commit: later } as StoredStatus);
  Object.assign(world.pulls[0] ?? {}, { commit: later });
  expect(await change.apply(key)).toMatchObject(matchRefusal(/signed with AVATAROPS_REVIEW_KEY/));
  Object.assign(world.pulls[0] ?? {}, { commit: change.sha });
  expect(await change.apply(key)).toMatchObject({ exit: 0 });
});

test("rejects an unreviewed change, and prints the reason and a command", async () => {
  const { world, ...change } = await startChange("github");
  const wayOut = /`avatarops apply --digest 1:[\w-]{22}`/;
  expect(await change.apply()).toMatchObject(matchRefusal(/was not merged through a pull request/));
  Object.assign(world.pulls[0] ?? {}, { open: false, merged: change.sha });
  expect(await change.apply()).toMatchObject(matchRefusal(/has no status avatarops with a plan/));
  expect(await change.review({ AVATAROPS_API_KEY: "" })).toMatchObject({ exit: 0 });
  expect(world.statuses.at(-1)).toMatchObject({
    ...{ state: "success", description: expect.stringMatching(/^No API key: 1 to create/) },
  });
  expect(await change.apply()).toMatchObject(matchRefusal(/the review of pull request #7 had no API key/));
  Object.assign(world.pulls[0] ?? {}, { fromFork: true });
  const ofFork = await change.apply();
  expect(ofFork).toMatchObject(matchRefusal(/#7 comes from a fork/));
  expect(ofFork.stderr.replaceAll(/\s+/g, " ")).toMatch(wayOut);
});

test("succeeds with --reviewed without a review if there is nothing to apply", async () => {
  const { world, ...change } = await startChange("github");
  expect(await change.project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(world.statuses).toEqual([]);
  const applied = await change.apply();
  expect(applied, applied.stderr).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("Nothing to do"),
  });
  const [context] = change.project.emulator.world.contexts;
  Object.assign(context ?? {}, { prompt: "Edited.", updated_at: new Date().toISOString() });
  expect(await change.apply()).toMatchObject({ exit: 0, stdout: expect.stringContaining("[drifted]") });
});

test("rejects an easily guessed review key in review and in apply", async () => {
  const change = await startChange("github");
  for (const run of [change.review, change.apply])
    expect(await run({ AVATAROPS_REVIEW_KEY: "short" })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("openssl rand -base64 32"),
    });
});

test("marks an earlier commit's plan as outdated even if another job edited the comment", async () => {
  const { world, ...change } = await startChange("github");
  await change.review(key);
  const later = "2".repeat(40);
  Object.assign(world.pulls[0] ?? {}, { commit: later });
  const [comment] = world.comments;
  if (!comment) throw new Error("no comment");
  comment.body = comment.body.replace(change.sha, later);
  await change.review(key);
  expect(comment.body).toContain("**Outdated:**");
});

test("applies a reviewed change that exceeds the thresholds", async () => {
  const manifest = (prompt: string) =>
    `thresholds: { max_percent: 1, min_objects: 1 }\ncontexts: { desk: { name: Desk, prompt: ${prompt} } }\n`;
  const { world, ...change } = await startChange("github", { "avatarops.yaml": manifest("Be kind.") });
  expect(await change.project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  await change.project.write("avatarops.yaml", manifest("Be rude."));
  const merged = change.commit();
  await change.review();
  Object.assign(world.pulls[0] ?? {}, { open: false, merged });
  expect(await change.project.avatarops("apply", "--auto-approve")).toMatchObject({
    exit: 7,
    stderr: expect.stringContaining("error[threshold]"),
  });
  await expectSuccess(change.apply());
  expect(change.project.emulator.world.contexts).toMatchObject([{ prompt: "Be rude." }]);
});

test("applies changes from several pull requests to a TypeScript project", async () => {
  const code = (texts: Readonly<Record<string, string>>) => ({
    "avatarops.config.ts": `import { Context, Project } from "avatarops";
const project = new Project();
${Object.entries(texts)
  .map(([id, prompt]) => `new Context(project, "${id}", { name: "${id}", prompt: "${prompt}" });`)
  .join("\n")}
export default project;
`,
  });
  const change = await startChange("github", code({ desk: "Be kind." }));
  await expectSuccess(change.review());
  merge(change);
  await expectSuccess(change.apply());

  const { pulls } = change.world;
  const steps: Record<string, string>[] = [{ desk: "Be brief." }, { desk: "Be brief.", night: "Be quiet." }];
  for (const texts of steps) {
    const [last] = pulls;
    if (last) pulls.push({ ...last, number: last.number + pulls.length });
    await change.project.write("avatarops.config.ts", code(texts)["avatarops.config.ts"]);
    change.commit();
    await expectSuccess(change.review());
    merge(change);
  }
  await expectSuccess(change.apply());
  expect(listPrompts(change).toSorted()).toEqual(["Be brief.", "Be quiet."]);
});
