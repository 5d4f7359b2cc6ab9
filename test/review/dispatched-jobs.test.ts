/** Tests which approvals `apply --digest` requires if a person starts the job by hand. */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { commitAll } from "../git/repositories.js";
import { ada, type Change, createDeskFiles, listPrompts, startChange } from "./change.js";
import { createCiVariables, createPushVariables } from "./job.js";
import { ben, startMergedChange, toOneLine } from "./merged-change.js";
import { guest, me, type StoredPull } from "./stand-in.js";
import { mergePull, startReviewTeam } from "./team.js";

/** Returns a function that applies a digest in a job that a user started. */
const createApplyBy =
  (change: Change, first: string) =>
  (login: string, digest = first) =>
    change.project.avataropsWith(
      {
        environment: {
          ...createCiVariables(change.standIn),
          ...createPushVariables(change.standIn, change.git("rev-parse", "HEAD").trim()),
          ...{ CI: "true", GITHUB_REF: "refs/heads/main", GITHUB_ACTOR: login },
        },
      },
      ...["apply", "--digest", digest],
    );

describe("apply --digest with required approvals", () => {
  async function startWithDigest(count: number, pushed?: string) {
    const settings = `reviews: { require_approval: ${count} }\n`;
    const change = await startMergedChange("github", settings);
    if (pushed !== undefined) {
      await change.project.write("avatarops.yaml", createDeskFiles(pushed, settings)["avatarops.yaml"]);
      commitAll(change.project.folder);
    }
    const { stdout } = await change.project.avatarops("plan", "--format", "json");
    const { digest: first } = JSON.parse(stdout);
    return { change, digest: first, applyBy: createApplyBy(change, first) };
  }

  test("applies the plan if one approval is required and the job is started by someone who neither wrote nor pushed the change", async () => {
    const { change, applyBy } = await startWithDigest(1);
    const refused = await applyBy(guest.login);
    expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining("error[not-approved]") });
    expect(toOneLine(refused.stderr)).toContain(
      "starting the job as guest does not count as an approval, because they wrote or pushed pull request #7",
    );
    change.world.pushes = [{ commit: change.sha, at: "2026-01-01T00:00:00.000Z", by: ben }];
    expect(toOneLine((await applyBy("ben")).stderr)).toContain(
      "starting the job as ben does not count as an approval, because they wrote or pushed",
    );
    expect(listPrompts(change)).toEqual([]);
    expect(await applyBy("ada")).toMatchObject({ exit: 0 });
    expect(listPrompts(change)).toEqual(["Be kind."]);
  });

  test("is rejected in a job if two approvals are required or a commit has no pull request", async () => {
    const two = await startWithDigest(2);
    expect(toOneLine((await two.applyBy("ada")).stderr)).toContain(
      "counts as only one of 2 required approvals",
    );
    const one = await startWithDigest(1, "Be brief.");
    expect(toOneLine((await one.applyBy("ada")).stderr)).toContain("(merged without a pull request)");
    expect([...listPrompts(two.change), ...listPrompts(one.change)]).toEqual([]);
  });

  test("finds a change's author through git and the account, even if the history was falsified", async () => {
    const { change, applyBy } = await startWithDigest(1);
    expect(await applyBy("ada")).toMatchObject({ exit: 0 });
    const applied = change.sha;
    const [first] = change.world.pulls;
    if (first) change.world.pulls.push({ ...first, number: 8, author: ben });
    const settings = "reviews: { require_approval: 1 }\n";
    await change.project.write("avatarops.yaml", createDeskFiles("Be brief.", settings)["avatarops.yaml"]);
    const merged = change.commit();
    Object.assign(first ?? {}, { commit: applied, open: false, merged: applied });
    Object.assign(change.world.pulls[1] ?? {}, { commit: merged, open: false, merged });
    const file = path.join(change.project.folder, ".avatarops/state.json.history");
    await writeFile(file, (await readFile(file, "utf8")).replaceAll(applied, merged));
    const { digest } = JSON.parse((await change.project.avatarops("plan", "--format", "json")).stdout);
    const refused = await applyBy("ben", digest);
    expect(toOneLine(refused.stderr)).toContain("because they wrote or pushed pull request #8");
    expect(listPrompts(change)).toEqual(["Be kind."]);
    // This user may apply, because they wrote only pull request #7, whose changes are already live.
    expect(await applyBy(guest.login, digest)).toMatchObject({ exit: 0 });
  });

  test("rejects a change that is older than the newest 100 commits", async () => {
    const { change, digest, applyBy } = await startWithDigest(1);
    const { folder } = change.project;
    const branch = execFileSync("git", ["branch", "--show-current"], {
      cwd: folder,
      encoding: "utf8",
    }).trim();
    const notes = Array.from({ length: 101 }, (_, at) => {
      const from = at === 0 ? `from refs/heads/${branch}^0\n` : "";
      const by = `committer Ada <ada@example.com> ${1_790_000_000 + at} +0000\ndata 1\nx`;
      return `commit refs/heads/${branch}\n${by}\n${from}M 100644 inline notes.md\ndata <<E\n${at}\nE\n`;
    });
    execFileSync("git", ["fast-import", "--quiet"], { cwd: folder, input: notes.join("") });
    execFileSync("git", ["reset", "--quiet", "--hard"], { cwd: folder });
    const refused = await applyBy("ada", digest);
    expect(toOneLine(refused.stderr)).toContain("older than the newest 100 commits");
    expect(listPrompts(change)).toEqual([]);
  });

  test.each([
    ["a folder", "[sh, -c, cat keys/*]"],
    ["several files", "[sh, -c, 'cat keys/name.txt | sh keys/print.sh']"],
  ])(
    "rejects a change of %s that a secret source runs, if its author starts the job",
    async (_what, command) => {
      const project = createDeskFiles("Be kind.", "reviews: { require_approval: 1 }\n")["avatarops.yaml"];
      const secret = `secrets:\n  llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: !exec ${command} }\n`;
      const change = await startChange("github", {
        "avatarops.yaml": project + secret,
        "keys/print.sh": "echo key-one\n",
        "keys/name.txt": "one\n",
      });
      change.world.writers.push(ada, ben);
      const { digest: earliest } = await change.project.json("plan");
      await change.project.expectDone("apply", "--digest", earliest);
      await change.project.write("keys/print.sh", "echo key-two\n");
      const [first] = change.world.pulls;
      if (first) change.world.pulls.push({ ...first, number: 8, author: ben });
      const earlier = change.sha;
      const merged = change.commit();
      Object.assign(first ?? {}, { commit: earlier, open: false, merged: earlier });
      Object.assign(change.world.pulls[1] ?? {}, { commit: merged, open: false, merged });
      const { digest } = await change.project.json("plan");
      const applyBy = createApplyBy(change, digest);
      expect(toOneLine((await applyBy("ben")).stderr)).toContain("they wrote or pushed pull request #8");
      expect(change.project.emulator.world.secrets).toHaveLength(1);
      expect(await applyBy(guest.login)).toMatchObject({ exit: 0 });
    },
  );

  test("rejects a change of a script outside the project folder, if its author starts the job", async () => {
    const secret =
      "secrets:\n  llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: !exec [sh, ../../tools/key.sh] }\n";
    const team = await startReviewTeam();
    team.standIn.world.writers.push(ada, ben);
    const manifest = `${await readFile(path.join(team.ana.inProject, "avatarops.yaml"), "utf8")}${secret}`;
    await team.land({ "avatarops.yaml": manifest, "../../tools/key.sh": "echo key-one\n" });
    await team.land({ "avatarops.yaml": `${manifest}reviews: { require_approval: 1 }\n` });
    team.propose(7, { "../../tools/key.sh": "echo key-two\n" });
    mergePull(team, 7);
    team.propose(8, { "notes.md": "A note.\n" });
    mergePull(team, 8);
    const { pulls } = team.standIn.world;
    pulls.splice(0, 2, ...pulls.map((pull) => ({ ...pull, author: pull.number === 7 ? ben : guest })));
    const clone = team.clone();
    const { digest } = JSON.parse((await clone.run("plan", "--format", "json")).stdout);
    const job = {
      ...createPushVariables(team.standIn, clone.git("rev-parse", "HEAD")),
      ...{ GITHUB_REF: "refs/heads/main", GITHUB_ACTOR: "ben" },
    };
    const refused = await clone.runWith(job, "apply", "--digest", digest);
    expect(toOneLine(refused.stderr)).toContain("they wrote or pushed pull request #7");
    expect(team.emulator.world.secrets).toHaveLength(1);
  });

  test.each(["github-actions[bot]", me.login])(
    "does not count a job that %s started as approved",
    async (login) => {
      const { change, applyBy } = await startWithDigest(1);
      const refused = await applyBy(login);
      expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining("error[not-approved]") });
      expect(toOneLine(refused.stderr)).toContain(
        `starting the job as ${login} does not count as an approval, because that account is not a person`,
      );
      expect(listPrompts(change)).toEqual([]);
    },
  );

  test.each([
    ["of a bot", { id: 12, login: "renovate[bot]" }],
    ["of the account that runs the jobs", me],
  ])(
    "rejects a pull request %s, because it may be on behalf of the person who started the job",
    async (_who, author) => {
      const { change, applyBy } = await startWithDigest(1);
      change.world.pulls.splice(0, 1, { ...(change.world.pulls[0] as StoredPull), author });
      change.world.pushes = [{ commit: change.sha, at: "2026-01-01T00:00:00.000Z", by: me }];
      expect(toOneLine((await applyBy("ada")).stderr)).toContain(
        "because a bot opened pull request #7, perhaps for the person who started the job",
      );
      expect(listPrompts(change)).toEqual([]);
    },
  );

  test("needs no approval on a laptop", async () => {
    const { change, digest } = await startWithDigest(2);
    expect(await change.project.avatarops("apply", "--digest", digest)).toMatchObject({ exit: 0 });
  });
});
