/**
 * Tests fields that refer to another declaration. Apply writes them after the referenced object, and again when the id
 * of that object changes.
 */
import { describe, expect, it } from "vitest";
import { createEmptyDataset, generateDataset, type LlmConfiguration } from "../../src/emulator/index.js";
import { type CommandResult, type Project, startProject } from "../cli/hosting.js";

const profile = "service: { profile: liveavatar }\n";
const isDeleted = "on_removal: { llm_configurations: delete, secrets: delete }\n";
const formatSecrets = (...names: string[]) =>
  `secrets:\n${names.map((name) => `  ${name}: { secret_name: ${name}, secret_type: LLM_API_KEY, secret_value: !env KEY }\n`).join("")}`;
const formatModel = (secret: string) =>
  `llm_configurations:\n  model: { display_name: Model, model_name: gpt-4o, secret: ${secret} }\n`;
const all = profile + formatSecrets("main") + formatModel("main");

async function start(text = all): Promise<Project> {
  return startProject({
    ...{ world: createEmptyDataset(), emulator: { profile: "liveavatar" }, environment: { KEY: "one" } },
    files: { "avatarops.yaml": text },
  });
}

const listConfigurations = ({ emulator }: Project) => emulator.world.llmConfigurations as LlmConfiguration[];
const findId = ({ emulator }: Project, name: string) =>
  emulator.world.secrets.findLast(({ secret_name: named }) => named === name)?.id ?? "";
const listWrites = ({ emulator }: Project) =>
  emulator.requests
    .splice(0)
    .filter(({ method }) => method !== "GET")
    .map(({ method, path }) => `${method} ${path.split("/")[2]}`);
const joinLines = ({ stdout, stderr }: CommandResult) => (stdout + stderr).replace(/\s+/g, " ");

describe("object that references another object", () => {
  it("is created after the referenced object, and the plan shows that object's id as known after apply", async () => {
    const project = await start();
    expect((await project.avatarops("plan")).stdout).toContain(
      "secret        (id of secret.main, known after apply)",
    );
    const { changes } = JSON.parse((await project.avatarops("plan", "--format", "json")).stdout);
    expect(changes.at(-1).fields).toContainEqual({
      ...{ field: "secret", type: "reference", cause: "configured", known_after: "secret.main" },
      declared_at: { file: "avatarops.yaml", line: expect.any(Number) },
    });
    expect((await project.avatarops("plan", "--format", "markdown")).stdout).toContain(
      "id of `secret.main`, known after apply",
    );
    await project.expectApplied();
    expect(listWrites(project)).toEqual(["POST secrets", "POST llm-configurations"]);
    expect(listConfigurations(project)).toMatchObject([{ secret_id: findId(project, "main") }]);
  });

  it("is updated if the referenced object was recreated", async () => {
    const project = await start();
    await project.expectApplied();
    project.emulator.world.secrets.splice(0);
    await project.expectApplied();
    expect(listConfigurations(project)).toMatchObject([{ secret_id: findId(project, "main") }]);
  });

  it("is skipped if the referenced object was not created", async () => {
    const project = await start();
    project.emulator.addFault("POST /v1/secrets 400");
    const ran = await project.avatarops("apply", "--auto-approve");
    expect(joinLines(ran)).toContain("It refers to secret.main, which was not written.");
    expect(listWrites(project)).toEqual(["POST secrets"]);
    await project.expectApplied();
  });

  it("is skipped when targeted alone if the referenced object has no id yet", async () => {
    const project = await start();
    const ran = await project.avatarops("apply", "--auto-approve", "--target", "llm_configuration.model");
    expect(ran).toMatchObject({ exit: 1 });
    expect(joinLines(ran)).toContain("It refers to secret.main, which has no id yet");
    expect(listWrites(project)).toEqual([]);
  });

  it("changes its reference before the old object is deleted", async () => {
    const project = await start(isDeleted + all);
    await project.expectApplied();
    listWrites(project);
    await project.write(
      "avatarops.yaml",
      isDeleted + profile + formatSecrets("other") + formatModel("other"),
    );
    await project.expectApplied();
    expect(listWrites(project)).toEqual(["POST secrets", "PATCH llm-configurations", "DELETE secrets"]);
    expect(listConfigurations(project)).toMatchObject([{ secret_id: findId(project, "other") }]);
  });

  it("keeps the referenced object if its own delete fails", async () => {
    const project = await start(isDeleted + all);
    await project.expectApplied();
    project.emulator.addFault("DELETE /v1/llm-configurations/* 403");
    await project.write("avatarops.yaml", isDeleted + profile);
    const ran = await project.avatarops("apply", "--auto-approve");
    expect(joinLines(ran)).toContain("It is used by llm_configuration.model, whose change was not applied.");
    expect(project.emulator.world.secrets).toHaveLength(1);
    await project.expectApplied();
    expect(project.emulator.world.secrets).toEqual([]);
  });
});

describe("live reference value", () => {
  it("is not pulled, because the service returns an id instead of a name", async () => {
    const text = profile + formatSecrets("main", "other") + formatModel("main");
    const project = await start(text);
    await project.expectApplied();
    Object.assign(listConfigurations(project)[0] ?? {}, { secret_id: findId(project, "other") });
    const ran = await project.avatarops("pull");
    expect(ran).toMatchObject({ exit: 1 });
    expect(joinLines(ran)).toContain("replace it with the name of that object's declaration");
    expect(await project.read("avatarops.yaml")).toBe(text);
  });

  it.each([
    ["an export", ["export", "exported"], "exported/avatarops.yaml"],
    ["an import", ["import", "--write", "--all"], "avatarops.yaml"],
  ])("is omitted and reported by %s", async (_, argv, file) => {
    const project = await start(profile);
    const { avatars, voices } = generateDataset({ avatars: 1, voices: 1 });
    const [{ id = "", name = "" } = {}] = voices;
    project.emulator.world.voices.push(...voices);
    project.emulator.world.avatars.push(
      ...avatars.map((avatar) => ({ ...avatar, default_voice: { id, name } })),
    );
    const options = argv.includes("export") ? ["--profile", "liveavatar"] : [];
    const ran = await project.expectDone(...argv, ...options);
    expect(joinLines(ran)).toContain(
      "is declared without default_voice. Add the name of the referenced declaration.",
    );
    expect(await project.read(file)).toContain(avatars[0]?.id);
  });
});
