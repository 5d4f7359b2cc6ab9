// @module-tag ci
import { expect, test } from "vitest";
import { ada, type Change, merge, prompts, startChange } from "../review/change.js";
import { guest, type Person, write } from "../review/stand-in.js";

const ben: Person = { id: 61, login: "ben" };
const author: Person = { id: 62, login: "mallory" };

const files = (prompt: string, settings = "reviews: { require_approval: 1 }\n") => ({
  "avatarops.yaml": `contexts: { desk: { name: Desk, prompt: ${JSON.stringify(prompt)} } }\n${settings}`,
});

/** A reviewed and merged change of somebody who may write, as ada may. */
async function startMerged(prompt: string, settings?: string): Promise<Change> {
  const change = await startChange("github", files(prompt, settings));
  change.world.writers.push(ada, author);
  Object.assign(change.world.pulls[0] ?? {}, { author });
  await change.review();
  merge(change);
  return change;
}

async function next(change: Change, prompt: string, settings?: string): Promise<void> {
  await change.project.write("avatarops.yaml", files(prompt, settings)["avatarops.yaml"]);
  change.commit();
  await change.review();
  merge(change);
}

test("no approval counts but that of somebody else who may write, for the last commit", async () => {
  const change = await startMerged("Be kind.");
  const { world, sha } = change;
  const app = { id: 70, login: "app" };
  world.writers.push(app);
  world.committers[sha] = ada;
  world.reviews.push(
    ...[author, world.me, ada, ben].map((by) => ({ by, commit: sha })),
    { by: app, commit: sha, isOfApp: true },
    { by: guest, commit: sha, state: "dismissed" },
  );
  expect(await change.apply()).toMatchObject({ exit: 1, stderr: expect.stringContaining("not-approved") });
  // Ada's approval of what somebody else pushed then is not one of that.
  world.committers[sha] = author;
  world.reviews.splice(0, world.reviews.length, { by: ada, commit: "2".repeat(40) });
  expect(await change.apply()).toMatchObject({ exit: 1, stderr: expect.stringContaining("not-approved") });
  expect(prompts(change)).toEqual([]);
  world.reviews.push({ by: ada, commit: sha });
  expect(await change.apply()).toMatchObject({ exit: 0 });
});

test("whoever pushes to a pull request under another address, and approves it, is not counted", async () => {
  const change = await startMerged("Be kind.");
  const { world, sha, standIn } = change;
  const at = "2026-01-01T00:00:00.000Z";
  const earlier = "2".repeat(40);
  Object.assign(world.pulls[0] ?? {}, { author: ada, earlier: [earlier] });
  const refusedFor = async (why: string) => {
    const refused = await change.apply();
    expect(refused).toMatchObject({ exit: 1, stderr: expect.stringContaining("not-approved") });
    expect(refused.stderr.replaceAll(/[│\s]+/g, " ")).toContain(why);
  };
  // Of the last commit, the host knows no account: its address is nobody's.
  world.reviews.push({ by: author, commit: sha });
  world.pushes = [
    { commit: sha, at, by: author },
    { commit: earlier, at, by: ada },
  ];
  await refusedFor("mallory (pushed to it)");
  // Of an earlier one, it does.
  world.committers[earlier] = author;
  world.pushes = [{ commit: sha, at, by: ada }];
  await refusedFor("mallory (made one of its commits)");
  // The host does not say who pushed what.
  delete world.committers[earlier];
  standIn.fail({ on: /activity/, times: 2, answer: { status: 404 } });
  await refusedFor("1 of 2 approvals");
  world.writers.push(ben);
  world.reviews.push({ by: ben, commit: sha });
  expect(await change.apply()).toMatchObject({ exit: 0 });
});

test("a change cannot lower the number of approvals that it needs", async () => {
  const change = await startMerged("Be kind.");
  change.world.reviews.push({ by: ada, commit: change.sha });
  expect(await change.apply()).toMatchObject({ exit: 0 });
  await next(change, "Be kind.", "");
  await next(change, "Be rude.", "");
  expect(await change.apply()).toMatchObject({ exit: 1, stderr: expect.stringContaining("not-approved") });
  expect(prompts(change)).toEqual(["Be kind."]);
});

test("a forged outcome stays somebody else's, and what it tells is text", async () => {
  const change = await startMerged("Be kind. <img src=x> @everyone", "");
  const forged = write(
    change.world,
    guest,
    "<!-- avatarops:outcome project=avatarops.yaml environment= ; -->\n### All is well",
  );
  change.world.reviews.push({ by: { id: 71, login: "**x** <b>\u001b[31m" }, commit: change.sha });
  const refused = await change.apply({}, "--require-approval", "1");
  expect(refused.stderr).not.toContain("\u001b");
  expect(forged.body).toContain("All is well");
  const ours = change.world.comments.filter(({ body }) => body.startsWith("<!-- avatarops:outcome"));
  expect(ours).toHaveLength(2);
  // In code.
  expect(ours.at(-1)?.body).toContain("Not counted: `**x** <b>‹U+001B›[31m` (");
});
