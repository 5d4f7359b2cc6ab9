// @module-tag ci
/** Tests the comment with the outcome of an apply. */
import { setTimeout } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { expectSuccess } from "../cli/hosting.js";
import { isLong } from "../real/long.js";
import { type Change, createDeskFiles, listOutcomes, merge, startChange } from "./change.js";
import { createCiVariables } from "./job.js";
import { guest, write } from "./stand-in.js";

const makeRunVariables = (id: string) => ({
  ...{ GITHUB_RUN_ID: id, GITHUB_RUN_NUMBER: id, CI_JOB_URL: `https://host.example.com/jobs/${id}` },
});

async function reviewAndMerge(change: Change): Promise<Change> {
  const { exit, stderr } = await change.review();
  expect(exit, stderr).toBe(0);
  merge(change);
  return change;
}

describe.each(isLong ? (["github", "gitlab", "gitea"] as const) : (["gitea"] as const))(
  "outcome comment on %s",
  (name) => {
    test("is posted once per outcome, and updated when the failed job is re-run", async () => {
      const change = await reviewAndMerge(await startChange(name, createDeskFiles("Be kind.")));
      const [review] = change.world.comments.map(({ body }) => body);
      change.project.emulator.addFault("POST /v1/contexts 400");
      const failed = await change.apply(makeRunVariables("900"));
      expect(failed.exit).not.toBe(0);
      expect(listOutcomes(change.world)).toHaveLength(1);
      expect(listOutcomes(change.world)[0]).toMatch(/^### `avatarops`: 1 failed; 0 unchanged\n/);
      expect(listOutcomes(change.world)[0]).toContain(
        "\n\nWhat to do next: run the job again. It skips completed changes and applies the rest.",
      );
      // A re-run job keeps its URL.
      await expectSuccess(change.apply(makeRunVariables("900")));
      const [body = "", ...more] = listOutcomes(change.world);
      expect(more).toEqual([]);
      expect(body).toMatch(/^### `avatarops`: 1 applied; 0 unchanged\n/);
      expect(body).toContain("state serial 1");
      expect(body.split("<details>")[0]).not.toContain("What to do next");
      expect(body).toContain("`context.desk`");
      expect(body).toContain(`[\`${change.sha.slice(0, 10)}\`]`);
      expect(body).toMatch(/\[run\]\(<?http.*900(\?by_index=1)?>?\)/);
      expect(body).toMatch(
        /\n<details><summary>Earlier runs<\/summary>\n\n### `avatarops`: 1 failed; 0 unchanged\n/,
      );
      // The outcome must not change the review comment.
      expect(change.world.comments[0]?.body).toBe(review);
      expect(change.problems).toEqual([]);
    });
  },
);

test("posts the reason for a rejected apply and reports that nothing was applied", async () => {
  const change = await reviewAndMerge(await startChange("github", createDeskFiles("Be kind.")));
  await change.project.write(
    "avatarops.yaml",
    createDeskFiles("Be rude. @everyone <b>x</b>")["avatarops.yaml"],
  );
  change.git("commit", "--quiet", "--all", "--amend", "--message=other");
  const other = change.git("rev-parse", "HEAD");
  Object.assign(change.world.pulls[0] ?? {}, { merged: other });
  expect(await change.apply({ GITHUB_SHA: other })).toMatchObject({ exit: 5 });
  expect(listOutcomes(change.world)).toMatchObject([
    expect.stringMatching(/^### `avatarops`: nothing was applied\n\n.*with this digest.*\(`stale-plan`\)/s),
  ]);

  // Repeats the check for an unreviewed commit and for invalid files.
  change.world.statuses.length = 0;
  expect(await change.apply({ GITHUB_SHA: other })).toMatchObject({ exit: 7 });
  expect(listOutcomes(change.world)).toMatchObject([expect.stringContaining("(`not-reviewed`)")]);
  await change.project.write("avatarops.yaml", "contexts: { desk: {} }\n");
  expect(await change.apply({ GITHUB_SHA: other })).toMatchObject({ exit: 1 });
  expect(listOutcomes(change.world)).toMatchObject([expect.stringContaining("(`invalid-project`)")]);
  expect(listOutcomes(change.world)[0]).toContain(
    "merge a pull request that fixes the files. The apply after the merge includes the rest of this change.",
  );
});

test("shows a pending outcome during an apply, in case the run dies", async () => {
  const change = await reviewAndMerge(await startChange("github", createDeskFiles("Be kind.")));
  const seen: string[] = [];
  change.standIn.before = (request) => {
    if (request.startsWith("PATCH")) seen.push(...listOutcomes(change.world));
  };
  expect(await change.apply()).toMatchObject({ exit: 0 });
  expect(seen).toMatchObject([
    expect.stringMatching(
      /^### `avatarops`: applying 1 change\n\nIf this is still shown after the run has ended/,
    ),
  ]);
});

test("posts the pending outcome before the first write, even if the host responds late", async () => {
  const change = await reviewAndMerge(await startChange("github", createDeskFiles("Be kind.")));
  const listWrites = () => change.project.emulator.requests.filter(({ method }) => method !== "GET");
  let written: number | undefined;
  change.standIn.before = async (request) => {
    if (!/^POST .*\/comments/.test(request)) return;
    await setTimeout(500);
    written ??= listWrites().length;
  };
  expect(await change.apply()).toMatchObject({ exit: 0 });
  expect([written, listWrites().length]).toEqual([0, 1]);
});

test("applies if the host does not respond to the pending outcome, and posts the final outcome last", async () => {
  const change = await reviewAndMerge(await startChange("github", createDeskFiles("Be kind.")));
  const isWritten = () => change.project.emulator.requests.some(({ method }) => method !== "GET");
  change.standIn.before = async (request) => {
    if (/^POST .*\/comments/.test(request)) await vi.waitUntil(isWritten, { timeout: 60_000 });
  };
  expect(await change.apply()).toMatchObject({ exit: 0 });
  expect(listOutcomes(change.world)).toMatchObject([expect.stringContaining(": 1 applied; 0 unchanged")]);
});

test("does not change a forged outcome comment from another account, and escapes names", async () => {
  const change = await reviewAndMerge(
    await startChange("github", createDeskFiles("Be kind. <img src=x> @everyone")),
  );
  const forged = write(
    change.world,
    guest,
    "<!-- avatarops:outcome project=avatarops.yaml environment= ; -->\n### All is well",
  );
  change.world.reviews.push({ by: { id: 71, login: "**x** <b>\u001b[31m" }, commit: change.sha });
  const refused = await change.apply({}, "--require-approval", "1");
  expect(refused.stderr).not.toContain("\u001b");
  expect(forged.body).toContain("All is well");
  expect(listOutcomes(change.world)).toHaveLength(2);
  // Shows the name as code.
  expect(listOutcomes(change.world)[1]).toContain(", not counting `**x** <b>‹U+001B›[31m` (");
});

test("leaves a successful apply's outcome comment unchanged if later runs have nothing to do", async () => {
  const change = await reviewAndMerge(await startChange("github", createDeskFiles("Be kind.")));
  expect(await change.apply()).toMatchObject({ exit: 0 });
  const posted = change.world.comments.map(({ body }) => body);
  for (const id of ["901", "902"])
    expect(await change.apply(makeRunVariables(id))).toMatchObject({ exit: 0 });
  expect(change.world.comments.map(({ body }) => body)).toEqual(posted);
  change.world.comments = [];
  expect(await change.apply()).toMatchObject({ exit: 0 });
  expect(listOutcomes(change.world)).toEqual([]);
});

test("updates a failed apply's outcome comment once nothing is left to do, and collapses the failure", async () => {
  const change = await reviewAndMerge(await startChange("github", createDeskFiles("Be kind.")));
  change.project.emulator.addFault("POST /v1/contexts 400");
  expect((await change.apply(makeRunVariables("901"))).exit).not.toBe(0);
  await expectSuccess(change.project.avatarops("apply", "--auto-approve"));
  for (const id of ["902", "903"]) await expectSuccess(change.apply(makeRunVariables(id)));
  const [text = ""] = listOutcomes(change.world);
  expect(text).toMatch(/^### `avatarops`: Nothing to do: 1 unchanged\n/);
  expect(text.match(/^### .*$/gm)?.at(-1)).toBe("### `avatarops`: 1 failed; 0 unchanged");
  expect(text.match(/<details>/g)).toHaveLength(1);
});

test("completes the apply even if the outcome comment cannot be posted", async () => {
  for (const fault of [{ answer: { status: 403 } }, { answer: { status: 500 } }, {}]) {
    const change = await reviewAndMerge(await startChange("github", createDeskFiles("Be kind.")));
    change.standIn.fail({ on: /comments/, times: 100, ...fault });
    const applied = await expectSuccess(change.apply());
    expect(applied.stderr.replaceAll(/\s+/g, " ")).toContain(
      "The outcome could not be posted on pull request #7",
    );
    expect(change.project.emulator.world.contexts).toHaveLength(1);
  }
});

test("posts a CI job's outcome without --reviewed, but not a laptop run's outcome", async () => {
  const change = await startChange("github", createDeskFiles("Be kind."));
  merge(change);
  const { GITHUB_TOKEN = "", ...job } = { ...createCiVariables(change), GITHUB_SHA: change.sha };
  const apply = (environment: Readonly<Record<string, string>>) =>
    change.project.avataropsWith({ environment }, "apply", "-y");
  await expectSuccess(apply(job));
  await change.project.write("avatarops.yaml", createDeskFiles("Be quick.")["avatarops.yaml"]);
  expect(await apply({ GITHUB_TOKEN })).toMatchObject({ exit: 0 });
  expect(listOutcomes(change.world)).toEqual([]);
  await change.project.write("avatarops.yaml", createDeskFiles("Be brief.")["avatarops.yaml"]);
  change.commit();
  merge(change);
  expect(await apply({ ...job, GITHUB_SHA: change.sha, GITHUB_TOKEN })).toMatchObject({ exit: 0 });
  expect(listOutcomes(change.world)).toMatchObject([expect.stringContaining("1 applied")]);
  const { stdout } = await change.project.avatarops("history", "--format", "json");
  expect(JSON.parse(stdout).records[0].pull_requests).toMatchObject([{ number: 7, author: "guest" }]);
});

test("posts no empty plan with `comment: changes`, but updates an earlier review comment", async () => {
  const settings = "reviews: { comment: changes }\n";
  const change = await startChange("github", { "avatarops.yaml": settings });
  expect(await change.review()).toMatchObject({ exit: 0, stdout: "" });
  expect(change.world.comments).toEqual([]);
  expect(change.world.statuses).toMatchObject([{ description: expect.stringContaining("Nothing to do") }]);
  await change.project.write("avatarops.yaml", createDeskFiles("Be kind.", settings)["avatarops.yaml"]);
  await change.review();
  expect(change.world.comments).toMatchObject([{ body: expect.stringContaining("1 to create") }]);
  await change.project.write("avatarops.yaml", settings);
  await change.review();
  expect(change.world.comments).toMatchObject([{ body: expect.stringContaining("Nothing to do") }]);
});
