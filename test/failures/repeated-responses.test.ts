/** Tests a proxy that responds to a create with the response to another create. */
import { expect, it } from "vitest";
import { type Project, startAndApply } from "../cli/hosting.js";
import { applySuccessfully, listWrites, runUnwrapped, summarizeApply, summarizePlan } from "./commands.js";

const one = "contexts:\n  one: { name: One, prompt: First. }\n";
const two = "  two: { name: Two, prompt: Second. }\n";
const stateFile = ".avatarops/state.json";

/** Makes the service process the next create, and a proxy respond with another object. */
function repeatResponse({ emulator }: Project, data: unknown): void {
  const body = JSON.stringify({ code: 100, data, message: "" });
  emulator.addFault({ match: { method: "POST" }, do: { kind: "malformed", body } });
}

it("looks up a created context if the response contains another address's id", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": one } });
  await project.write("avatarops.yaml", one + two);
  repeatResponse(project, project.emulator.world.contexts[0]);
  expect(await summarizeApply(project)).toMatchObject({ exit: 0, outcomes: ["context.two applied"] });
  await project.expectNothingToDo();
  await project.write("avatarops.yaml", one + two.replace("Second", "Changed"));
  await applySuccessfully(project);
  const prompts = project.emulator.world.contexts.map(({ name, prompt }) => `${name}: ${prompt}`);
  expect(prompts.sort()).toEqual(["One: First.", "Two: Changed."]);
});

it("reports an unknown outcome if a created secret's response contains another address's id", async () => {
  const secret = (name: string) =>
    `  ${name}: { secret_name: ${name}, secret_type: LLMPROVIDER_API_KEY, secret_value: !env KEY }\n`;
  const manifest = `secrets:\n${secret("one")}`;
  const project = await startAndApply({ files: { "avatarops.yaml": manifest }, environment: { KEY: "k-1" } });
  await project.write("avatarops.yaml", manifest + secret("two"));
  const { id } = JSON.parse(await project.read(stateFile)).objects["secret.one"];
  repeatResponse(project, { id, secret_name: "one" });
  const { exit, outcomes, problems } = await summarizeApply(project);
  expect({ exit, outcomes }).toEqual({ exit: 4, outcomes: ["secret.two unknown wrong-shape"] });
  expect(problems[0]).toContain(
    `The response to the create contains the id of another secret (${id}). Check whether a proxy repeats responses.`,
  );
  expect(problems[0]).toContain("run `avatarops import secret.two ID`");
  expect(Object.keys(JSON.parse(await project.read(stateFile)).objects)).toEqual(["secret.one"]);
});

it("changes no object that two addresses of the state share, and continues once one is forgotten", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": one + two } });
  const state = JSON.parse(await project.read(stateFile));
  const { id } = state.objects["context.one"];
  state.objects["context.two"].id = id;
  await project.write(stateFile, JSON.stringify(state));
  project.emulator.requests.length = 0;

  expect(await summarizePlan(project)).toMatchObject({
    exit: 4,
    changes: ["ambiguous context.one shared-id", "ambiguous context.two shared-id"],
  });
  expect((await runUnwrapped(project, "plan")).stdout).not.toContain("--accept-duplicate");
  const { exit, outcomes, problems } = await summarizeApply(project, "--overwrite-drift");
  expect({ exit, outcomes }).toEqual({
    exit: 4,
    outcomes: ["context.one skipped ambiguous", "context.two skipped ambiguous"],
  });
  expect(problems[0]).toBe(
    `context.one, context.two have the same id (${id}), so apply changes none of them. Stop managing each one that this object does not belong to: \`avatarops state forget context.one\` or \`avatarops state forget context.two\`. The next plan looks for its own object.`,
  );
  expect(listWrites(project)).toEqual([]);

  await project.expectDone("state", "forget", "context.two");
  expect(await summarizePlan(project)).toMatchObject({ changes: ["adopt context.two found"] });
  await applySuccessfully(project);
  await project.expectNothingToDo();
});
