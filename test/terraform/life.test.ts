// @module-tag terraform
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Workspace } from "../../packages/terraform-plugin/test/terraform.js";
import { createEmptyDataset, type Emulator } from "../../src/emulator/index.js";
import { startEmulator } from "../documented-emulator.js";
import { newInstalled } from "./package/installed.js";

/*
 * Interrupts an apply, or kills the provider during it. Terraform starts the built provider, because signals need
 * separate processes.
 */

const count = 12;
const many = `
resource "avatarops_context" "all" {
  count  = ${count}
  name   = "Desk \${count.index}"
  prompt = "Prompt \${count.index}"
}
`;

const withSecret = (value: string) => `
provider "avatarops" {
  profile = "liveavatar"
}
resource "avatarops_secret" "llm" {
  secret_name     = "llm"
  secret_type     = "LLMPROVIDER_API_KEY"
  secret_value_wo = "sk-${value}"
}
`;

async function startInstalled(
  main: string,
  profile?: "liveavatar",
): Promise<{ emulator: Emulator; terraform: Workspace }> {
  const emulator = await startEmulator(profile ? { profile, world: createEmptyDataset() } : {});
  onTestFinished(() => emulator.close());
  const environment = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" };
  return { emulator, terraform: await newInstalled({ files: { "main.tf": main }, environment }) };
}

describe("terraform apply", () => {
  test("records each created object after Ctrl-C, and creates the rest in the next run", async () => {
    const { emulator, terraform } = await startInstalled(many);
    emulator.addFault("* * delay ms=150 times=always");
    const apply = terraform.start("apply", "-auto-approve", "-parallelism=2");
    await waitUntil(() => emulator.world.contexts.length >= 3);
    apply.kill("SIGINT");
    const { exit, stdout, stderr } = await apply.ended;
    expect(exit, stdout).not.toBe(0);
    expect(`${stdout}${stderr}`).not.toMatch(/did not respond|rpc error|crash/i);
    const made = emulator.world.contexts.map(({ id }) => id);
    expect(made.length).toBeLessThan(count);
    const { resources } = JSON.parse(await terraform.stateText()) as {
      resources: { instances: { attributes: { id: string } }[] }[];
    };
    const kept = resources.flatMap(({ instances }) => instances.map(({ attributes }) => attributes.id));
    expect(kept.sort()).toEqual(made.sort());

    emulator.clearFaults();
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(count);
  });

  test("creates no second context after the provider was killed", async () => {
    const { emulator, terraform } = await startInstalled(many.replace(`${count}`, "1"));
    emulator.addFault("POST /v1/contexts hang-after");
    const apply = terraform.start("apply", "-auto-approve");
    await waitUntil(() => emulator.world.contexts.length === 1);
    const [provider] = listDescendants(apply.pid);
    expect(provider).toBeDefined();
    process.kill(provider ?? 0, "SIGKILL");
    expect((await apply.ended).exit).not.toBe(0);

    const output = await terraform.fail("apply", "-auto-approve");
    const [, id = ""] = /id = "([\w-]{36})"/.exec(output) ?? [];
    expect(id).toBe(emulator.world.contexts[0]?.id);
    await terraform.succeed("import", "avatarops_context.all[0]", id);
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(1);
  });

  test("creates no second context after terraform and the provider were killed", async () => {
    const { emulator, terraform } = await startInstalled(many.replace(`${count}`, "1"));
    emulator.addFault("POST /v1/contexts hang-after");
    await killApply(terraform, () => emulator.world.contexts.length === 1);
    const [{ id = "" } = {}] = emulator.world.contexts;

    expect(await terraform.succeed("plan")).toContain(`id = "${id}"`);
    expect(await terraform.fail("apply", "-auto-approve")).toContain(
      "The account already has a context named",
    );
    await terraform.succeed("import", "avatarops_context.all[0]", id);
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(1);
  });

  test("warns of the first secret before it creates a second one after terraform and the provider were killed", async () => {
    const { emulator, terraform } = await startInstalled(withSecret("one"), "liveavatar");
    emulator.addFault("POST /v1/secrets hang-after");
    await killApply(terraform, () => emulator.world.secrets.length === 1);
    const [{ id: first = "" } = {}] = emulator.world.secrets;

    const plan = await terraform.succeed("plan");
    expect(plan).toContain('The account already has a secret named "llm"');
    expect(plan).toContain(`id = "${first}"`);
    await terraform.succeed("import", "avatarops_secret.llm", first);
    await terraform.settle();
    expect(await terraform.succeed("plan")).not.toContain("already has");
    expect(emulator.world.secrets).toHaveLength(1);

    await terraform.write({ "main.tf": withSecret("two") });
    emulator.addFault("POST /v1/secrets hang-after");
    await killApply(terraform, () => emulator.world.secrets.length === 2);
    const { id: second = "" } = emulator.world.secrets.find(({ id }) => id !== first) ?? {};
    const rotation = await terraform.succeed("plan");
    expect(rotation).toContain('The account already has a newer secret named "llm"');
    expect(rotation).toContain(second);
    expect(await terraform.succeed("apply", "-auto-approve")).toContain("1 changed");
    await terraform.write({ "main.tf": withSecret("three") });
    expect(await terraform.succeed("plan")).not.toContain("already has");
  });
});

/** Kills terraform and its provider during an apply. */
async function killApply(terraform: Workspace, isSent: () => boolean): Promise<void> {
  const apply = terraform.start("apply", "-auto-approve");
  await waitUntil(isSent);
  for (const pid of [...listDescendants(apply.pid), apply.pid]) process.kill(pid, "SIGKILL");
  await apply.ended;
}

async function waitUntil(isSo: () => boolean): Promise<void> {
  for (let waits = 0; !isSo(); waits++) {
    if (waits > 1_000) throw new Error("The condition was not met in time.");
    await sleep(20);
  }
}

/** Returns all descendants of a process, children first. */
function listDescendants(pid: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, rest = ""] = readFileSync(`/proc/${name}/stat`, "utf8").split(") ");
        return [[Number(name), Number(rest.split(" ")[1])] as const];
      } catch {
        return [];
      }
    });
  const children = parents.filter(([, parent]) => parent === pid).map(([child]) => child);
  return [...children, ...children.flatMap(listDescendants)];
}
