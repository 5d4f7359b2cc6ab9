/** Checks that apply does not treat a checkout as up to date if git cannot read it. */
import { rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder, write } from "../git/repositories.js";
import { type Clone, startClones } from "./clones.js";
import { matchText, startAndApply } from "./hosting.js";

const createFiles = (prompt: string) => ({
  "avatarops.yaml": `contexts:\n  desk: { name: Desk, prompt: ${prompt} }\n`,
  ".gitignore": ".avatarops/\n",
});

/** Applies two commits, then checks out the older one. */
async function startBehind() {
  const { first, emulator } = await startClones(createFiles("First."));
  await first.apply();
  first.commit(createFiles("Second."));
  await first.apply();
  first.git("checkout", "--quiet", "-b", "old", "HEAD~1");
  const prompt = () => emulator.world.contexts[0]?.prompt;
  return { checkout: first, prompt };
}

const unreadable: readonly [what: string, make: (checkout: Clone) => Record<string, string>, why: string][] =
  [
    ["belongs to another user", () => ({ GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" }), "safe.directory"],
    ["is in a job without git", () => ({ PATH: newFolder() }), "git is not on your PATH"],
    [
      "has a damaged HEAD",
      ({ root }) => {
        write(root, ".git/HEAD", "");
        return {};
      },
      "does not accept",
    ],
  ];

describe("apply from a checkout that is behind", () => {
  test.for(unreadable)("is rejected if the checkout %s", async ([, make, why]) => {
    const { checkout, prompt } = await startBehind();
    const environment = make(checkout);
    const planned = await checkout.runWith(environment, "plan");
    expect(planned).toMatchObject({
      exit: 0,
      stdout: matchText("Applying would revert context.desk.prompt"),
    });
    expect(planned.stdout).toEqual(matchText(why));
    const refused = await checkout.runWith(environment, "apply", "-y");
    expect(refused).toMatchObject({ exit: 7, stderr: matchText(why) });
    expect(refused.stderr).toEqual(matchText("apply -y --allow behind"));
    expect(prompt()).toBe("Second.");
    expect(await checkout.runWith(environment, "apply", "-y", "--allow", "behind")).toMatchObject({
      exit: 0,
    });
    expect(prompt()).toBe("First.");
  });

  test("is rejected if HEAD names a deleted branch", async () => {
    const { checkout, prompt } = await startBehind();
    write(checkout.root, ".git/HEAD", "ref: refs/heads/gone\n");
    const refused = await checkout.run("apply", "-y");
    expect(refused).toMatchObject({
      exit: 7,
      stderr: matchText("Applying would revert context.desk.prompt"),
    });
    expect(prompt()).toBe("Second.");
  });

  test("succeeds outside a git repository, with a warning even if --quiet is given", async () => {
    const { checkout, prompt } = await startBehind();
    rmSync(path.join(checkout.root, ".git"), { recursive: true });
    const applied = await checkout.run("apply", "-y", "--quiet");
    expect(applied).toMatchObject({ exit: 0, stderr: matchText("These files are not in a git repository") });
    expect(prompt()).toBe("First.");
  });
});

test("applies a new prompt from a checkout that git cannot read, and shows a warning", async () => {
  const { checkout, prompt } = await startBehind();
  write(checkout.root, "avatarops.yaml", createFiles("Third.")["avatarops.yaml"]);
  const applied = await checkout.runWith({ GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" }, "apply", "-y");
  expect(applied).toMatchObject({
    exit: 0,
    stderr: matchText("so it is unknown whether it is behind"),
  });
  expect(applied.stderr).toEqual(matchText("safe.directory"));
  expect(applied.stderr).toEqual(matchText("The commit of these files is not recorded"));
  expect(prompt()).toBe("Third.");
});

describe("apply outside a git repository", () => {
  /** Applies a second prompt as Ana. */
  async function startShared() {
    const as = (user: string) => ({ environment: { USER: user }, hostname: user });
    const project = await startAndApply({ files: createFiles("First.") });
    await project.write("avatarops.yaml", createFiles("Second.")["avatarops.yaml"]);
    expect(await project.avataropsWith(as("ana"), "apply", "-y")).toMatchObject({ exit: 0 });
    const apply = async (user: string, prompt: string) => {
      await project.write("avatarops.yaml", createFiles(prompt)["avatarops.yaml"]);
      return project.avataropsWith(as(user), "apply", "-y");
    };
    return { apply };
  }

  test.each([
    ["First.", "Applying would revert context.desk.prompt to the value before serial 2 (applied by ana on"],
    ["Third.", "Applying would overwrite the value of context.desk.prompt from serial 2 (applied by ana on"],
  ])("reports that the prompt %j replaces another user's prompt", async (prompt, back) => {
    const { apply } = await startShared();
    const { exit, stderr } = await apply("ben", prompt);
    expect([exit, stderr]).toEqual([0, matchText(back)]);
    expect(stderr).toEqual(matchText("it is unknown whether these files are newer"));
  });

  test("shows no warning if a user replaces their own prompt", async () => {
    const { apply } = await startShared();
    expect(await apply("ana", "Third.")).toMatchObject({
      exit: 0,
      stderr: expect.not.stringContaining("unknown"),
    });
  });
});
