/** Tests fields in `ignore_changes`, which are created with the declared value, then neither compared nor changed. */
import { describe, expect, it } from "vitest";
import type { BlameDocument } from "../../src/output/documents/index.js";
import { matchText, type Project, startAndApply, startProject } from "../cli/hosting.js";
import { applyEachText } from "../cli/in-git.js";
import { applySuccessfully, listWrites, runUnwrapped, summarizeApply, summarizePlan } from "./commands.js";

const manifest = `contexts:
  desk:
    name: Desk
    prompt: !file desk.md
    opening_text: Ours.
    ignore_changes: [opening_text]
`;
const line = "Not compared, because of ignore_changes: context.desk.opening_text.";

const startDesk = (text = manifest): Promise<Project> =>
  startAndApply({ files: { "avatarops.yaml": text, "desk.md": "Be kind.\n" } });

function edit({ emulator }: Project, opening_text: string): void {
  emulator.editContext("Desk", { opening_text });
}

function readLive({ emulator }: Project) {
  const { prompt, opening_text } = emulator.world.contexts[0] ?? {};
  return [prompt, opening_text];
}

describe("ignored field", () => {
  it("is sent as declared in a create, and later edits cause no planned change", async () => {
    const project = await startProject({ files: { "avatarops.yaml": manifest, "desk.md": "Be kind.\n" } });
    expect((await runUnwrapped(project, "plan")).stdout).not.toContain("Not compared");
    await applySuccessfully(project);
    expect(readLive(project)).toEqual(["Be kind.", "Ours."]);
    const before = listWrites(project);
    for (const [theirs, ours] of [
      ["Theirs.", "Ours."],
      ["", "Another default."],
    ] as const) {
      edit(project, theirs);
      await project.write("avatarops.yaml", manifest.replace("Ours.", ours));
      expect(await summarizePlan(project, "--refresh", "full")).toMatchObject({ exit: 0, notices: [line] });
      const drift = await runUnwrapped(project, "drift");
      expect(drift).toMatchObject({ exit: 0, stdout: matchText(line) });
      await applySuccessfully(project);
      await project.expectNothingToDo();
      for (const named of [[], ["context.desk"]])
        expect(await runUnwrapped(project, "pull", ...named)).toMatchObject({ exit: 0 });
      expect(await project.read("avatarops.yaml")).toBe(manifest.replace("Ours.", ours));
      expect(readLive(project)).toEqual(["Be kind.", theirs]);
    }
    expect(listWrites(project)).toEqual(before);
  });

  it("keeps its latest live value during an update, and does not make a saved plan stale", async () => {
    const project = await startDesk();
    await project.write("desk.md", "Be brief.");
    expect(await runUnwrapped(project, "plan", "--out", "plan.json")).toMatchObject({ exit: 0 });
    edit(project, "Theirs.");
    project.emulator.addFault({
      match: { method: "GET", path: "/v1/contexts/*" },
      skip: 1,
      do: { kind: "run", run: () => edit(project, "Newer.") },
    });
    expect(await runUnwrapped(project, "apply", "plan.json", "--refresh", "full")).toMatchObject({ exit: 0 });
    expect(readLive(project)).toEqual(["Be brief.", "Newer."]);
    await project.expectNothingToDo();
  });

  it("does not hide an edit to another field from pull", async () => {
    const project = await startDesk();
    project.emulator.editContext("Desk", { prompt: "Be rude.", opening_text: "Theirs." });
    const shown = await summarizePlan(project);
    expect(shown).toMatchObject({
      changes: ["update context.desk drifted"],
      fields: ["context.desk prompt"],
    });
    expect(await runUnwrapped(project, "drift")).toMatchObject({
      exit: 2,
      stdout: matchText("Be [-kind-]{+rude+}."),
    });
    expect(await runUnwrapped(project, "pull")).toMatchObject({ exit: 0 });
    expect(await project.read("desk.md")).toBe("Be rude.\n");
    expect(await project.read("avatarops.yaml")).toBe(manifest);
    await project.expectNothingToDo();
  });

  it("keeps its live value in a rollback, unless the object is recreated", async () => {
    const project = await startProject({ files: { "avatarops.yaml": manifest } });
    await applyEachText(project, "desk.md", ["Be kind.\n", "Be brief.\n"]);
    edit(project, "Theirs.");
    expect(await runUnwrapped(project, "rollback", "-y", "--to", "1")).toMatchObject({ exit: 0 });
    expect(readLive(project)).toEqual(["Be kind.", "Theirs."]);
    expect(await runUnwrapped(project, "pull", "context.desk")).toMatchObject({ exit: 0 });
    expect(await project.read("avatarops.yaml")).toBe(manifest);
    await project.expectNothingToDo();
    project.emulator.removeContext("Desk");
    expect(await runUnwrapped(project, "rollback", "-y", "--to", "2")).toMatchObject({ exit: 0 });
    expect(readLive(project)).toEqual(["Be brief.", "Ours."]);
  });

  it("is shown in blame with an unknown author and the reason", async () => {
    const project = await startProject({ files: { "avatarops.yaml": manifest } });
    await applyEachText(project, "desk.md", ["Be kind.\n"]);
    const argv = ["blame", "context.desk", "--field", "opening_text"];
    const { stdout } = await runUnwrapped(project, ...argv, "--format", "json");
    expect((JSON.parse(stdout) as BlameDocument).sentences).toMatchObject([{ text: "Ours.", by: "unknown" }]);
    expect((await runUnwrapped(project, ...argv)).stdout).toContain("the field is in ignore_changes");
  });

  it("is not compared after an update whose response was lost", async () => {
    const project = await startDesk();
    await project.write("desk.md", "Be brief.");
    const drop = { kind: "drop", when: "after" } as const;
    project.emulator.addFault({ match: { method: "PATCH" }, times: Number.POSITIVE_INFINITY, do: drop });
    project.emulator.addFault({
      match: { method: "GET", path: "/v1/contexts/*" },
      skip: 2,
      do: { kind: "run", run: () => edit(project, "Theirs.") },
    });
    expect(await summarizeApply(project, "--refresh", "full")).toMatchObject({
      outcomes: ["context.desk applied"],
      notes: [matchText("The response was lost")],
    });
    expect(readLive(project)).toEqual(["Be brief.", "Theirs."]);
    await project.expectNothingToDo();
  });

  it("is compared again after its removal from ignore_changes", async () => {
    const compared = manifest.replace(/ +ignore.*\n/, "");
    const project = await startDesk(compared);
    edit(project, "Theirs.");
    expect(await summarizePlan(project)).toMatchObject({ changes: ["update context.desk drifted"] });
    await project.write("avatarops.yaml", manifest);
    expect(await runUnwrapped(project, "drift")).toMatchObject({ exit: 0 });
    await project.expectNothingToDo();
    await applySuccessfully(project);
    // Removing the field from the files does not clear it.
    await project.write("avatarops.yaml", manifest.replace(/ +opening_text.*\n/, ""));
    await project.expectNothingToDo();
    await project.write("avatarops.yaml", compared);
    expect(await summarizePlan(project)).toMatchObject({ changes: ["update context.desk configured"] });
    await applySuccessfully(project);
    expect(readLive(project)).toEqual(["Be kind.", "Ours."]);
  });
});

it("keeps the ignored fields of a found or adopted object", async () => {
  const id = "403779b1-9e37-4a1b-9c2d-5ee0fe120000";
  const voice = `voices:\n  mara: { id: ${id}, name: Mara, ignore_changes: [name] }\n`;
  const project = await startProject({
    files: { "avatarops.yaml": manifest + voice, "desk.md": "Be kind.\n" },
  });
  project.emulator.addContext({ name: "Desk", prompt: "Be rude.", opening_text: "Theirs." });
  expect(await summarizeApply(project)).toMatchObject({ exit: 0 });
  expect(readLive(project)).toEqual(["Be kind.", "Theirs."]);
  expect(listWrites(project)).toEqual([expect.stringMatching(/^PATCH .*contexts/)]);
  await project.expectNothingToDo();
});

it("recreates a superseded object with the declared values of ignored fields", async () => {
  const secret = (type: string) => `secrets:
  llm:
    secret_name: LLM
    secret_type: ${type}
    secret_value: !env KEY
    ignore_changes: [secret_type]
`;
  const project = await startProject({ files: { "avatarops.yaml": secret("LLMPROVIDER_API_KEY") } });
  const run = (key: string) =>
    project.avataropsWith({ environment: { KEY: key } }, "apply", "--auto-approve", "--format", "json");
  expect(await run("one")).toMatchObject({ exit: 0 });
  await project.write("avatarops.yaml", secret("VOICEPROVIDER_API_KEY"));
  expect(JSON.parse((await run("one")).stdout)).toMatchObject({ results: [] });
  expect(await run("two")).toMatchObject({ exit: 0 });
  expect(project.emulator.world.secrets.map(({ secret_type }) => secret_type)).toEqual([
    "LLMPROVIDER_API_KEY",
    "VOICEPROVIDER_API_KEY",
  ]);
});

it("keeps an ignored reference to a superseded object", async () => {
  const project = await startProject({
    files: {
      "avatarops.yaml": `service: { profile: liveavatar }
secrets: { llm: { secret_name: LLM, secret_type: OPENAI_API_KEY, secret_value: !env KEY } }
llm_configurations:
  main: { display_name: Main, model_name: gpt, secret: llm, ignore_changes: [secret] }
`,
    },
    emulator: { profile: "liveavatar" },
  });
  const run = (key: string) => project.avataropsWith({ environment: { KEY: key } }, "apply", "-y");
  expect(await run("one")).toMatchObject({ exit: 0 });
  const [first] = project.emulator.world.secrets;
  expect(await run("two")).toMatchObject({ exit: 0 });
  expect(project.emulator.world.secrets).toHaveLength(2);
  expect(project.emulator.world.llmConfigurations).toMatchObject([{ secret_id: first?.id }]);
});

it("accepts TypeScript property names in ignore_changes and suggests a name for a misspelled one", async () => {
  const config = (name: string) => `import { Context, Project } from "avatarops";
const project = new Project();
new Context(project, "desk", { name: "Desk", prompt: "Be kind.", openingText: "Ours.", ignoreChanges: ["${name}"] });
export default project;
`;
  const project = await startAndApply({ files: { "avatarops.config.ts": config("openingText") } });
  edit(project, "Theirs.");
  await project.expectNothingToDo();
  await project.write("avatarops.config.ts", config("openngText"));
  const output = (await runUnwrapped(project, "validate")).stdout;
  expect(output).toContain('does not allow "openngText"');
  expect(output).toContain('did you mean "openingText"?');
  expect(output).toContain("avatarops.config.ts:3:1");
});
