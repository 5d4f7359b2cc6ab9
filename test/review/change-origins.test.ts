// @module-tag ci
/** Tests that history and blame name the pull requests of each applied change. */
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { expectSuccess } from "../cli/hosting.js";
import { type Change, merge, startChange } from "./change.js";
import { createCiVariables, createPushVariables } from "./job.js";
import { mergePull, padText, type ReviewTeam, startReviewTeam } from "./team.js";

/** Opens, reviews and merges a pull request with these files. */
async function mergeChange(team: ReviewTeam, number: number, files: Readonly<Record<string, string>>) {
  team.propose(number, files);
  await expectSuccess(team.review(number));
  mergePull(team, number);
}

async function mergeThreeChanges(team: ReviewTeam): Promise<void> {
  await mergeChange(team, 7, { "prompts/desk.md": padText("First.\nBe patient.") });
  await mergeChange(team, 8, { "prompts/night.md": padText("Sleep.\nBe quiet.") });
  await mergeChange(team, 9, { "prompts/desk.md": padText("First.\nBe patient.\nOffer tea.") });
}

/** Runs `apply -y` on main in a push job. */
async function applyUnreviewed(team: ReviewTeam): Promise<void> {
  const clone = team.clone();
  const job = createPushVariables(team.standIn, clone.git("rev-parse", "HEAD"));
  await expectSuccess(clone.runWith(job, "apply", "--auto-approve"));
}

async function readJson(team: ReviewTeam, ...argv: string[]) {
  const { stdout } = await expectSuccess(team.clone().run(...argv, "--format", "json"));
  return JSON.parse(stdout);
}

/** Returns the pull request numbers that `blame` shows for each sentence. Omits sentences of the first apply. */
async function readBlame(team: ReviewTeam, address: string): Promise<Record<string, readonly number[]>> {
  const { sentences } = await readJson(team, "blame", address);
  return Object.fromEntries(
    sentences.flatMap(({ text, serial, pull_requests = [] }: BlamedSentence) =>
      serial === 1 ? [] : [[text, pull_requests.map(({ number }) => number)]],
    ),
  );
}

interface BlamedSentence {
  readonly text: string;
  readonly serial?: number;
  readonly pull_requests?: readonly { readonly number: number }[];
}

/** Returns the pull request numbers of each change in the newest record. */
async function readNewestChanges(team: ReviewTeam): Promise<Record<string, readonly number[] | undefined>> {
  const { changes } = (await readJson(team, "history")).records[0];
  return Object.fromEntries(
    changes.map(({ address, pull_requests }: { address: string; pull_requests?: number[] }) => [
      address,
      pull_requests,
    ]),
  );
}

describe.each([
  ["--reviewed", (team: ReviewTeam) => expectSuccess(team.applyMain())],
  ["--auto-approve", applyUnreviewed],
])("one `apply %s` after three merges", (_name, apply) => {
  test("records each object's pull requests for blame and history", async () => {
    const team = await startReviewTeam();
    await mergeThreeChanges(team);
    await apply(team);
    expect(await readBlame(team, "context.desk")).toEqual({ "Be patient.": [7, 9], "Offer tea.": [7, 9] });
    expect(await readBlame(team, "context.night")).toEqual({ "Be quiet.": [8] });
    expect(await readNewestChanges(team)).toEqual({ "context.desk": [7, 9], "context.night": [8] });
    for (const number of [7, 8, 9]) expect(team.comment(number)).toContain("2 applied");
    const ofNight = (await readJson(team, "history", "context.night")).records[0];
    expect(ofNight.pull_requests).toMatchObject([{ number: 8 }]);

    const blame = (await expectSuccess(team.clone().run("blame", "context.desk"))).stdout;
    expect(blame).toMatch(/^ {2}2 #7, #9 [0-9a-f]{10} \S+ +Offer tea\.$/m);
    const history = (await expectSuccess(team.clone().run("history"))).stdout;
    for (const number of [7, 8, 9]) expect(history).toContain(`pull request #${number}, opened by`);
    expect(history).toMatch(/changed {2}context\.desk {2}from #7, #9/);
    expect(history).toMatch(/changed {2}context\.night {2}from #8/);
    expect(team.standIn.problems).toEqual([]);
  });
});

test("names each object's pull request in the history if several pull requests changed one file", {
  tags: "night",
}, async () => {
  const manifest = (desk: string, night: string) => `state: git+refs://origin/avatarops/production
contexts:
  desk: { name: Desk, prompt: "${desk}" }
  night: { name: Night, prompt: "${night}" }
`;
  const team = await startReviewTeam("github", manifest("Be kind.", "Sleep."));
  await mergeChange(team, 7, { "avatarops.yaml": manifest("Be brief.", "Sleep.") });
  await mergeChange(team, 8, { "avatarops.yaml": manifest("Be brief.", "Dream.") });
  await expectSuccess(team.applyMain());
  expect(await readNewestChanges(team)).toEqual({ "context.desk": [7], "context.night": [8] });
});

test("names a pull request with several commits only once in the history", async () => {
  const team = await startReviewTeam();
  team.propose(7, { "prompts/desk.md": padText("Second.") });
  // Merges the commits without a merge commit.
  team.ana.git("fetch", "--quiet", "origin");
  team.ana.git("merge", "--quiet", "--ff-only", "origin/change-7");
  team.ana.commit({ "prompts/desk.md": padText("Third."), "prompts/night.md": padText("Dream.") });
  team.ana.push();
  const merged = team.ana.git("rev-parse", "HEAD");
  Object.assign(team.standIn.world.pulls[0] ?? {}, { open: false, merged });
  await applyUnreviewed(team);
  expect(await readNewestChanges(team)).toEqual({ "context.desk": [7], "context.night": [7] });
  const { pull_requests: pulls } = (await readJson(team, "history")).records[0];
  expect(pulls).toMatchObject([{ number: 7 }]);
  expect(pulls).toHaveLength(1);
});

test("names no pull request in the history for a directly pushed commit", { tags: "night" }, async () => {
  const team = await startReviewTeam();
  await mergeChange(team, 7, { "prompts/desk.md": padText("Second.") });
  team.ana.commit({ "prompts/night.md": padText("Dream.") });
  team.ana.push();
  await applyUnreviewed(team);
  expect(await readNewestChanges(team)).toEqual({ "context.desk": [7], "context.night": undefined });
  expect(team.comment(7)).toContain("2 applied");
});

test("omits a pull request from a history record if --target already applied its change", {
  tags: "night",
}, async () => {
  const team = await startReviewTeam();
  await mergeChange(team, 7, { "prompts/desk.md": padText("Second.") });
  await mergeChange(team, 8, { "prompts/night.md": padText("Dream.") });
  await expectSuccess(team.applyMain({}, "--target", "context.desk"));
  expect(await readNewestChanges(team)).toEqual({ "context.desk": [7] });
  await mergeChange(team, 9, { "prompts/desk.md": padText("Third.") });
  await expectSuccess(team.applyMain());
  expect(await readNewestChanges(team)).toEqual({ "context.desk": [9], "context.night": [8] });
});

describe("TypeScript project history", () => {
  /** Merges three changes: #8, which is applied, then #9, which edits `desk`, and #7, which edits `night`. */
  async function startMergedChange() {
    const code = (texts: Readonly<Record<string, string>>) => ({
      "avatarops.config.ts": `import { Context, Project } from "avatarops";
const project = new Project();
${Object.entries(texts)
  .map(([id, prompt]) => `new Context(project, "${id}", { name: "${id}", prompt: "${prompt}" });`)
  .join("\n")}
export default project;
`,
    });
    const started = await startChange("github", code({ desk: "Be kind.", night: "Sleep." }));
    await expectSuccess(started.review());
    merge(started);
    await expectSuccess(started.apply());
    const { pulls, comments } = started.world;
    for (const texts of [
      { desk: "Be brief.", night: "Sleep." },
      { desk: "Be brief.", night: "Be quiet." },
    ]) {
      const [last] = pulls;
      const number = 7 + pulls.length;
      if (last) pulls.push({ ...last, number });
      for (const comment of comments)
        if (comment.pull === last?.number) Object.assign(comment, { pull: number });
      await started.project.write("avatarops.config.ts", code(texts)["avatarops.config.ts"]);
      started.commit();
      await expectSuccess(started.review());
      merge(started);
    }
    return started;
  }

  const changesOf = async ({ project }: Change, ...argv: string[]) =>
    (await project.json("history", ...argv)).records[0].changes;

  test("names pull requests whose reviews show the change", async () => {
    const started = await startMergedChange();
    await expectSuccess(started.apply());
    expect(await changesOf(started)).toMatchObject([
      { address: "context.desk", pull_requests: [9] },
      { address: "context.night", pull_requests: [7] },
    ]);
  });

  test("shows the pull request as unknown for a change applied without --reviewed", async () => {
    const started = await startMergedChange();
    const environment = { ...createCiVariables(started), ...createPushVariables(started, started.sha) };
    await expectSuccess(started.project.avataropsWith({ environment }, "apply", "--auto-approve"));
    for (const change of await changesOf(started)) {
      expect(change).toMatchObject({ possible_pull_requests: [9, 7] });
      expect(change).not.toHaveProperty("pull_requests");
    }
    const { stdout } = await started.project.avatarops("history");
    expect(toOneLine(stdout)).toContain("unclear which changes came from #7, #9");
    const blame = toOneLine((await started.project.avatarops("blame", "context.desk")).stdout);
    expect(blame).toContain("Be brief.");
    expect(blame).not.toContain("2 #");
    expect(blame).toContain(
      "Cannot determine which of the pull requests #7, #9 introduced the change in serial 2.",
    );
  });
});

test("shows the pull request from an older record format only as a possible origin", async () => {
  const started = await startChange("github");
  await expectSuccess(started.review());
  merge(started);
  await expectSuccess(started.apply());
  const file = `${started.project.folder}/.avatarops/state.json.history`;
  const { pullRequests, ...record } = JSON.parse((await readFile(file, "utf8")).trim());
  expect(pullRequests).toMatchObject([{ number: 7, changes: ["context.desk"] }]);
  const [{ changes: _, ...pullRequest }] = pullRequests;
  await writeFile(file, `${JSON.stringify({ ...record, pullRequest })}\n`);
  const [read] = (await started.project.json("history")).records;
  expect(read).toMatchObject({ pull_requests: [{ number: 7 }], changes: [{ possible_pull_requests: [7] }] });
  expect(toOneLine((await started.project.avatarops("blame", "context.desk")).stdout)).toContain(
    "Cannot determine whether pull request #7 introduced the change in serial 1.",
  );
});

const toOneLine = (text: string) => text.replaceAll(/[│\s]+/g, " ");
