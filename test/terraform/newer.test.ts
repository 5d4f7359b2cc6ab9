import { describe, expect, test } from "vitest";
import { testedCore } from "../../packages/terraform-plugin/test/terraform.js";
import { findInline, findPassages } from "../../scripts/docs/passages.js";
import { createSampleDataset, sandboxAvatarId } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";
import { withActions, withIdentities } from "./newer-cores.js";

/* Tests identities (since Terraform 1.12), and queries and actions (since 1.14). */

const program = withActions;
const begun = Date.now();
const createWorld = () => createSampleDataset(begun);
const { contexts, avatars } = createWorld();
const [context] = contexts;

/** Commands and configuration from docs/terraform.md. */
const [, , adopt = ""] = findPassages("docs/terraform.md", "sh");
const [, find = "", , smoke = ""] = findPassages("docs/terraform.md", "hcl");

describe.skipIf(!withActions)("terraform query", { tags: "newer-terraform" }, () => {
  test("finds all objects, and generates configuration that adopts them unchanged", async () => {
    const terraform = await startAcceptance({ program, main: "", world: createWorld() });
    await terraform.write({ "account.tfquery.hcl": find });
    const [query = [], apply = []] = adopt
      .trim()
      .split("\n")
      .map((line) => line.split(" ").slice(1));
    const output = await terraform.succeed(...query);
    for (const { id, name } of [...contexts, ...avatars]) {
      expect(output).toMatch(new RegExp(`id=${id} +${name}\n`));
    }
    // Expects one request for each context, and one for each list.
    expect(terraform.requests()).toHaveLength(contexts.length + 2);

    const count = contexts.length + avatars.length;
    const applied = await terraform.succeed(...apply, "-auto-approve");
    await terraform.expectNothingToDo();
    expect(applied).toContain(`${count} imported, 0 added, 0 changed, 0 destroyed`);
    expect(terraform.requests().filter((request) => !request.startsWith("GET "))).toEqual([]);
    expect(await terraform.stateText()).toContain(`"identity": {\n            "id": "${context?.id}"`);
  });

  test("returns at most as many objects as its limit, and fails if the API key is rejected", {
    tags: "night",
  }, async () => {
    const terraform = await startAcceptance({ program, main: "", world: createWorld() });
    const queryNames = async (block: string) => {
      const list = `list "avatarops_context" "it" {\n  provider = avatarops\n${block}\n}\n`;
      await terraform.write({ "it.tfquery.hcl": list });
      const output = await terraform.succeed("query");
      return [...output.matchAll(/id=\S+ +(.*)/g)].map(([, name]) => name);
    };
    expect(await queryNames("  limit = 2")).toHaveLength(2);
    // Names come from the list, so no object is read.
    expect(terraform.requests()).toEqual(["GET /v1/contexts"]);
    terraform.emulator.addFault("GET /v1/contexts 401");
    expect(await terraform.fail("query")).toContain("The service rejected the API key");
  });
});

describe.skipIf(!withActions)("terraform query with a profile", { tags: "newer-terraform" }, () => {
  test("finds voices, secrets and LLM configurations only if the profile is set", async () => {
    const sample = createSampleDataset(begun, "liveavatar");
    const model = {
      ...{ id: "5e0b7d1c-8a4f-4d0e-9b35-0f6a2c7d9e10", display_name: "Production", model_name: "gpt-4o" },
      ...{ secret_id: sample.secrets[0]?.id ?? "", base_url: null },
      ...{ created_at: new Date(begun).toISOString(), updated_at: new Date(begun).toISOString() },
    };
    const offered = { ...sample, llmConfigurations: [model] };
    const terraform = await startAcceptance({
      ...{ program: withActions ?? "", world: offered, emulator: { profile: "liveavatar" } },
      main: 'provider "avatarops" {\n  profile = "liveavatar"\n}\n',
    });
    const list = (kind: string) => `list "avatarops_${kind}" "it" {\n  provider = avatarops\n}\n`;
    await terraform.write({ "it.tfquery.hcl": ["voice", "secret", "llm_configuration"].map(list).join("") });
    const output = await terraform.succeed("query");
    const found = [
      ...offered.voices.map(({ id, name }) => [id, name]),
      ...offered.secrets.map(({ id, secret_name }) => [id, secret_name]),
      ...offered.llmConfigurations.map(({ id, display_name }) => [id, display_name]),
    ];
    expect(found.length).toBeGreaterThan(2);
    for (const [id, name] of found) expect(output).toMatch(new RegExp(`id=${id} +${name}\\n`));
    await terraform.write({ "main.tf": "" });
    const refused = await terraform.fail("query");
    expect(refused).toContain("The list of voices needs a profile");
    expect(refused).toContain("The list of secrets needs a profile");
  });
});

describe.skipIf(!withIdentities)("resource identity", { tags: ["newer-terraform", "night"] }, () => {
  const program = withIdentities;

  test("imports an object, and changes only if the object is replaced", async () => {
    const main = (name: string, secret: string) => `
import {
  to       = avatarops_context.it
  identity = { id = "${context?.id}" }
}
resource "avatarops_context" "it" {
  name   = "${name}"
  prompt = "Hello"
}
resource "avatarops_secret" "it" {
  secret_name     = "llm"
  secret_type     = "LLMPROVIDER_API_KEY"
  secret_value_wo = "${secret}"
}
`;
    const terraform = await startAcceptance({ program, main: main("One", "a"), world: createWorld() });
    const readIdentities = async () => {
      const { resources } = JSON.parse(await terraform.stateText());
      return resources.map(
        ({ instances: [one] }: { instances: { identity?: { id: string } }[] }) => one?.identity,
      );
    };
    expect(await terraform.settle()).toContain("1 imported, 1 added, 1 changed");
    const secrets = () => terraform.emulator.world.secrets.map(({ id }) => ({ id }));
    expect(await readIdentities()).toEqual([{ id: context?.id }, secrets().at(-1)]);
    await terraform.write({ "main.tf": main("Two", "b") });
    await terraform.settle();
    expect(await readIdentities()).toEqual([{ id: context?.id }, secrets().at(-1)]);
    await terraform.succeed("destroy", "-auto-approve");

    await terraform.write({ "main.tf": main("Two", "b").replace(context?.id ?? "", "not an id") });
    expect(await terraform.fail("plan")).toContain('"not an id" is not the id of a context');
  });
});

describe.skipIf(!withActions)("smoke check action", { tags: "newer-terraform" }, () => {
  const main = (prompt: string) =>
    `provider "avatarops" {\n  sandbox_avatar = "${sandboxAvatarId}"\n}\n${smoke.replace("Hello", prompt)}`;

  test("runs after an update, and shows its progress", async () => {
    const terraform = await startAcceptance({ program, main: main("One"), world: createWorld() });
    const created = await terraform.settle();
    expect(created).toContain("Actions: 1 invoked");
    await terraform.write({ "main.tf": main("Two") });
    terraform.requests();
    const output = await terraform.succeed("apply", "-auto-approve");
    const session = terraform.emulator.world.sessions.at(-1);
    for (const line of [
      "Requesting a sandbox session.",
      `Looking for session ${session?.id} among the active sessions.`,
      `Session ${session?.id} is active.`,
    ])
      expect(output).toContain(
        `action.avatarops_smoke.kiosk (triggered by avatarops_context.returns): ${line}\n`,
      );
    expect(session).toMatchObject({ is_sandbox: true, avatar_id: sandboxAvatarId });
    expect(terraform.requests().slice(-3)).toEqual([
      expect.stringMatching("PATCH /v1/contexts/"),
      "POST /v1/sessions/token",
      "GET /v1/sessions",
    ]);
  });

  test("fails the apply if no session can start, keeps the written state, and can be re-run", {
    tags: "night",
  }, async () => {
    const one = main("One");
    const called = one.replace("avatarops_context.returns.id", findInline("docs/terraform.md", "caller"));
    const given = { main: testedCore.minor >= 16 ? called : one, world: createWorld() };
    const terraform = await startAcceptance({ program, ...given });
    terraform.emulator.addFault("POST /v1/sessions/token 403");
    const output = await terraform.fail("apply", "-auto-approve");
    // Since Terraform 1.16, the error contains the line of the action.
    const locationPattern =
      /on main\.tf line \d+, in (resource "avatarops_context" "returns"|action "avatarops_smoke" "kiosk")/;
    expect(output).toMatch(/Error.*does not allow this request/s);
    expect(output).toMatch(locationPattern);
    await terraform.expectNothingToDo();
    const again = ["apply", "-auto-approve", "-invoke=action.avatarops_smoke.kiosk"];
    expect(await terraform.succeed(...again)).toContain("Actions: 1 invoked");
  });
});
