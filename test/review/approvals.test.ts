import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { expectSuccess, newFolder } from "../cli/hosting.js";
import { isLong } from "../real/long.js";
import { ada, type Change, createDeskFiles, listPrompts, merge, startChange } from "./change.js";
import { ben, cy, reviewAndMerge, startMergedChange, toOneLine } from "./merged-change.js";
import { guest, type Person } from "./stand-in.js";

const dee: Person = { id: 63, login: "dee" };

const approve = ({ world, sha }: Change, by: Person, commit = sha) =>
  world.reviews.push({ by, commit, at: commit === sha ? "2026-02-01T00:00:00Z" : "2025-12-01T00:00:00Z" });

describe.each(isLong ? (["github", "gitlab", "gitea"] as const) : (["gitea"] as const))(
  "apply --require-approval on %s",
  (name) => {
    test("applies a change with enough approvals by other people, and lists ignored approvals", async () => {
      const change = await startMergedChange(name);
      approve(change, guest);
      approve(change, change.world.me);
      approve(change, dee);
      approve(change, ben, "2".repeat(40));
      approve(change, ada);
      const refused = await change.apply({}, "--require-approval", "2");
      expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining("error[not-approved]") });
      const message = toOneLine(refused.stderr);
      expect(message).toContain(
        `Nothing was applied: pull request #7 has 1 of 2 approvals for its last commit ${change.sha.slice(0, 10)}, by ada, not counting `,
      );
      expect(message).toContain("guest (opened it)");
      expect(message).toContain(`dee (is not allowed to push to the repository)`);
      expect(message).toContain("ben (approved an earlier commit)");
      expect(message).toContain(`${change.world.me.login} (is the account that runs these jobs)`);
      const advice =
        "This host does not accept approvals after a merge, so get the next pull request approved";
      if (name === "gitea") expect(message).toContain(advice);
      else expect(message).not.toContain(advice);
      expect(message).toMatch(/`avatarops apply --digest 1:[\w-]{22}`/);
      expect(listPrompts(change)).toEqual([]);

      approve(change, cy);
      await expectSuccess(change.apply({}, "--require-approval", "2"));
      const history = JSON.parse((await change.project.avatarops("history", "--format", "json")).stdout);
      expect(history.records[0].pull_requests).toEqual([
        {
          ...{ number: 7, author: "guest", approvers: ["ada", "cy"], required: 2 },
          url: expect.stringMatching(/\/7$/),
        },
      ]);
      const shown = toOneLine((await change.project.avatarops("history")).stdout);
      expect(shown).toContain("pull request #7, opened by guest, approved by ada and cy");
      expect(change.problems).toEqual([]);
    });

    test("ignores approvals by pushers, and requires one more approval if the pushers are unknown", async () => {
      const change = await startMergedChange(name);
      const at = "2026-01-01T00:00:00.000Z";
      change.world.pushes = [{ commit: change.sha, at, by: ada }];
      approve(change, ada);
      const refused = await change.apply({}, "--require-approval", "1");
      expect(toOneLine(refused.stderr)).toContain("ada (pushed to it)");
      approve(change, ben);
      change.world.pushes = [{ commit: "2".repeat(40), at }];
      approve(change, cy);
      change.world.reviews.splice(1, 1);
      approve(change, guest);
      change.world.pushes = [{ commit: "2".repeat(40), at, by: ada }];
      const unsure = await change.apply({}, "--require-approval", "2");
      // GitLab shows the time of an approval but not its commit, so no approval counts if the push time is unknown.
      expect(toOneLine(unsure.stderr)).toContain(`${name === "gitlab" ? 0 : 2} of 3 approvals`);
      expect(toOneLine(unsure.stderr)).toContain(
        "the code host does not show who pushed the pull request's commits",
      );
      expect(listPrompts(change)).toEqual([]);
      change.world.pushes = [{ commit: change.sha, at }];
      expect(await change.apply({}, "--require-approval", "2")).toMatchObject({ exit: 0 });
      expect(change.problems).toEqual([]);
    });

    test("requires one more approval if the list of pushes cannot be read", async () => {
      const change = await startMergedChange(name);
      approve(change, ada);
      change.standIn.fail({ on: /activity|timeline|events/, times: 9, answer: { status: 404 } });
      const refused = await change.apply({}, "--require-approval", "1");
      expect(toOneLine(refused.stderr)).toContain("1 of 2 approvals");
    });

    test.skipIf(name === "gitlab")("ignores an approval by the last commit's author", async () => {
      const change = await startMergedChange(name);
      change.world.committers[change.sha] = ada;
      approve(change, ada);
      const refused = await change.apply({}, "--require-approval", "1");
      expect(refused).toMatchObject({ exit: 7 });
      expect(toOneLine(refused.stderr)).toContain("0 of 1 approvals");
      expect(toOneLine(refused.stderr)).toContain("ada (made one of its commits)");
      expect(change.problems).toEqual([]);
    });

    test("rejects the apply if the approvals cannot be read", async () => {
      const change = await startMergedChange(name, "reviews: { require_approval: 1 }\n");
      approve(change, ada);
      const reading = name === "gitlab" ? /approvals/ : /reviews/;
      change.standIn.fail({ on: reading, answer: { status: 403 } });
      expect(await change.apply()).toMatchObject({
        exit: 1,
        stderr: expect.stringContaining("host-forbidden"),
      });
      expect(listPrompts(change)).toEqual([]);
      expect(await change.apply()).toMatchObject({ exit: 0 });
    });

    test("applies without recorded approvers if no approval is required and none can be read", async () => {
      const change = await startMergedChange(name);
      approve(change, ada);
      change.standIn.fail({ on: name === "gitlab" ? /approvals/ : /reviews/, answer: { status: 403 } });
      await expectSuccess(change.apply());
      const history = JSON.parse((await change.project.avatarops("history", "--format", "json")).stdout);
      expect(history.records[0].pull_requests).toEqual([
        { number: 7, author: "guest", required: 0, url: expect.stringMatching(/\/7$/) },
      ]);
    });
  },
);

test("reads the number of required approvals for each environment from the manifest", async () => {
  const settings =
    "environments: { production: { state: production.json, reviews: { require_approval: 2 } }, staging: {} }\n";
  const change = await startChange("github", createDeskFiles("Be kind.", settings));
  change.world.writers.push(ada, ben);
  for (const environment of ["staging", "production"]) await change.review({}, "--env", environment);
  merge(change);
  approve(change, ada);
  const refused = await change.apply({}, "--env", "production");
  expect(toOneLine(refused.stderr)).toContain("1 of 2 approvals");
  expect(await change.apply({}, "--env", "staging")).toMatchObject({ exit: 0 });
});

describe("pull request that lowers the required approvals", () => {
  const required = "reviews: { require_approval: 1 }\n";

  /** Merges a prompt change as a separate pull request. */
  async function mergeNext(change: Change, prompt: string, settings = ""): Promise<void> {
    const { pulls } = change.world;
    const [last] = pulls;
    if (last) pulls.push({ ...last, number: last.number + pulls.length });
    await change.project.write("avatarops.yaml", createDeskFiles(prompt, settings)["avatarops.yaml"]);
    change.commit();
    await reviewAndMerge(change);
  }

  async function startAndApply(): Promise<Change> {
    const change = await startMergedChange("github", required);
    approve(change, ada);
    expect(await change.apply()).toMatchObject({ exit: 0 });
    return change;
  }

  test("needs the original number of approvals if it also changes a prompt", async () => {
    const change = await startAndApply();
    await mergeNext(change, "Be rude.");
    const refused = await change.apply();
    expect(refused).toMatchObject({ exit: 7 });
    expect(toOneLine(refused.stderr)).toMatch(
      /was 1, and commit [0-9a-f]{10} lowered it to 0 without enough approvals \(pull request #7 had 0\)/,
    );
    expect(listPrompts(change)).toEqual(["Be kind."]);
  });

  test("does not take effect after a colleague's apply and a forged history record", async () => {
    const change = await startAndApply();
    // Lowers only the required number of approvals, so the apply changes no objects but adds a record to the history.
    await mergeNext(change, "Be kind.");
    expect(await change.apply()).toMatchObject({ exit: 0 });
    await change.project.avatarops("apply", "--only-rotations", "-y");
    const file = path.join(change.project.folder, ".avatarops/state.json.history");
    await writeFile(file, (await readFile(file, "utf8")).replaceAll('"required":1', '"required":0'));
    await mergeNext(change, "Be rude.");
    expect(toOneLine((await change.apply()).stderr)).toContain("0 of 1 approvals");
    expect(listPrompts(change)).toEqual(["Be kind."]);
  });

  test("takes effect once it has the original number of approvals", async () => {
    const change = await startAndApply();
    await mergeNext(change, "Be brief.");
    approve(change, ben);
    expect(await change.apply()).toMatchObject({ exit: 0 });
    await mergeNext(change, "Be kind.");
    expect(await change.apply()).toMatchObject({ exit: 0 });
    expect(listPrompts(change)).toEqual(["Be kind."]);
  });

  test("needs the original number of approvals if it replaces the manifest with a TypeScript file", async () => {
    const change = await startAndApply();
    await rm(path.join(change.project.folder, "avatarops.yaml"));
    await change.project.write(
      "avatarops.config.ts",
      'import { Context, Project } from "avatarops";\nconst project = new Project();\nnew Context(project, "desk", { name: "Desk", prompt: "Be rude." });\nexport default project;\n',
    );
    change.commit();
    await reviewAndMerge(change);
    expect(toOneLine((await change.apply()).stderr)).toContain("0 of 1 approvals");
  });
});

test("ignores approvals of a pull request merged into another branch", async () => {
  const change = await startMergedChange("github", "reviews: { require_approval: 1 }\n");
  approve(change, ada);
  Object.assign(change.world.pulls[0] ?? {}, { base: "staging" });
  expect(await change.apply()).toMatchObject({ exit: 7, stderr: expect.stringContaining("not-reviewed") });
  expect(listPrompts(change)).toEqual([]);
});

test("requires one more approval for a pull request opened by a bot", async () => {
  const change = await startMergedChange("github", "reviews: { require_approval: 1 }\n");
  Object.assign(change.world.pulls[0] ?? {}, { author: { id: 90, login: "agent[bot]" } });
  approve(change, ada);
  const refused = await change.apply();
  expect(toOneLine(refused.stderr)).toContain("1 of 2 approvals");
  expect(toOneLine(refused.stderr)).toContain(
    "because a bot opened the pull request and the code host does not show on whose behalf",
  );
  approve(change, ben);
  expect(await change.apply()).toMatchObject({ exit: 0 });
});

test.each([
  { numbers: { file: 1, option: 2, before: 1 }, why: "--require-approval is 2." },
  {
    numbers: { file: 2, option: 1, before: 1 },
    why: "`reviews.require_approval` is 2.",
  },
])(
  "requires as many approvals as the largest of these numbers: $numbers",
  async ({ numbers: { file, option, before }, why }) => {
    const required = (count: number) => `reviews: { require_approval: ${count} }\n`;
    const change = await startChange("github", createDeskFiles("Be kind.", required(before)));
    change.world.writers.push(ada, ben);
    const rude = createDeskFiles("Be rude.", required(file));
    await change.project.write("avatarops.yaml", rude["avatarops.yaml"]);
    change.commit();
    await reviewAndMerge(change);
    approve(change, ada);
    const refused = await change.apply({}, "--require-approval", String(option));
    expect(toOneLine(refused.stderr)).toContain("1 of 2 approvals");
    expect(toOneLine(refused.stderr)).toContain(why);
    approve(change, ben);
    expect(await change.apply({}, "--require-approval", String(option))).toMatchObject({ exit: 0 });
  },
);

test("requires the option --require-approval if an earlier manifest is in TypeScript", async () => {
  const code = (prompt: string) => ({
    "avatarops.config.ts": `import { Context, Project } from "avatarops";\nconst project = new Project({ reviews: { requireApproval: 1 } });\nnew Context(project, "desk", { name: "Desk", prompt: "${prompt}" });\nexport default project;\n`,
  });
  const change = await startChange("github", code("Be kind."));
  change.world.writers.push(ada);
  await reviewAndMerge(change);
  const refused = await change.apply();
  expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining("error[not-approved]") });
  expect(toOneLine(refused.stderr)).toContain("Set the number with --require-approval.");
  await change.project.expectRefused(["apply", "--require-approval", "2", "-y"], "[usage]");
  approve(change, ada);
  expect(await change.apply({}, "--require-approval", "1")).toMatchObject({ exit: 0 });
});

test("fetches a shallow clone's missing history, and rejects the apply if that fails", {
  tags: "night",
}, async () => {
  const change = await startMergedChange("github", "reviews: { require_approval: 1 }\n");
  await change.project.write("avatarops.yaml", createDeskFiles("Be rude.")["avatarops.yaml"]);
  change.commit();
  await reviewAndMerge(change);
  const clone = path.join(await newFolder(), "clone");
  const cloneShallow = () =>
    change.git("clone", "--quiet", "--depth=1", pathToFileURL(change.project.folder).href, clone);
  cloneShallow();
  const refused = await change.apply({}, "--file", path.join(clone, "avatarops.yaml"));
  expect(toOneLine(refused.stderr)).toContain("0 of 1 approvals");
  await rm(clone, { recursive: true });
  cloneShallow();
  change.git("-C", clone, "remote", "set-url", "origin", "/nowhere");
  const unknown = await change.apply({}, "--file", path.join(clone, "avatarops.yaml"));
  expect(toOneLine(unknown.stderr)).toContain("It is unknown how many approvals are required");
  expect(listPrompts(change)).toEqual([]);
});

test("reads approvals in history records from earlier and later versions", async () => {
  const change = await startMergedChange("github");
  expect(await change.apply()).toMatchObject({ exit: 0 });
  const file = `${change.project.folder}/.avatarops/state.json.history`;
  const [line = ""] = (await readFile(file, "utf8")).trim().split("\n");
  const { pullRequests, ...old } = JSON.parse(line);
  expect(pullRequests).toMatchObject([{ number: 7, approvers: [] }]);
  for (const record of [old, { ...old, pullRequests: [{ ...pullRequests[0], later: 1 }], other: {} }]) {
    await writeFile(file, `${JSON.stringify(record)}\n`);
    const { stdout } = await change.project.avatarops("history", "--format", "json");
    expect(JSON.parse(stdout).records).toMatchObject([{ serial: 1, changes: [{ effect: "added" }] }]);
  }
});
