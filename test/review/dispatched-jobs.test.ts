/** Tests which approvals `apply --digest` requires if a person starts the job by hand. */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { commitAll } from "../git/repositories.js";
import { createDeskFiles, listPrompts } from "./change.js";
import { createCiVariables, createPushVariables } from "./job.js";
import { ben, startMergedChange, toOneLine } from "./merged-change.js";
import { guest } from "./stand-in.js";

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
    const applyBy = (login: string, digest = first) =>
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
    return { change, digest: first, applyBy };
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

  test("needs no approval on a laptop", async () => {
    const { change, digest } = await startWithDigest(2);
    expect(await change.project.avatarops("apply", "--digest", digest)).toMatchObject({ exit: 0 });
  });
});
