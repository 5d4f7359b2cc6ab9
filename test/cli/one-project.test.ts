/** Checks that a state belongs to one repository, folder and environment. */
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { git as gitIn } from "../git/repositories.js";
import { calls } from "./calls.js";
import { emulate } from "./emulating.js";
import {
  comparedWithoutGit,
  expectSuccess,
  matchText,
  newFolder,
  type Project,
  runIn,
  startProject,
} from "./hosting.js";
import { git } from "./in-git.js";
import {
  createGitProject,
  formatContexts,
  readAccount,
  readRecordedProject,
  selectProject,
  shared,
  startCopiedProject,
} from "./owning.js";

const deleting = "service: { profile: liveavatar }\non_removal: { contexts: delete }\n";
const listContextNames = ({ emulator }: Project) => emulator.world.contexts.map(({ name }) => name);
const accepted = { exit: 0, stderr: expect.not.stringContaining("belongs") };

describe("two project folders with the same state", () => {
  test("cause a plan warning and an apply error in the second folder, so no objects are deleted", async () => {
    const project = await createGitProject({
      "support/avatarops.yaml": shared + deleting + formatContexts("support"),
      "billing/avatarops.yaml": shared + deleting + formatContexts("billing"),
    });
    await project.expectDone("apply", "-y", ...selectProject("support"));
    const why = matchText(
      'belongs to "support", but this is "billing". Give this project its own state (`state:`). If the project was moved or renamed, run `avatarops state replace-project --file billing/avatarops.yaml`.',
    );
    const plan = await project.avatarops("plan", ...selectProject("billing"));
    expect(plan).toMatchObject({ exit: 0, stdout: matchText("- delete"), stderr: why });
    const refused = await project.avatarops("apply", "-y", ...selectProject("billing"));
    expect(refused).toMatchObject({ exit: 1, stdout: "", stderr: why });
    expect(refused.stderr).toContain("error[other-project] Nothing was changed: ");
    expect(listContextNames(project)).toEqual(["support"]);
    expect(git(project, "ls-remote", "origin", "refs/avatarops-locks/*")).toBe("");
    await project.expectNothingToDo(...selectProject("support"));
  });

  test("cause an apply error in the second folder even if the first run was killed before writing a state", async () => {
    const project = await createGitProject({ "avatarops.yaml": deleting + formatContexts("billing") });
    const { url } = project.emulator;
    const header = {
      journal: 1,
      requestTimeoutMs: 30_000,
      id: "j",
      lineage: "l",
      serial: 0,
      service: url,
      project: { path: "support" },
    };
    await project.write(".avatarops/state.json.journal", `${JSON.stringify(header)}\n`);
    await project.expectRefused(["apply", "-y"], 'belongs to "support"');
    expect(listContextNames(project)).toEqual([]);
    expect(project.has(".avatarops/state.json.journal")).toBe(true);
  });

  test("record the project folder in the journal before a state exists", async () => {
    const project = await createGitProject({ "support/avatarops.yaml": formatContexts("desk") });
    await project.write("support/.avatarops/state.json.next/full", "");
    await project.avatarops("apply", "-y", ...selectProject("support"));
    expect(await project.read("support/.avatarops/state.json.journal")).toContain(
      '"project":{"path":"support"}',
    );
  });
});

/** Commands that write neither to the state nor to the objects in it. */
const others = ["token", "smoke", "emulate edit", "sessions stop"];

describe("another project's state", () => {
  test("is rejected by commands that write and causes a warning in commands that read", async () => {
    const { project, run, look } = await startCopiedProject();
    const { id } = project.emulator.addContext({ name: "Old", prompt: "Old." });
    const before = await look();
    const refused: string[] = [];
    const warned: string[] = [];
    for (const [name, argv] of Object.entries({
      ...calls,
      prune: ["prune", id],
      "prune to list": ["prune"],
    })) {
      if (others.includes(name)) continue;
      const { exit, stderr } = await run(...argv);
      if (stderr.includes("error[other-project]")) refused.push(`${name} ${exit}`);
      if (stderr.includes("Commands that write would fail: ")) warned.push(name);
    }
    expect(await look()).toEqual(before);
    const writing = ["apply", "hold", "import", "prune", "pull", "release", "rollback"];
    const ofState = ["state forget", "state migrate", "state mv", "state replace-service", "state unlock"];
    expect(refused.toSorted()).toEqual([...writing, ...ofState].map((name) => `${name} 1`));
    const reading = [
      "blame",
      "drift",
      "generate presets",
      "history",
      "plan",
      "prune to list",
      "review",
      "show",
    ];
    expect(warned.toSorted()).toEqual([...reading, "state list", "state show", "status"]);
  });

  test("is rejected by apply before the confirmation, even with a saved plan or a digest", async () => {
    const { project, cwd, run, look } = await startCopiedProject();
    const text = (await project.read("avatarops.yaml")).replace("polite", "brief");
    await project.write("copy/avatarops.yaml", text);
    const before = await look();
    const { digest } = JSON.parse((await run("plan", "--out", "plan.json", "--format", "json")).stdout);
    for (const argv of [["apply"], ["apply", "plan.json"], ["apply", "--digest", digest]]) {
      const { exit, stderr } = await run(...argv);
      expect([argv, exit, stderr]).toEqual([argv, 1, matchText("error[other-project]")]);
    }
    const asked = await project.avataropsWith({ cwd, typed: "yes\n" }, "apply");
    expect(asked).toMatchObject({ exit: 1, stderr: expect.not.stringContaining('Type "yes"') });
    expect(await look()).toEqual(before);
  });

  test("can be deleted from a copied folder, as the error recommends", async () => {
    const { project, cwd, run } = await startCopiedProject();
    expect(await run("apply", "-y")).toMatchObject({
      ...{
        exit: 1,
        stderr: matchText("delete this state and its `.history`, and rename the objects."),
      },
    });
    for (const file of ["state.json", "state.json.history"]) rmSync(path.join(cwd, ".avatarops", file));
    const text = (await project.read("avatarops.yaml")).replace("name: Desk", "name: Other desk");
    await project.write("copy/avatarops.yaml", text);
    await expectSuccess(run("apply", "-y"));
    expect(await readRecordedProject(project, "copy/.avatarops/state.json")).toEqual({ path: "copy" });
    await project.expectNothingToDo();
  });

  test("is not unlocked without --force", async () => {
    const { project, run } = await startCopiedProject();
    const lock = { id: "b2a4e4b0-4b7e-4a53-8a0c-5b1f5f2a0001", pid: 1, host: "elsewhere" };
    const holder = { ...lock, since: "2026-01-01T00:00:00.000Z", command: "avatarops apply" };
    await project.write("copy/.avatarops/state.json.lock", JSON.stringify(holder));
    expect(await run("state", "unlock")).toMatchObject({
      ...{ exit: 1, stderr: matchText("To remove its lock anyway, add --force.") },
    });
    expect(project.has("copy/.avatarops/state.json.lock")).toBe(true);
    expect(await run("state", "unlock", "--force")).toMatchObject({
      ...{
        exit: 0,
        stdout: matchText("Removed the lock"),
        stderr: matchText("belongs to the repository root"),
      },
    });
  });

  test("is unlocked with a warning if it is damaged", async () => {
    const { project, run } = await startCopiedProject();
    await project.write("copy/.avatarops/state.json", "{");
    expect(await run("state", "unlock")).toMatchObject({
      ...{ exit: 0, stderr: matchText("The state could not be read to check its project.") },
    });
  });
});

describe("repository origin", () => {
  const setOrigin = (project: Project, url: string) => git(project, "remote", "set-url", "origin", url);

  test("causes a plan warning and an apply error in a fork, without showing credentials", async () => {
    const project = await createGitProject({ "avatarops.yaml": formatContexts("desk") });
    setOrigin(project, "git@git.example.com:Team/Avatars.git");
    await project.expectDone("apply", "-y");
    expect(await readRecordedProject(project)).toEqual({ origin: "team/avatars", path: "" });
    setOrigin(project, "https://ci:s3cret@git.example.com/mallory/avatars.git");
    const [theirs, ours] = ["team", "mallory"].map((who) => `the repository root in ${who}/avatars`);
    const why = matchText(`${theirs}, but this is ${ours}`);
    const plan = await project.avatarops("plan");
    expect(plan).toMatchObject({ exit: 0, stderr: why });
    const refused = await project.avatarops("apply", "-y");
    expect(refused).toMatchObject({ exit: 1, stderr: why });
    expect(plan.stderr + refused.stderr).not.toContain("s3cret");
  });

  test("counts as unchanged in a worktree, or if only the URL's host or protocol changes", async () => {
    const project = await createGitProject({ "avatarops.yaml": formatContexts("desk") });
    setOrigin(project, "git@git.example.com:Team/Avatars.git");
    await project.expectDone("apply", "-y");
    const before = await project.read(".avatarops/state.json");
    for (const url of [
      "https://x-access-token:s3cret@git.example.com/team/avatars.git",
      "ssh://git@mirror.example.com:2222/team/avatars/",
      "https://git.example.com/gitlab/team/avatars",
    ]) {
      setOrigin(project, url);
      expect(await project.avatarops("apply", "-y"), url).toMatchObject(accepted);
    }
    expect(await project.read(".avatarops/state.json")).toBe(before);
    git(project, "add", "--all");
    git(project, "commit", "--quiet", "-m", "State");
    const cwd = path.join(project.folder, "tree");
    git(project, "worktree", "add", "--quiet", cwd);
    expect(await project.avataropsWith({ cwd }, "apply", "-y")).toMatchObject(accepted);
  });

  test("is not checked without a remote, and apply reports this", async () => {
    const project = await createGitProject({ "avatarops.yaml": formatContexts("desk") });
    setOrigin(project, "git@git.example.com:team/avatars.git");
    await project.expectDone("apply", "-y");
    git(project, "remote", "remove", "origin");
    const why = "The state belongs to the repository team/avatars. This repository has no remote";
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0, stderr: matchText(why) });
    expect((await readRecordedProject(project)).origin).toBe("team/avatars");
  });

  test("is read from the submodule if the project is inside one", async () => {
    const project = await createGitProject({ "bots/avatarops.yaml": formatContexts("desk") });
    await project.expectDone("apply", "-y", ...selectProject("bots"));
    const around = await createGitProject({ "README.md": "Around.\n" });
    const url = git(project, "remote", "get-url", "origin");
    gitIn(around.folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "avatars");
    const cwd = path.join(around.folder, "avatars/bots");
    cpSync(path.join(project.folder, "bots/.avatarops"), path.join(cwd, ".avatarops"), { recursive: true });
    expect(
      await runIn(cwd, ["apply", "-y"], { environment: { ...readAccount(project), PATH: process.env.PATH } }),
    ).toMatchObject(accepted);
    expect(await readRecordedProject(project, "bots/.avatarops/state.json")).toEqual({ path: "bots" });
  });
});

describe("project without git", () => {
  test("is identified only by its environment, and plan and apply show a warning", async () => {
    const environments = "environments:\n  staging: {}\n  production: {}\n";
    const project = await createGitProject({ "avatarops.yaml": environments + formatContexts("desk") });
    await project.expectDone("apply", "-y", "--env", "staging");
    const cwd = await newFolder();
    const isOurs = (file: string) => path.basename(file) !== ".git";
    cpSync(project.folder, cwd, { recursive: true, filter: isOurs });
    const run = (...argv: string[]) => project.avataropsWith({ cwd }, ...argv);
    const seen = { exit: 0, stderr: expect.stringContaining(comparedWithoutGit) };
    expect(await run("plan", "--env", "staging")).toMatchObject(seen);
    expect(await run("apply", "-y", "--env", "staging")).toMatchObject(seen);
    for (const other of [["--env", "production"], []])
      expect(await run("apply", "-y", ...other)).toMatchObject({
        ...{
          exit: 1,
          stderr: matchText(
            "Choose the other environment with `--env`, or give this environment its own state",
          ),
        },
      });
  });

  test("causes an apply warning if a required environment's state belongs to another environment", async () => {
    const shares = ["staging", "other"].map((name) => `  ${name}: { state: shared.json }\n`).join("");
    const environments = `environments:\n${shares}  live: { state: live.json, needs: [staging] }\n`;
    const project = await startProject({
      files: { "avatarops.yaml": environments + formatContexts("desk") },
    });
    await project.expectDone("apply", "-y", "--env", "other");
    const why = "shared.json belongs to environment other, but this is environment staging.";
    expect(await project.avatarops("apply", "-y", "--env", "live")).toMatchObject({ stderr: matchText(why) });
  });

  test("causes a warning that explains why git cannot read the repository", async () => {
    const project = await createGitProject({ "avatarops.yaml": formatContexts("desk") });
    await project.expectDone("apply", "-y");
    expect(await project.avataropsWith({ environment: { PATH: "" } }, "apply", "-y")).toMatchObject({
      ...{ exit: 0, stderr: matchText("not its project. git is not on your PATH. Install git.") },
    });
    expect(await readRecordedProject(project)).toEqual({ path: "" });
  });

  test("gets its folder recorded once, by the first apply after `git init`", async () => {
    const project = await startProject({ files: { "avatarops.yaml": formatContexts("desk") } });
    await project.expectDone("apply", "-y");
    expect(await readRecordedProject(project)).toEqual({});
    git(project, "init", "--quiet", "-b", "main");
    await project.expectDone("apply", "-y");
    expect(await readRecordedProject(project)).toEqual({ path: "" });
    const once = await project.read(".avatarops/state.json");
    await project.expectDone("apply", "-y");
    expect(await project.read(".avatarops/state.json")).toBe(once);
  });
});

test("keeps the recorded project in state migrate", async () => {
  const project = await createGitProject({ "support/avatarops.yaml": formatContexts("desk") });
  await project.expectDone("apply", "-y", ...selectProject("support"));
  const to = "git+refs://origin/avatarops/production";
  await project.expectDone("state", "migrate", "--to", to, ...selectProject("support"));
  for (const folder of ["support", "billing"])
    await project.write(`${folder}/avatarops.yaml`, shared + formatContexts("desk"));
  await project.expectNothingToDo(...selectProject("support"));
  await project.expectRefused(["apply", "-y", ...selectProject("billing")], 'belongs to "support"');
});

test("allows an apply inside a repository after emulate --project created the state", async () => {
  const project = await startProject({ files: { "avatarops.yaml": formatContexts("desk") } });
  git(project, "init", "--quiet", "-b", "main");
  await project.expectDone("apply", "-y");
  const { variables, stop } = await emulate(["--project"], project.folder);
  await project.write("avatarops.yaml", formatContexts("desk", "shop"));
  expect(await runIn(project.folder, ["apply", "-y"], { environment: variables })).toMatchObject(accepted);
  await stop();
});
