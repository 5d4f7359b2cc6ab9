// @module-tag ci
/**
 * Tests how `apply --auto-approve` in a job finds the number of required approvals, and that it fails if the number
 * is unavailable.
 */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { expectSuccess, matchText, startProject } from "../cli/hosting.js";
import { git, newFolder } from "../git/repositories.js";
import { ada, type Change, createDeskFiles, listPrompts, merge, startChange } from "./change.js";
import { createCiVariables, createPushVariables } from "./job.js";
import type { StandInName } from "./stand-in.js";

async function reviewMerged(name: StandInName, settings = ""): Promise<Change> {
  const change = await startChange(name, createDeskFiles("Be kind.", settings));
  change.world.writers.push(ada);
  await expectSuccess(change.review());
  merge(change);
  return change;
}

const joinLines = (text: string) => text.replaceAll(/[│\s]+/g, " ");

describe("apply --auto-approve in a job", () => {
  const inJob = (change: Change) => ({
    environment: {
      ...createCiVariables(change.standIn),
      ...createPushVariables(change.standIn, change.git("rev-parse", "HEAD").trim()),
      GITHUB_REF: "refs/heads/main",
    },
  });

  test("is rejected if an unapproved commit lowered the number of required approvals", async () => {
    const change = await reviewMerged("github", "reviews: { require_approval: 1 }\n");
    await change.project.write("avatarops.yaml", createDeskFiles("Be rude.")["avatarops.yaml"]);
    change.commit();
    merge(change);
    const refused = await change.project.avataropsWith(inJob(change), "apply", "-y");
    expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining("error[not-approved]") });
    expect(joinLines(refused.stderr)).toMatch(/was 1, and commit [0-9a-f]{10} lowered it to 0/);
    expect(listPrompts(change)).toEqual([]);
    change.world.reviews.push({ by: ada, commit: change.sha, at: "2026-02-01T00:00:00Z" });
    expect(await change.project.avataropsWith(inJob(change), "apply", "-y")).toMatchObject({ exit: 0 });
  });

  test("sends no request to the code host if no commit requires approvals", async () => {
    const change = await reviewMerged("github");
    const { environment } = inJob(change);
    const job = { environment: { ...environment, GITHUB_TOKEN: "" } };
    expect(await change.project.avataropsWith(job, "apply", "-y")).toMatchObject({ exit: 0 });
  });

  /** Clones only the last commit and makes the remote unreachable. */
  function cloneShallow(change: Change): string {
    const clone = path.join(newFolder(), "clone");
    change.git("clone", "--quiet", "--depth=1", pathToFileURL(change.project.folder).href, clone);
    change.git("-C", clone, "remote", "set-url", "origin", "/nowhere");
    return path.join(clone, "avatarops.yaml");
  }

  test.each([
    ["github", {}, "Set `fetch-depth: 0` in the actions/checkout step."],
    ["gitea", {}, "Set `fetch-depth: 0` in the actions/checkout step."],
    ["gitlab", {}, 'Set `GIT_DEPTH: "0"` in the job `variables`.'],
    ["github", { TF_BUILD: "True" }, "Set `fetchDepth: 0` in the `checkout` step."],
    ["github", { BUILDKITE: "true" }, "Run `git fetch --unshallow` first."],
  ] as const)(
    "is rejected in a shallow clone on %s %o, and the error names the setting to change",
    async (name, more, advice) => {
      const change = await reviewMerged(name);
      await change.project.write("avatarops.yaml", createDeskFiles("Be rude.")["avatarops.yaml"]);
      change.commit();
      const job = Object.keys(more).length > 0 ? { CI: "true", ...more } : inJob(change).environment;
      const argv = ["apply", "-y", "--file", cloneShallow(change)];
      const refused = await change.project.avataropsWith({ environment: job }, ...argv);
      expect(refused, refused.stderr).toMatchObject({ exit: 7, stderr: matchText("error[not-approved]") });
      expect(joinLines(refused.stderr)).toContain(`this clone lacks the branch history. ${advice}`);
      expect(listPrompts(change)).toEqual([]);
    },
  );

  test.each([
    ["in a repository of another user", () => ({ GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" }), "safe.directory"],
    ["without git on the PATH", () => ({ PATH: newFolder() }), "git is not on your PATH"],
  ])("is rejected %s", async (_what, make, why) => {
    const more = make();
    const change = await reviewMerged("github");
    const environment = { CI: "true", ...more };
    const refused = await change.project.avataropsWith({ environment }, "apply", "-y");
    expect(refused, refused.stderr).toMatchObject({ exit: 7, stderr: matchText("error[not-approved]") });
    expect(refused.stderr).toEqual(matchText(why));
    expect(listPrompts(change)).toEqual([]);
    // On a laptop, the manifest decides, because the user has the API key.
    expect(await change.project.avataropsWith({ environment: more }, "apply", "-y")).toMatchObject({
      exit: 0,
    });
  });

  test.each([
    [
      "in a repository of another user",
      (_change: Change) => ({ more: { GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" }, argv: [] as string[] }),
      "safe.directory",
    ],
    ["without git on the PATH", () => ({ more: { PATH: newFolder() }, argv: [] }), "git is not on your PATH"],
    [
      "in a shallow clone",
      (change: Change) => ({ more: {}, argv: ["--file", cloneShallow(change)] }),
      "this clone lacks the branch history. Set `fetch-depth: 0` in the actions/checkout step.",
    ],
  ])("is rejected, even with a digest, %s", async (_what, make, why) => {
    const change = await reviewMerged("github", "reviews: { require_approval: 1 }\n");
    await change.project.write("avatarops.yaml", createDeskFiles("Be rude.")["avatarops.yaml"]);
    change.commit();
    const { more, argv } = make(change);
    const { digest } = await change.project.json("plan");
    const ci = argv.length > 0 ? inJob(change).environment : { CI: "true" };
    const job = { environment: { ...ci, ...more } };
    const refused = await change.project.avataropsWith(job, "apply", "--digest", digest, ...argv);
    expect(refused, refused.stderr).toMatchObject({ exit: 7, stderr: matchText("error[not-approved]") });
    expect(joinLines(refused.stderr)).toContain("It is unknown how many approvals are required: ");
    expect(joinLines(refused.stderr)).toContain(why);
    expect(joinLines(refused.stderr)).toContain(
      "Alternatively, set the number with `apply --reviewed --require-approval N`.",
    );
    expect(listPrompts(change)).toEqual([]);
  });

  test("is rejected in a GitHub job, even with a digest, if git cannot read the repository", async () => {
    const change = await reviewMerged("github");
    const { digest } = await change.project.json("plan");
    const environment = { ...inJob(change).environment, GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" };
    const refused = await change.project.avataropsWith({ environment }, "apply", "--digest", digest);
    expect(refused, refused.stderr).toMatchObject({ exit: 1, stderr: matchText("error[untrusted-job]") });
    expect(joinLines(refused.stderr)).toContain(
      "Nothing was applied: it is unknown whether the checked-out change",
    );
    expect(joinLines(refused.stderr)).toContain("safe.directory");
    expect(listPrompts(change)).toEqual([]);
  });

  test("is rejected if an earlier commit's TypeScript manifest requires approvals", async () => {
    const code = (settings: string) =>
      `import { Context, Project } from "avatarops";\nconst project = new Project(${settings});\nnew Context(project, "desk", { name: "Desk", prompt: "Be kind." });\nexport default project;\n`;
    const change = await startChange("github", {
      "avatarops.config.ts": code("{ reviews: { requireApproval: 1 } }"),
    });
    await change.project.write("avatarops.config.ts", code(""));
    change.commit();
    const refused = await change.project.avataropsWith(inJob(change), "apply", "-y");
    expect(refused, refused.stderr).toMatchObject({ exit: 7, stderr: matchText("error[not-approved]") });
    expect(joinLines(refused.stderr)).toContain("apply --reviewed --require-approval");
    expect(listPrompts(change)).toEqual([]);
  });

  test("succeeds outside a repository and in a repository without commits", async () => {
    const project = await startProject({ files: createDeskFiles("Be kind.") });
    const apply = () => project.avataropsWith({ environment: { CI: "true" } }, "apply", "-y");
    expect(await apply()).toMatchObject({ exit: 0 });
    git(project.folder, "init", "--quiet");
    await project.write("avatarops.yaml", createDeskFiles("Be brief.")["avatarops.yaml"]);
    expect(await apply()).toMatchObject({ exit: 0 });
  });
});
