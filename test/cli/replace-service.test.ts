import { expect, test } from "vitest";
import { matchText, type Project, startAndApply, startProject } from "./hosting.js";
import { formatContexts } from "./owning.js";

const replace = ["state", "replace-service"];

/** Returns the same account at another base URL. */
const moveAccount = ({ emulator }: Project) => ({
  environment: { AVATAROPS_BASE_URL: emulator.url.replace("127.0.0.1", "localhost") },
});

const readService = async (project: Project) =>
  JSON.parse(await project.read(".avatarops/state.json")).service;

test("records a new base URL if the account there contains the recorded objects", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": formatContexts("one", "two") } });
  const [from, setting] = [project.emulator.url, moveAccount(project)];
  const to = setting.environment.AVATAROPS_BASE_URL;
  expect(await project.avataropsWith(setting, "plan")).toMatchObject({
    ...{
      exit: 1,
      stderr: matchText("For the same account at a new URL, run `avatarops state replace-service`."),
    },
  });
  const question = `The state belongs to ${from}. ${to} has its 2 objects. Type "yes" to record that it belongs to ${to}: `;
  expect(await project.avataropsWith({ ...setting, typed: "no\n" }, ...replace)).toMatchObject({
    ...{ exit: 130, stderr: matchText(question) },
  });
  expect(await project.avataropsWith(setting, ...replace)).toMatchObject({
    ...{ exit: 7, stderr: matchText("`avatarops state replace-service --auto-approve`") },
  });
  expect(await readService(project)).toBe(from);
  expect(await project.avataropsWith({ ...setting, typed: "yes\n" }, ...replace)).toMatchObject({
    ...{ exit: 0, stdout: matchText(`The state belongs to ${to} (previously to ${from}).`) },
  });
  expect(await project.avataropsWith(setting, "plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  expect(await project.avataropsWith(setting, "history")).toMatchObject({
    stdout: matchText(`the state belongs to ${to}, previously to ${from}`),
  });
  expect(await project.avataropsWith(setting, ...replace)).toMatchObject({
    stdout: matchText(`The state belongs to ${to}, as before.`),
  });
});

test("rejects a new base URL if the account there lacks a recorded object", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": formatContexts("one", "two") } });
  const setting = moveAccount(project);
  const world = project.emulator.world.contexts;
  world.splice(0, 1);
  expect(await project.avataropsWith(setting, ...replace, "-y")).toMatchObject({
    ...{ exit: 1, stderr: matchText("does not have 1 of the 2 recorded objects (context.one)") },
  });
  expect(await readService(project)).toBe(project.emulator.url);
  await project.expectDone("state", "forget", "context.one");
  expect(await project.avataropsWith(setting, ...replace, "-y")).toMatchObject({ exit: 0 });
  expect(await readService(project)).toBe(setting.environment.AVATAROPS_BASE_URL);
});

test("warns before recording a new base URL if no recorded object can be read", async () => {
  const secret = "{ secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env TEST_LLM }";
  const environment = { TEST_LLM: "a value of enough length" };
  const project = await startProject({
    files: { "avatarops.yaml": `secrets: { llm: ${secret} }\n` },
    environment,
  });
  await project.expectDone("apply", "-y");
  expect(await project.avataropsWith(moveAccount(project), ...replace, "-y")).toMatchObject({
    ...{ exit: 0, stderr: matchText("None of the recorded objects can be read, so make sure that") },
  });
});
