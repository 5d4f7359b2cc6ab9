// @module-tag night
/** Tests the limits for reviewed changes in the docs/reviews.md table. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { expectSuccess, matchText } from "../cli/hosting.js";
import { newFolder, write } from "../git/repositories.js";
import { listFirstLines, padText, type ReviewTeam, startReviewTeam } from "./team.js";

const createDeskFiles = (text: string) => ({ "prompts/desk.md": padText(text) });
const createNight = (text: string) => ({ "prompts/night.md": padText(text) });

async function open(team: ReviewTeam, number: number, files: Readonly<Record<string, string>>) {
  team.propose(number, files);
  await expectSuccess(team.review(number));
}

/** Squash-merges these pull requests in order. */
function merge(team: ReviewTeam, ...numbers: number[]): void {
  const { git } = team.ana;
  git("fetch", "--quiet", "origin");
  git("switch", "--quiet", "--force-create", "main", "origin/main");
  for (const number of numbers) {
    git("merge", "--quiet", "--squash", `origin/change-${number}`);
    git("commit", "--quiet", "-m", `Change (#${number})`);
    pushToMain(team, number);
  }
}

/** Pushes Ana's checkout to main, as if this pull request had been merged. */
function pushToMain({ ana: { git }, standIn: { world } }: ReviewTeam, number: number): void {
  git("push", "--quiet", "--force", "origin", "HEAD:main");
  const pull = world.pulls.find((one) => one.number === number);
  Object.assign(pull ?? {}, { open: false, merged: git("rev-parse", "HEAD") });
}

/** Pushes files to main without a pull request. */
function push({ ana }: ReviewTeam, files: Readonly<Record<string, string>>): void {
  ana.commit(files);
  ana.push();
}

test("ignores the review of a merge that precedes the newest 100 commits to the project", async () => {
  const team = await startReviewTeam();
  const { root, git } = team.ana;
  const pushNotes = (count: number) => {
    const commits = Array.from({ length: count + 1 }, (_, at) => {
      const from = at === 0 ? "from refs/heads/main^0\n" : "";
      const file = at === count ? "elsewhere.md" : "bots/support/notes.md";
      const by = `committer Ana <ana@example.com> ${1_790_000_000 + at} +0000\ndata 1\nx`;
      return `commit refs/heads/main\n${by}\n${from}M 100644 inline ${file}\ndata <<E\n${count} ${at}\nE\n`;
    });
    execFileSync("git", ["fast-import", "--quiet"], { cwd: root, input: commits.join("") });
    git("push", "--quiet", "origin", "main");
    git("reset", "--quiet", "--hard");
  };
  await open(team, 7, createNight("Dream."));
  merge(team, 7);
  pushNotes(99);
  await expectSuccess(team.applyMain());
  await open(team, 8, createNight("Wake."));
  merge(team, 8);
  pushNotes(100);
  expect(await team.applyMain()).toMatchObject({ exit: 7, stderr: matchText("not-reviewed") });
  expect(listFirstLines(team)).toEqual({ Desk: "First.", Night: "Dream." });
});

test("applies 201 reviewed changes, but rejects a retry of a failed change that the review does not list", async () => {
  const names = Array.from({ length: 201 }, (_, at) => `d${at + 100}`);
  const entries = names.map((name) => `  ${name}: { name: ${name}, prompt: !file prompts/desk.md }\n`);
  const team = await startReviewTeam(
    "github",
    `state: git+refs://origin/avatarops/production\ncontexts:\n${entries.join("")}`,
  );
  const { world } = team.emulator;
  const left = () =>
    Object.keys(listFirstLines(team)).filter((name) => listFirstLines(team)[name] === "First.");
  await open(team, 7, createDeskFiles("Second."));
  merge(team, 7);
  for (const { name, id } of world.contexts)
    if (["d103", "d300"].includes(name)) team.emulator.addFault(`PATCH /v1/contexts/${id} 400`);
  expect(await team.applyMain()).toMatchObject({ exit: 3 });
  expect(left().toSorted()).toEqual(["d103", "d300"]);
  expect(await team.applyMain()).toMatchObject({
    exit: 5,
    stderr: matchText("the review of pull request #7 lists only its first 200 changes"),
  });
  await team.ana.apply("--target", "context.d300");
  await expectSuccess(team.applyMain());
  expect(left()).toEqual([]);
});

test("ignores applies with --target when looking for the last apply", async () => {
  const team = await startReviewTeam();
  await open(team, 7, createDeskFiles("Second."));
  await open(team, 8, createNight("Dream."));
  const manifest = team.ana.git("show", "main:bots/support/avatarops.yaml");
  await open(team, 9, { "avatarops.yaml": `${manifest}\n  late: { name: Late, prompt: Wait. }\n` });
  merge(team, 7, 8);
  await team.ana.apply("--target", "context.night");
  merge(team, 9);
  await expectSuccess(team.applyMain());
  expect(listFirstLines(team)).toEqual({ Desk: "Second.", Night: "Dream.", Late: "Wait." });
});

test("rejects an apply from a shallow clone that cannot fetch the history", async () => {
  const team = await startReviewTeam();
  await open(team, 7, createDeskFiles("Second."));
  await open(team, 8, createNight("Dream."));
  merge(team, 7, 8);
  const bin = newFolder();
  const failing = `#!/bin/sh\ncase " $* " in *" --unshallow "*) exit 128;; esac\nexec /usr/bin/git "$@"\n`;
  write(bin, "git", failing, 0o755);
  const offline = { PATH: `${bin}:${process.env.PATH}` };
  expect(await team.applyIn(team.clone("--depth=1"), offline)).toMatchObject({
    exit: 7,
    stderr: matchText("Set `fetch-depth: 0` in the actions/checkout step"),
  });
  expect(listFirstLines(team)).toEqual({ Desk: "First.", Night: "Sleep." });
  // Fetches the missing history if the remote allows it.
  await expectSuccess(team.applyIn(team.clone("--depth=1")));
  expect(listFirstLines(team)).toEqual({ Desk: "Second.", Night: "Dream." });
});

test("rejects an older commit after a force-push, and applies a reviewed change to a rewritten branch", async () => {
  const team = await startReviewTeam();
  const { git } = team.ana;
  const begun = git("rev-parse", "HEAD");
  await open(team, 7, createDeskFiles("Second."));
  merge(team, 7);
  await expectSuccess(team.applyMain());
  const applied = git("rev-parse", "HEAD");
  git("push", "--quiet", "--force", "origin", `${begun}:main`);
  expect(await team.applyMain()).toMatchObject({ exit: 7, stderr: matchText("not-reviewed") });
  expect(listFirstLines(team)).toEqual({ Desk: "Second.", Night: "Sleep." });
  const rewritten = git("commit-tree", `${applied}^{tree}`, "-m", "Everything so far");
  git("push", "--quiet", "--force", "origin", `${rewritten}:refs/heads/main`);
  await open(team, 8, createNight("Dream."));
  merge(team, 8);
  await expectSuccess(team.applyMain());
  expect(listFirstLines(team)).toEqual({ Desk: "Second.", Night: "Dream." });
});

test("applies a reviewed revert, and ignores the old review if the reverted change returns", async () => {
  const team = await startReviewTeam();
  await open(team, 7, createDeskFiles("Second."));
  merge(team, 7);
  await expectSuccess(team.applyMain());
  await open(team, 8, createDeskFiles("First."));
  merge(team, 8);
  await expectSuccess(team.applyMain());
  expect(listFirstLines(team)).toEqual({ Desk: "First.", Night: "Sleep." });
  // Repeats #7's change without a review.
  push(team, createDeskFiles("Second."));
  expect(await team.applyMain()).toMatchObject({ exit: 7, stderr: matchText("not-reviewed") });
  push(team, createDeskFiles("First."));
  // Reverts #9 before it is applied.
  await open(team, 9, createNight("Dream."));
  merge(team, 9);
  await open(team, 10, createNight("Sleep."));
  await expectSuccess(team.applyMain());
  merge(team, 10);
  expect(await team.applyMain()).toMatchObject({
    exit: 5,
    stderr: matchText("the change to context.night is not in the review"),
  });
  await team.ana.apply();
  expect(listFirstLines(team)).toEqual({ Desk: "First.", Night: "Sleep." });
});
