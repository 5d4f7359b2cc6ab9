import { expect, onTestFinished, test } from "vitest";
import { createSampleDataset } from "../../src/emulator/index.js";
import { serve } from "../listening.js";
import { matchText, startAndApply, startProject } from "./hosting.js";

const avatarId = "a03779b1-9e37-4a1b-9c2d-5ee0fe120000";
const files = {
  "avatarops.yaml": `contexts:
  desk: { name: Desk, prompt: !file desk.md }
  other: { name: Other, prompt: Wait. }
avatars:
  host: { id: ${avatarId}, name: Front desk }
`,
  "desk.md": "Be polite.\n",
};

async function startAppliedProject() {
  const project = await startAndApply({ files, world: createSampleDataset(Date.now()) });
  const { id = "" } = project.emulator.world.contexts.find(({ name }) => name === "Desk") ?? {};
  const desk = () => project.emulator.world.contexts.find((one) => one.id === id);
  return { ...project, desk, edit: (...argv: string[]) => project.avatarops("emulate", "edit", ...argv) };
}

test("reports a change by emulate edit as drift until it is pulled", async () => {
  const project = await startAppliedProject();
  const edited = await project.edit(
    "context.desk",
    "--prompt",
    "Be brief.\nBe kind.",
    "--opening-text",
    "Hi.",
  );
  expect(edited).toMatchObject({
    exit: 0,
    stdout: "",
    stderr: matchText("Edited context.desk in the emulator"),
  });
  expect(project.desk()).toMatchObject({ prompt: "Be brief.\nBe kind.", opening_text: "Hi.", name: "Desk" });

  expect(await project.avatarops("drift")).toMatchObject({ exit: 2, stdout: matchText("context.desk") });
  expect(await project.avatarops("pull")).toMatchObject({ exit: 0 });
  expect(await project.read("desk.md")).toBe("Be brief.\nBe kind.\n");
  await project.expectNothingToDo();
});

test("renames an avatar with emulate edit and prints nothing with --quiet", async () => {
  const project = await startAppliedProject();
  expect(await project.edit("avatar.host", "--name", "Night desk", "--quiet")).toEqual({
    exit: 0,
    stdout: "",
    stderr: "",
  });
  expect(project.emulator.world.avatars.find(({ id }) => id === avatarId)?.name).toBe("Night desk");
});

test.each([
  ["no fields", ["context.desk"], "Nothing to edit"],
  ["an unmanaged address", ["context.desc", "--name", "x"], "Did you mean context.desk?"],
  ["a prompt for an avatar", ["avatar.host", "--prompt", "x"], "supports only --name"],
  ["an empty name", ["context.desk", "--name", ""], "did not edit context.desk"],
  ["a name in use", ["context.desk", "--name", "Other"], "another context has the name"],
])("rejects an emulate edit with %s", async (_, argv, message) => {
  const project = await startAppliedProject();
  const before = JSON.stringify(project.emulator.world);
  expect(await project.edit(...argv)).toMatchObject({ exit: 1, stdout: "", stderr: matchText(message) });
  expect(JSON.stringify(project.emulator.world)).toBe(before);
});

test("rejects emulate edit without sending the new text if the base URL is not an emulator", async () => {
  const asked: string[] = [];
  const { url, close } = await serve((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(404).end("{}");
  });
  onTestFinished(close);
  const project = await startProject({ files, environment: { AVATAROPS_BASE_URL: url } });
  await project.expectRefused(["emulate", "edit", "avatar.host", "--name", "x"], `${url} is not an emulator`);
  expect(asked).toEqual(["GET /_emulator"]);
});

test("lists fields that emulate edit changed but plan does not show", async () => {
  const project = await startAndApply({
    files: {
      "avatarops.yaml": "contexts: { desk: { name: Desk, prompt: Be kind., ignore_changes: [prompt] } }\n",
    },
  });
  const edit = (...argv: string[]) => project.avatarops("emulate", "edit", "context.desk", ...argv);
  expect((await edit("--prompt", "Be brief.", "--opening-text", "Hi.")).stderr).toEqual(
    matchText(
      "does not show the edit to prompt (listed in `ignore_changes`), opening_text (not declared in any file).",
    ),
  );
  await project.expectNothingToDo();
  expect((await edit("--name", "Night desk")).stderr).toEqual(matchText("shows the drift"));
  expect(await project.avatarops("plan", "--detailed-exitcode")).toMatchObject({ exit: 2 });
});
