// @module-tag terraform
import { describe, expect, test } from "vitest";
import { type Dataset, generateDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

const createWorld = () => generateDataset({ avatars: 2, voices: 1, contexts: 3, sessions: 2 });
const avatarId = createWorld().avatars[0]?.id ?? "";
const contextId = createWorld().contexts[1]?.id ?? "";

const profile = 'provider "avatarops" {\n  profile = "liveavatar"\n}\n';

/** Returns three objects of each kind that a profile lists. Two of them share a name. */
function createProfileWorld(): Dataset {
  const at = "2026-01-01T00:00:00.123Z";
  const given = generateDataset({ voices: 3 });
  const names = ["Alone", "Both", "Both"];
  const idOf = (group: number, index: number) => `${group}${index}000000-0000-4000-8000-000000000000`;
  const secrets = names.map((secret_name, index) => ({
    ...{ id: idOf(9, index), secret_name, secret_type: "LLM_API_KEY", created_at: at },
  }));
  const llmConfigurations = names.map((display_name, index) => ({
    ...{ id: idOf(5, index), display_name, model_name: "gpt-4o", secret_id: idOf(9, 0), base_url: null },
    ...{ created_at: at, updated_at: at },
  }));
  for (const [index, voice] of given.voices.entries()) voice.name = names[index] ?? "";
  return { ...given, secrets, llmConfigurations };
}

/** Applies a configuration and returns its outputs. */
async function applyForOutputs(main: string, given: Dataset = createWorld()) {
  const { requests, ...terraform } = await startAcceptance({ main, world: given });
  await terraform.settle();
  const outputs = JSON.parse(await terraform.succeed("output", "-json")) as Record<
    string,
    { value: unknown }
  >;
  return Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
}

describe("data sources", () => {
  test("find objects by id or exact name and return all fields", async () => {
    const found = await applyForOutputs(`
data "avatarops_avatar" "by_id" {
  id = "${avatarId}"
}
data "avatarops_avatar" "by_name" {
  name = "Avatar 2"
}
data "avatarops_context" "by_id" {
  id = "${contextId}"
}
data "avatarops_context" "by_name" {
  name = "Context 2"
}
output "name" { value = data.avatarops_avatar.by_id.name }
output "id" { value = data.avatarops_avatar.by_name.id }
output "voice" { value = data.avatarops_avatar.by_id.default_voice.name }
output "prompt" { value = data.avatarops_context.by_id.prompt }
output "same" { value = data.avatarops_context.by_name.id == data.avatarops_context.by_id.id }
`);
    const avatar = { name: "Avatar 1", id: createWorld().avatars[1]?.id, voice: "Voice 1" };
    expect(found).toEqual({ ...avatar, prompt: "Prompt 2", same: true });
  });

  test("fail the plan for an ambiguous or unknown name", async () => {
    const given = createWorld();
    for (const context of given.contexts) context.name = "Desk";
    const { requests, ...terraform } = await startAcceptance({
      main: 'data "avatarops_context" "desk" {\n  name = "Desk"\n}\n',
      world: given,
    });
    const several = await terraform.fail("plan");
    for (const { id } of given.contexts) expect(several).toContain(id);
    expect(several).toContain("on main.tf line 2");
    await terraform.write({ "main.tf": 'data "avatarops_context" "desk" {\n  name = "Nobody"\n}\n' });
    expect(await terraform.fail("plan")).toContain("Nobody");
    await terraform.write({ "main.tf": 'data "avatarops_context" "desk" {}\n' });
    expect(await terraform.fail("validate")).toMatch(/id.*name|name.*id/);
    requests();
  });

  test.each([
    ["voice", "name", "voices", createProfileWorld().voices],
    ["secret", "secret_name", "secrets", createProfileWorld().secrets],
    ["llm_configuration", "display_name", "llm_configurations", createProfileWorld().llmConfigurations ?? []],
  ] as const)(
    "find a %s listed by a profile, and report a missing or ambiguous one",
    async (kind, label, kinds, all) => {
      const source = (line: string) => `${profile}data "avatarops_${kind}" "it" {\n  ${line}\n}\n`;
      const [id = "", ...both] = all.map((one) => one.id);
      const terraform = await startAcceptance({
        main: `${source(`${label} = "Alone"`)}data "avatarops_${kind}" "by_id" {\n  id = "${id}"\n}
output "same" { value = data.avatarops_${kind}.it == data.avatarops_${kind}.by_id }
output "id" { value = data.avatarops_${kind}.it.id }
`,
        ...{ world: createProfileWorld(), emulator: { profile: "liveavatar" } },
      });
      await terraform.settle();
      expect(JSON.parse(await terraform.succeed("output", "-json"))).toMatchObject({
        ...{ same: { value: true }, id: { value: id } },
      });
      const failWith = async (line: string) => {
        await terraform.write({ "main.tf": source(line) });
        const output = await terraform.fail("plan");
        expect(output).toContain("on main.tf line 5");
        return output;
      };
      const several = await failWith(`${label} = "Both"`);
      expect(several).toContain(`The account has 2 ${kinds} named "Both"`);
      // The list of LLM configurations contains no dates.
      const made = kind === "llm_configuration" ? "" : "  created 202";
      for (const one of both) expect(several).toContain(`${one}${made}`);
      const unnamed = await failWith(`${label} = "Nobody"`);
      expect(unnamed).toContain(`The account has no ${kind} whose ${label} is exactly "Nobody".`);
      const missing = "00000000-0000-4000-8000-000000000000";
      const unknown = await failWith(`id = "${missing}"`);
      expect(unknown).toContain(`The account has no ${kind} ${missing}. Correct the id.`);
    },
  );
});
