// @module-tag ci
/** Tests forged claims about a review in comments and statuses. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { branch, pushFile, startTeam } from "../cli/drift-hosting.js";
import { matchText } from "../cli/hosting.js";
import { git } from "../git/repositories.js";
import { guest, write } from "../review/stand-in.js";
import {
  key,
  listFirstLines,
  mergePull,
  mergeQueued,
  padText,
  queue,
  reviewQueued,
  startReviewTeam,
} from "../review/team.js";

test("ignores a review comment that is forged or lacks the key's signature", async () => {
  const team = await startReviewTeam();
  const { world } = team.standIn;
  team.propose(7, { "prompts/night.md": padText("Dream.") });
  team.propose(8, { "prompts/desk.md": padText("Second.") });
  for (const number of [7, 8]) await team.review(number, { more: key });
  const [one = "", two = ""] = queue(team, [7, 8], "github");
  mergeQueued(team, { 7: one, 8: two });
  const [own = ""] = team.comment(7).split("\n");
  for (const [by, marker] of [
    [guest, own],
    [world.me, own.replace(/ listed=\S+/, "")],
    [world.me, own.replace("context.night%22", "context.desk%22")],
    [world.me, own.replace(/commit=\w/, "commit=g")],
  ] as const) {
    world.comments = world.comments.filter(({ pull }) => pull !== 7);
    write(world, by, marker, 7);
    expect(await team.applyMain(key), marker).toMatchObject({ exit: 5 });
  }
  world.comments = world.comments.filter(({ pull }) => pull !== 7);
  write(world, world.me, own, 7);
  expect(await team.applyMain(key)).toMatchObject({ exit: 0 });
});

test("ignores the list of changes in our review comment if a colleague edited it, even without a key", async () => {
  const team = await startReviewTeam("gitea");
  const { comments, pulls } = team.standIn.world;
  team.propose(7, { "prompts/night.md": padText("Dream.") });
  team.propose(8, { "prompts/desk.md": padText("Second.") });
  for (const number of [7, 8]) await team.review(number);
  // Pushes the second change past its review, and adds it to the list of the first.
  for (const number of [7, 8]) mergePull(team, number);
  pulls.pop();
  const [first, second] = comments;
  const [own, other] = [first, second].map((one) => /objects=%5B(\S+)%5D /.exec(one?.body ?? "")?.[1] ?? "");
  const body = first?.body ?? "";
  Object.assign(first ?? {}, { body: body.replace(`${own}`, `${own}%2C${other}`) });
  const refused = await team.applyMain();
  expect(refused, refused.stderr).toMatchObject({ exit: 5, stderr: matchText("error[stale-plan]") });
  expect(listFirstLines(team)).toEqual({ Desk: "First.", Night: "Sleep." });
});

test("rejects an unreviewed combination of changes in a merge queue", async () => {
  const team = await startReviewTeam();
  const { world } = team.standIn;
  const text = padText("First.");
  team.propose(7, { "prompts/desk.md": text.replace("First.", "Second.") });
  team.propose(8, { "prompts/desk.md": text.replace("Step 19 is", "Step 19 is not") });
  for (const number of [7, 8]) await team.review(number, { more: key });
  const [, two = ""] = queue(team, [7, 8], "github");
  const reviewed = await reviewQueued(team, 8, two, "github");
  expect(reviewed).toMatchObject({ exit: 0 });
  const ofQueue = world.statuses.at(-1);
  expect(ofQueue).toMatchObject({ commit: two, state: "success" });
  team.ana.git("push", "--quiet", "origin", `${two}:refs/heads/main`);
  Object.assign(world.pulls[1] ?? {}, { open: false, merged: two });
  const refused = await team.applyMain(key);
  expect(refused).toMatchObject({ exit: 5 });
  // Imitates a job that copies the signed review of another commit, or claims a review without a signature.
  const { commit = "" } = world.pulls[1] ?? {};
  for (const description of [ofQueue?.description ?? "", "Plan 1:AAAAAAAAAAAAAAAAAAAAAA: 1 to update"]) {
    world.statuses.push({ ...(ofQueue as (typeof world.statuses)[number]), commit, description });
    expect((await team.applyMain(key)).exit).toBe(5);
  }
});

test("runs no code if a drift job's commit is copied onto a forged parent commit", async () => {
  const team = await startTeam("github");
  team.project.emulator.editContext("Support desk", { prompt: "Be very polite." });
  expect(await team.propose()).toMatchObject({ result: "opened" });
  // A colleague copies the drift job's commit and trailer on top of a forged commit.
  const clone = team.colleague();
  const ran = path.join(clone, "ran");
  const llm = `{ secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !exec [touch, ${ran}] }`;
  const theirs = pushFile(
    clone,
    "theirs",
    "avatarops.yaml",
    `secrets: { llm: ${llm} }\ninclude: [contexts/*.md]\n`,
  );
  git(clone, "cherry-pick", "--no-commit", `origin/${branch}`);
  const tree = git(clone, "write-tree");
  const digest = createHash("sha256").update(`avatarops drift\n${tree}\n${theirs}\n`).digest("hex");
  const message = `Bring back 1 text\n\nAvatarops-Digest: ${digest}`;
  const commit = git(clone, "commit-tree", tree, "-p", theirs, "-m", message);
  git(clone, "push", "--quiet", "--force", "origin", `${commit}:refs/heads/${branch}`);
  const job = await team.runWith(
    { environment: { CI: "true", PATH: process.env.PATH } },
    "drift",
    "--pull-request",
  );
  expect(job).toMatchObject({ exit: 2, stdout: matchText("unchanged") });
  expect(existsSync(ran)).toBe(false);
  expect(team.host.world.statuses).toEqual([]);
});
