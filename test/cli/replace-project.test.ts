import { expect, test } from "vitest";
import { expectSuccess, matchText, startProject } from "./hosting.js";
import { git } from "./in-git.js";
import {
  createGitProject,
  formatContexts,
  readRecordedProject,
  selectProject,
  startCopiedProject,
} from "./owning.js";

/* Runs `state replace-project`, which records an intended move of a project. */

const replace = ["state", "replace-project"];

test("keeps a renamed folder's state after `state replace-project` and records the move in the history", async () => {
  const project = await createGitProject({ "support/avatarops.yaml": formatContexts("desk") });
  await project.expectDone("apply", "-y", ...selectProject("support"));
  git(project, "add", "--all");
  git(project, "mv", "support", "help");
  await project.expectRefused(
    ["apply", "-y", ...selectProject("help")],
    "If the project was moved or renamed, run `",
  );
  const [now, before] = ['"help"', '"support"'];
  expect(await project.expectDone(...replace, "-y", ...selectProject("help"))).toMatchObject({
    stdout: matchText(`The state belongs to ${now} (previously to ${before}).`),
  });
  await project.expectDone("apply", "-y", ...selectProject("help"));
  const { records } = await project.json("history", ...selectProject("help"));
  expect(records[0]).toMatchObject({
    ...{ serial: 2, command: "avatarops state replace-project", changes: [] },
    project: { from: { path: "support" }, to: { path: "help" } },
  });
  expect(await project.expectDone("history", ...selectProject("help"))).toMatchObject({
    stdout: matchText(`the state belongs to ${now}, previously to ${before}`),
  });
  expect(await project.expectDone(...replace, ...selectProject("help"))).toMatchObject({
    stdout: matchText(`The state belongs to ${now}, as before.`),
  });
});

test("asks in `state replace-project` before assigning a state to another project", async () => {
  const { project, cwd, run, look } = await startCopiedProject();
  const before = await look();
  const question = matchText(
    'The state belongs to the repository root. Type "yes" to record that it belongs to "copy": ',
  );
  expect(await project.avataropsWith({ cwd, typed: "no\n" }, ...replace)).toMatchObject({
    ...{ exit: 130, stderr: question },
  });
  expect(await run(...replace)).toMatchObject({
    ...{ exit: 7, stderr: matchText("`avatarops state replace-project --auto-approve`") },
  });
  expect(await look()).toEqual(before);
  expect(await project.avataropsWith({ cwd, typed: "yes\n" }, ...replace)).toMatchObject({ exit: 0 });
  expect(await readRecordedProject(project, "copy/.avatarops/state.json")).toEqual({ path: "copy" });
  await expectSuccess(run("apply", "-y"));
});

test("rejects `state replace-project` if another run changes the state before the confirmation", async () => {
  const { project, cwd, run, look } = await startCopiedProject();
  let meanwhile: unknown;
  const typed = async () => {
    await expectSuccess(run(...replace, "-y"));
    meanwhile = await look();
    return "yes\n";
  };
  expect(await project.avataropsWith({ cwd, typed }, ...replace)).toMatchObject({
    ...{ exit: 1, stderr: matchText("another run changed the state in the meantime") },
  });
  expect(await look()).toEqual(meanwhile);
});

test("assigns a state to another environment with `state replace-project` in a project without git", async () => {
  const environments = "environments:\n  staging: {}\n  live: {}\n";
  const project = await startProject({ files: { "avatarops.yaml": environments + formatContexts("desk") } });
  await project.expectDone("apply", "-y", "--env", "staging");
  const refused = ["apply", "-y", "--env", "live"];
  await project.expectRefused(refused, "run `avatarops state replace-project --env live`");
  await project.expectDone(...replace, "-y", "--env", "live");
  await project.expectDone(...refused);
  expect(await readRecordedProject(project)).toEqual({ environment: "live" });
  await project.expectDone(...replace, "-y");
  expect(await readRecordedProject(project)).toEqual({});
  await project.expectRefused(refused, "Omit `--env`, or give this environment its own state");
});

test("keeps the recorded repository and folder when `state replace-project` runs without git", async () => {
  const { project, cwd } = await startCopiedProject();
  const environment = { PATH: "" };
  await project.write(
    "copy/avatarops.yaml",
    `${await project.read("avatarops.yaml")}\nenvironments: { live: {} }\n`,
  );
  await expectSuccess(project.avataropsWith({ cwd, environment }, ...replace, "-y", "--env", "live"));
  expect(await readRecordedProject(project, "copy/.avatarops/state.json")).toEqual({
    path: "",
    environment: "live",
  });
});

test("rejects `state replace-project` without a state or in read-only mode", async () => {
  const project = await startProject({ files: { "avatarops.yaml": formatContexts("desk") } });
  await project.expectRefused([...replace, "-y"], "Nothing is managed yet");
  const { project: copied, cwd, look } = await startCopiedProject();
  const before = await look();
  const setting = { cwd, environment: { AVATAROPS_READ_ONLY: "1" } };
  expect(await copied.avataropsWith(setting, ...replace, "-y")).toMatchObject({ exit: 7 });
  expect(await look()).toEqual(before);
});
