// @module-tag terraform
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

const canary = "sk-canary-8f1e77aa42";

const formatSecret = (more = "") => `
variable "llm_api_key" {
  type      = string
  sensitive = true
  ephemeral = true
}

resource "avatarops_secret" "llm" {
  secret_name     = "llm-production"
  secret_type     = "LLMPROVIDER_API_KEY"
  secret_value_wo = var.llm_api_key
${more}}
`;

/** Returns the arguments that set the secret value. */
const formatKeyArguments = (value: string) => ["-var", `llm_api_key=${value}`];

describe("secret resource", () => {
  test("sends its value once, and keeps it out of the state and saved plans", async () => {
    const { emulator, requests, ...terraform } = await startAcceptance({ main: formatSecret() });
    await terraform.succeed("apply", "-auto-approve", ...formatKeyArguments(canary));
    const [made] = emulator.world.secrets;
    expect(emulator.secretValue(made?.id ?? "")).toBe(canary);
    await terraform.expectNothingToDo(...formatKeyArguments(canary));
    await terraform.succeed("plan", "-out=saved", ...formatKeyArguments(`${canary}-2`));
    expect(await terraform.stateText()).not.toContain(canary);
    expect(await terraform.succeed("show", "saved")).not.toContain(canary);
    expect(await terraform.succeed("show", "-json", "saved")).not.toContain(canary);
    expect(requests().filter((one) => one.startsWith("POST"))).toEqual(["POST /v1/secrets"]);
  });

  test("is superseded only when its declared version changes", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: formatSecret("  secret_value_wo_version = 1\n"),
    });
    await terraform.succeed("apply", "-auto-approve", ...formatKeyArguments(canary));
    await terraform.expectNothingToDo(...formatKeyArguments("another-value"));
    await terraform.write({ "main.tf": formatSecret("  secret_value_wo_version = 2\n") });
    await terraform.succeed("apply", "-auto-approve", ...formatKeyArguments("another-value"));
    expect(emulator.world.secrets).toHaveLength(2);
    expect(emulator.secretValue(emulator.world.secrets[1]?.id ?? "")).toBe("another-value");
  });

  test("lists the earlier secrets that remain in the account if it is replaced manually", async () => {
    const { emulator, ...terraform } = await startAcceptance({ main: formatSecret() });
    await terraform.succeed("apply", "-auto-approve", ...formatKeyArguments("first"));
    await terraform.succeed("apply", "-auto-approve", ...formatKeyArguments("second"));
    const ids = emulator.world.secrets.map(({ id }) => id);
    const output = await terraform.succeed(
      "apply",
      "-auto-approve",
      "-replace=avatarops_secret.llm",
      ...formatKeyArguments("third"),
    );
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(output).toContain(id);
    expect(output).toContain("stays in the account");
  });

  test("keeps its value out of the state and error messages even if the service returns the value", async () => {
    const { emulator, ...terraform } = await startAcceptance({ main: formatSecret() });
    const answer = (data: object) =>
      emulator.addFault({
        match: { method: "POST" },
        do: { kind: "malformed", body: JSON.stringify({ code: 100, data, message: canary }) },
      });
    answer({ id: canary, secret_name: canary });
    const failed = await terraform.fail("apply", "-auto-approve", ...formatKeyArguments(canary));
    expect(failed).toContain("Create outcome unknown");
    expect(failed).not.toMatch(/bug in the provider|canary-8f1e/);
    answer({ id: "s-1", secret_name: canary });
    await terraform.succeed("apply", "-auto-approve", ...formatKeyArguments(canary));
    expect(await terraform.stateText()).not.toContain(canary);
    expect(await terraform.stateOf("avatarops_secret.llm")).toMatchObject({
      id: "s-1",
      secret_name: "llm-production",
    });
    await terraform.expectNothingToDo(...formatKeyArguments(canary));
  });

  test("is superseded only by a new value if the value is known only after apply", async () => {
    const format = (key: string, timeout: string, trigger: number) =>
      `resource "terraform_data" "key" {\n  input = "${key}"\n  triggers_replace = ${trigger}\n}\n${formatSecret(
        `  timeouts = { create = "${timeout}" }\n`,
      )
        .replace(/variable [^}]*}\n/, "")
        .replace("var.llm_api_key", "terraform_data.key.output")}`;
    const { emulator, ...terraform } = await startAcceptance({ main: format("sk-one", "1m", 1) });
    await terraform.settle();
    await terraform.write({ "main.tf": format("sk-two", "2m", 1) });
    await terraform.settle();
    expect(emulator.world.secrets.map(({ id }) => emulator.secretValue(id))).toEqual(["sk-one", "sk-two"]);
    // The unknown value stays the same.
    await terraform.write({ "main.tf": format("sk-two", "3m", 2) });
    await terraform.settle();
    expect(emulator.world.secrets).toHaveLength(2);
  });

  test("is imported with generated configuration that needs no change", async () => {
    const profile = 'provider "avatarops" {\n  profile = "liveavatar"\n}\n';
    const block = 'import {\n  to = avatarops_secret.llm\n  id = "s-1"\n}\n';
    const terraform = await startAcceptance({
      ...{ main: profile + block, world: createEmptyDataset(), emulator: { profile: "liveavatar" } },
    });
    terraform.emulator.world.secrets.push({
      ...{ id: "s-1", secret_name: "llm-production", secret_type: "LLM_API_KEY" },
      created_at: "2026-01-01T00:00:00.000Z",
    });
    const plan = await terraform.succeed("plan", "-generate-config-out=generated.tf");
    expect(plan).toContain("1 to import, 0 to add, 0 to change");
    expect(plan).not.toContain("Warning: The imported");
    await terraform.settle();
    // Sets a value later. The value in the account cannot be compared, so the state records the new one.
    const config = await readFile(path.join(terraform.folder, "generated.tf"), "utf8");
    const withValue = (value: string) => config.replace(/(secret_value_wo +=) null.*/, `$1 "${value}"`);
    await terraform.write({ "generated.tf": withValue("sk-one") });
    expect(await terraform.settle()).toContain("The imported secret cannot be compared");
    expect(terraform.emulator.world.secrets).toHaveLength(1);
    await terraform.write({ "generated.tf": withValue("sk-two") });
    await terraform.settle();
    expect(terraform.emulator.world.secrets).toHaveLength(2);
  });

  test("is imported by its id without creating a secret", async () => {
    const { emulator, ...terraform } = await startAcceptance({ main: formatSecret() });
    await terraform.succeed("apply", "-auto-approve", ...formatKeyArguments(canary));
    const id = emulator.world.secrets[0]?.id ?? "";
    await terraform.succeed("state", "rm", "avatarops_secret.llm");
    await terraform.succeed("import", ...formatKeyArguments(canary), "avatarops_secret.llm", id);
    await terraform.succeed("apply", "-auto-approve", ...formatKeyArguments(canary));
    await terraform.expectNothingToDo(...formatKeyArguments(canary));
    expect(emulator.world.secrets).toHaveLength(1);
    await terraform.succeed("apply", "-auto-approve", ...formatKeyArguments("another-value"));
    expect(emulator.world.secrets).toHaveLength(2);
  });
});
