// @module-tag terraform
import { describe, expect, test } from "vitest";
import { startAcceptance } from "./acceptance.js";

const canary = "sk-canary-5d0c2b9e17";

const main = (source: string) => `
ephemeral "avatarops_secret_value" "llm" {
${source}
}

resource "avatarops_secret" "llm" {
  secret_name     = "llm-production"
  secret_type     = "LLMPROVIDER_API_KEY"
  secret_value_wo = ephemeral.avatarops_secret_value.llm.value
}
`;

describe("a secret value", () => {
  test.each([
    ["an environment variable", '  from   = "env"\n  fields = { name = "LLM_API_KEY" }'],
    ["a file", '  from   = "file"\n  fields = { path = "keys/llm.txt" }'],
    [
      "a command",
      '  from   = "exec"\n  fields = { command = ["cat", "keys/llm.txt"], timeout_seconds = 20 }',
    ],
  ])("comes from %s, is stored once, and is in no plan and no state", async (_, source) => {
    const { emulator, requests, ...terraform } = await startAcceptance({
      main: main(source),
      files: { "keys/llm.txt": `${canary}\n` },
      providerEnvironment: { LLM_API_KEY: canary, PATH: process.env.PATH ?? "" },
    });
    const said = [
      await terraform.succeed("plan", "-out=saved"),
      await terraform.succeed("show", "-json", "saved"),
      await terraform.succeed("apply", "saved"),
      await terraform.stateText(),
    ];
    expect(emulator.secretValue(emulator.world.secrets[0]?.id ?? "")).toBe(canary);
    await terraform.expectNothingToDo();
    expect(said.join()).not.toContain(canary);
    expect(requests().filter((one) => one.startsWith("POST"))).toEqual(["POST /v1/secrets"]);
  });

  test("that is a new one supersedes the secret", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: main('  from   = "file"\n  fields = { path = "llm.txt" }'),
      files: { "llm.txt": "first" },
    });
    await terraform.succeed("apply", "-auto-approve");
    await terraform.write({ "llm.txt": "second" });
    expect(await terraform.succeed("apply", "-auto-approve")).toContain("0 added, 1 changed, 0 destroyed");
    expect(emulator.world.secrets.map(({ id }) => emulator.secretValue(id))).toEqual(["first", "second"]);
    await terraform.expectNothingToDo();
  });

  test.each([
    ['  from = "envy"\n  fields = { name = "LLM" }', 'There is no source "envy"', 'Did you mean "env"?'],
    ['  from = "env"\n  fields = { nam = "LLM" }', 'Env has no field "nam"', 'Did you mean "name"?'],
    ['  from = "file"\n  fields = {}', 'File has no "path"', ""],
    ['  from = "sops"\n  fields = { path = 3 }', "must be the path of a file", ""],
  ])("is checked before anything is read: %s", async (source, ...messages) => {
    const terraform = await startAcceptance({ main: main(source) });
    const said = (await terraform.fail("validate")).replace(/\s*\n[│ ]*/g, " ");
    for (const message of messages) expect(said).toContain(message);
    expect(terraform.requests()).toEqual([]);
  });

  test("that is not there fails the plan, by the name of its source alone", async () => {
    const terraform = await startAcceptance({
      main: main('  from   = "exec"\n  fields = { command = ["cat", "keys/llm.txt", "keys/none.txt"] }'),
      files: { "keys/llm.txt": canary },
      providerEnvironment: { PATH: process.env.PATH ?? "" },
    });
    const said = await terraform.fail("plan");
    expect(said.replace(/\s*\n[│ ]*/g, " ")).toContain("The command cat … ended with exit code 1");
    expect(said).not.toContain(canary);
  });

  test("is read again when Terraform reads what it waits for", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: `
resource "terraform_data" "name" {
  input = "llm.txt"
}
${main('  from   = "file"\n  fields = { path = terraform_data.name.output }')}`,
      files: { "llm.txt": canary },
    });
    await terraform.succeed("apply", "-auto-approve");
    expect(emulator.secretValue(emulator.world.secrets[0]?.id ?? "")).toBe(canary);
    await terraform.expectNothingToDo();
  });
});
