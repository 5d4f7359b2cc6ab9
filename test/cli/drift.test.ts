import { describe, expect, test } from "vitest";
import { createEmptyDataset, generateDataset, type LlmConfiguration } from "../../src/emulator/index.js";
import type { DriftDocument } from "../../src/output/documents/index.js";
import { matchText, type Project, type ProjectSetup, startAndApply, startProject } from "./hosting.js";
import { forgetTexts } from "./in-git.js";

const host = "10000000-0000-4000-8000-000000000000";
const voice = "20000000-0000-4000-8000-000000000000";
const long = `You are the voice of the returns desk.\n${"Answer politely, in short sentences. ".repeat(8)}End.`;
const livelier = long.replace("politely", "very politely");

const files = {
  "avatarops.yaml": `include: [contexts/*.md]
contexts:
  sales:
    name: Sales desk
    prompt: !file prompts/sales.txt
    opening_text: Hi!
avatars:
  host: { id: ${host}, name: Avatar 1 }
voices:
  narrator: { id: ${voice}, name: Voice 1 }
`,
  "contexts/support.md": `---\nname: Support desk\n---\n${long}\n`,
  "prompts/sales.txt": "Be brief.\n",
};

async function startAppliedProject(setup: ProjectSetup = {}): Promise<Project> {
  const world = generateDataset({ avatars: 1, voices: 1 });
  const project = await startAndApply({ files, world, ...setup });
  project.emulator.requests.length = 0;
  return project;
}

async function runDrift(project: Project, ...argv: readonly string[]) {
  const ran = await project.avatarops("drift", "--format", "json", ...argv);
  return { exit: ran.exit, document: JSON.parse(ran.stdout) as DriftDocument };
}

/** Returns the drift by field: last applied value, live value, and which of the two the files contain. */
async function findDrift(project: Project, ...argv: readonly string[]) {
  const { exit, document } = await runDrift(project, ...argv);
  const objects = document.objects.flatMap(({ address, change, fields }) =>
    change === "vanished"
      ? [[address, change]]
      : fields.map(({ field, before, after, files }) => [address, field, before, after, files]),
  );
  return { exit, objects };
}

const formatDesk = (more = "") => `contexts:\n  desk: { name: Desk, prompt: Be kind.${more} }\n`;

describe("field removed from the files", () => {
  async function startCleared() {
    const project = await startAndApply({ files: { "avatarops.yaml": formatDesk(", opening_text: Hi") } });
    await project.write("avatarops.yaml", formatDesk());
    await project.expectApplied();
    return project;
  }

  test("becomes unmanaged once it is cleared, so later edits cause neither drift nor conflicts", async () => {
    const project = await startCleared();
    project.emulator.editContext("Desk", { opening_text: "Typed elsewhere." });
    await expectNoDifferences(project);
    await project.write("avatarops.yaml", formatDesk(", opening_text: Welcome"));
    const { changes } = await project.json("plan");
    expect(changes).toMatchObject([
      {
        fields: [
          { field: "opening_text", cause: "configured", before: "Typed elsewhere.", after: "Welcome" },
        ],
      },
    ]);
    await project.expectApplied();
    expect(project.emulator.world.contexts).toMatchObject([{ opening_text: "Welcome" }]);
    await expectNoDifferences(project);
  });

  test("is unmanaged if the state still records it as cleared", async () => {
    const project = await startCleared();
    const file = ".avatarops/state.json";
    const recorded = JSON.parse(await project.read(file));
    recorded.objects["context.desk"].applied.opening_text = "";
    await project.write(file, JSON.stringify(recorded));
    await expectNoDifferences(project);
    await project.expectApplied();
    project.emulator.editContext("Desk", { opening_text: "Typed elsewhere." });
    await expectNoDifferences(project);
    await project.write("avatarops.yaml", formatDesk(", opening_text: Welcome"));
    await project.expectApplied();
  });

  test("counts as drift after a dashboard edit until apply clears it", async () => {
    const project = await startAndApply({ files: { "avatarops.yaml": formatDesk(", opening_text: Hi") } });
    await project.write("avatarops.yaml", formatDesk());
    project.emulator.editContext("Desk", { opening_text: "Typed elsewhere." });
    expect(await findDrift(project)).toEqual({
      exit: 2,
      objects: [["context.desk", "opening_text", "Hi", "Typed elsewhere.", "other"]],
    });
    expect(await project.avatarops("plan", "--detailed-exitcode")).toMatchObject({ exit: 2 });
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 3 });
    await project.expectDone("apply", "-y", "--overwrite-drift");
    await expectNoDifferences(project);
  });

  test("becomes unmanaged immediately if the service cannot clear it", async () => {
    const configuration = (more = "") =>
      `service: { profile: liveavatar }
secrets: { llm: { secret_name: LLM, secret_type: LLM_API_KEY, secret_value: !env KEY } }
llm_configurations: { main: { display_name: Main, model_name: gpt-4o, secret: llm${more} } }
`;
    const project = await startAndApply({
      files: { "avatarops.yaml": configuration(", base_url: https://a.example") },
      ...{ world: createEmptyDataset(), emulator: { profile: "liveavatar" }, environment: { KEY: "one" } },
    });
    await project.write("avatarops.yaml", configuration());
    const [main] = project.emulator.world.llmConfigurations as LlmConfiguration[];
    if (main) main.base_url = "https://elsewhere.example";
    await expectNoDifferences(project);
    await project.expectApplied();
    await project.write("avatarops.yaml", configuration(", base_url: https://b.example"));
    await project.expectApplied();
    await expectNoDifferences(project);
  });
});

test("recommends changing the reference in the files if a dashboard edit refers to another declared object", async () => {
  const secret = (key: string) =>
    `  ${key}: { secret_name: ${key}, secret_type: LLM_API_KEY, secret_value: !env KEY }\n`;
  const project = await startAndApply({
    files: {
      "avatarops.yaml": `service: { profile: liveavatar }
secrets:
${secret("one")}${secret("two")}llm_configurations: { main: { display_name: Main, model_name: gpt-4o, secret: one } }
`,
    },
    ...{ world: createEmptyDataset(), emulator: { profile: "liveavatar" }, environment: { KEY: "one" } },
  });
  const { llmConfigurations, secrets } = project.emulator.world;
  const [main] = llmConfigurations as LlmConfiguration[];
  const other = secrets.find(({ secret_name }) => secret_name === "two");
  if (main && other) main.secret_id = other.id;
  for (const command of [["plan"], ["drift"]]) {
    const { stdout, stderr } = await project.avatarops(...command);
    expect(stdout, stderr).toEqual(matchText("in the files, refer to the object selected in the dashboard"));
    expect(stdout).not.toEqual(matchText("declare the object that the field now refers to"));
  }
});

/** Fails unless plan, drift and status find nothing to do. */
async function expectNoDifferences(project: Project): Promise<void> {
  await project.expectNothingToDo();
  for (const command of ["drift", "status"]) await project.expectDone(command);
}

describe("drift", () => {
  test("reports nothing and writes nothing right after an apply", async () => {
    const project = await startAppliedProject();
    const state = await project.read(".avatarops/state.json");
    expect(await runDrift(project)).toEqual({
      exit: 0,
      document: {
        format: "avatarops/drift",
        version: 1,
        service: project.emulator.url,
        state: expect.objectContaining({ serial: 1 }),
        drifted: false,
        summary: { changed: 0, vanished: 0, unreadable: 0, unchanged: 4, unobservable: 0 },
        objects: [],
        unreadable: [],
        rotation_pending: [],
        secrets_unverified: [],
        notes: [],
        requests: expect.any(Number),
      },
    });
    expect(await project.avatarops("drift")).toMatchObject({
      exit: 0,
      stdout: matchText("No drift; 4 as last applied."),
    });
    expect(new Set(project.emulator.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
    expect(await project.read(".avatarops/state.json")).toBe(state);
  });

  test("shows each field's last applied and live values and the time of the edit", async () => {
    const project = await startAppliedProject();
    project.emulator.editContext("Support desk", { prompt: livelier });
    project.emulator.editContext("Sales desk", { name: "Sales", opening_text: "" });
    project.emulator.renameAvatar(host, "Front desk");
    expect(await findDrift(project)).toEqual({
      exit: 2,
      objects: [
        ["avatar.host", "name", "Avatar 1", "Front desk", "applied"],
        ["context.sales", "name", "Sales desk", "Sales", "applied"],
        ["context.sales", "opening_text", "Hi!", "", "applied"],
        ["context.support", "prompt", long, livelier, "applied"],
      ],
    });
    const { document } = await runDrift(project);
    for (const { updated_at } of document.objects)
      expect(Math.abs(Date.parse(updated_at ?? "") - Date.now())).toBeLessThan(600_000);
    const text = await project.avatarops("drift");
    expect(text).toMatchObject({ exit: 2, stdout: matchText("Answer {+very +}politely") });
    expect(text.stdout).toEqual(matchText("avatarops drift --pull-request"));
    const markdown = await project.avatarops("drift", "--format", "markdown");
    expect(markdown).toMatchObject({
      exit: 2,
      stdout: expect.stringContaining("Answer <strong>very </strong>politely, in short sentences."),
    });
  });

  test("does not count file changes as drift, but shows them next to each field", async () => {
    const project = await startAppliedProject();
    project.emulator.editContext("Support desk", { prompt: livelier });
    project.emulator.editContext("Sales desk", { name: "Sales", opening_text: "Hello!" });
    project.emulator.renameAvatar(host, "Front desk");
    await project.write("contexts/support.md", "---\nname: Support desk\n---\nOurs.\n");
    await project.write(
      "avatarops.yaml",
      `include: [contexts/*.md]
contexts:
  sales: { name: Sales, prompt: Not yet applied., opening_text: Welcome! }
`,
    );
    expect(await findDrift(project)).toEqual({
      exit: 2,
      objects: [
        ["avatar.host", "name", "Avatar 1", "Front desk", "undeclared"],
        ["context.support", "prompt", long, livelier, "other"],
        ["context.sales", "name", "Sales desk", "Sales", "live"],
        ["context.sales", "opening_text", "Hi!", "Hello!", "other"],
      ].toSorted(),
    });
    const { stdout } = await project.avatarops("drift");
    expect(stdout).toEqual(matchText("It was removed from the files."));
    expect(stdout).toEqual(
      matchText("The files already have the live value of name, so apply only records the value."),
    );
    expect(stdout).toEqual(
      matchText("`avatarops pull context.support` merges the edit, or shows what both sides changed."),
    );
    expect(stdout).toEqual(matchText("Answer {+very +}politely"));
    await forgetTexts(project);
    const unknown = await project.avatarops("drift");
    expect(unknown.stdout).toEqual(matchText("text not recorded"));
    expect(unknown.stdout).toEqual(
      matchText("The applied text is neither in the files nor in the last 50 records."),
    );
  });

  test("reports an edit as merged if the files contain it along with other changes", async () => {
    const project = await startAppliedProject();
    project.emulator.editContext("Support desk", { prompt: livelier });
    const both = livelier.replace("End.", "Say goodbye.");
    await project.write("contexts/support.md", `---\nname: Support desk\n---\n${both}\n`);
    expect(await findDrift(project)).toEqual({
      exit: 0,
      objects: [["context.support", "prompt", long, livelier, "merged"]],
    });
    const { stdout } = await project.avatarops("drift");
    expect(stdout).toEqual(
      matchText("The files already contain the edit to prompt and other changes, so apply keeps the edit."),
    );
    expect(stdout).not.toMatch(/conflicting|avatarops pull|--overwrite-drift/);
  });

  test("reports a missing object and the object that now has its name", async () => {
    const project = await startAppliedProject();
    const [sales] = project.emulator.world.contexts.filter(({ name }) => name === "Sales desk");
    project.emulator.removeContext("Sales desk");
    expect(await findDrift(project)).toEqual({ exit: 2, objects: [["context.sales", "vanished"]] });
    const again = project.emulator.addContext({ name: "Sales desk", prompt: "By hand." });
    const { document } = await runDrift(project);
    expect(document.objects).toMatchObject([
      { address: "context.sales", id: sales?.id, change: "vanished", successor: again.id, fields: [] },
    ]);
    expect(await project.avatarops("drift")).toMatchObject({
      exit: 2,
      stdout: matchText(`Another object now has the same name: ${again.id}.`),
    });
  });

  test("limits the report to objects that match --target", async () => {
    const project = await startAppliedProject();
    project.emulator.editContext("Support desk", { prompt: livelier });
    project.emulator.editContext("Sales desk", { opening_text: "Hello!" });
    expect((await findDrift(project, "--target", "context.sal*")).objects).toEqual([
      ["context.sales", "opening_text", "Hi!", "Hello!", "applied"],
    ]);
  });

  test("fails if the project has no state", async () => {
    const project = await startProject({ files });
    await project.expectRefused(["drift"], "so the last applied values are unknown");
  });

  test("ignores writes by an interrupted apply", async () => {
    const project = await startAppliedProject();
    // Creates the state of an apply that was killed after its request.
    const state = JSON.parse(await project.read(".avatarops/state.json"));
    const { id, applied: before } = state.objects["context.sales"];
    state.pending["context.sales"] = {
      ...{ address: "context.sales", action: "update", label: "Sales desk", id },
      sent: { ...before, prompt: "Be briefer." },
      ...{ known: [], at: new Date().toISOString() },
    };
    await project.write(".avatarops/state.json", JSON.stringify(state));
    project.emulator.editContext("Sales desk", { prompt: "Be briefer." });
    expect(await findDrift(project)).toEqual({ exit: 0, objects: [] });
    project.emulator.editContext("Sales desk", { opening_text: "Hello!" });
    expect((await findDrift(project)).objects).toContainEqual([
      ...["context.sales", "opening_text", "Hi!", "Hello!", "applied"],
    ]);
  });
});
