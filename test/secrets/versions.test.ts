import { describe, expect, onTestFinished, test } from "vitest";
import { matchText, type Project, startProject } from "../cli/hosting.js";
import { startKeyring } from "./sources/keyring.js";

/** Tests secret versions in plans, states and errors. */

const formatSecret = (fields: string, name = "llm") =>
  `secrets:\n  ${name}: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, ${fields} }\n`;
const fresh = `!exec [sh, -c, "echo v-$(date +%N)-$$"]`;

async function readEntry(project: Project, address = "secret.llm"): Promise<Record<string, unknown>> {
  const { objects } = JSON.parse(await project.read(".avatarops/state.json")) as {
    objects: Record<string, Record<string, unknown>>;
  };
  return objects[address] ?? {};
}

async function readPlan(project: Project, ...argv: string[]) {
  const { stdout } = await project.avatarops("plan", "--format", "json", ...argv);
  const { changes } = JSON.parse(stdout) as {
    changes: { address: string; action: string; notes: string[] }[];
  };
  return changes.map(({ action, notes }) => ({ action, notes }));
}

describe("declared secret version", () => {
  const start = (version: string, source = fresh) =>
    startProject({
      files: { "avatarops.yaml": formatSecret(`secret_value: ${source}, secret_value_version: ${version}`) },
      environment: { PATH: process.env.PATH ?? "" },
    });
  const declare = (project: Project, version: string, source = fresh) =>
    project.write(
      "avatarops.yaml",
      formatSecret(`secret_value: ${source}, secret_value_version: ${version}`),
    );

  test("is compared instead of a value that differs on each read", async () => {
    const project = await start("1");
    await project.expectApplied();
    await project.expectApplied();
    expect(project.emulator.world.secrets).toHaveLength(1);
    expect(await readEntry(project)).toMatchObject({ versions: { secret_value: { version: "1" } } });
    await declare(project, "2026-11-22");
    expect(await readPlan(project)).toEqual([
      { action: "supersede", notes: ["secret_value: version 1 → 2026-11-22."] },
    ]);
    await project.expectApplied();
    expect(project.emulator.world.secrets).toHaveLength(2);
  });

  test("allows a plan without access to the value", async () => {
    const project = await start("1", "!env THE_KEY");
    expect(
      await project.avataropsWith({ environment: { THE_KEY: "one" } }, "apply", "--auto-approve"),
    ).toMatchObject({
      exit: 0,
    });
    await project.expectNothingToDo();
    await declare(project, "2", "!env THE_KEY");
    expect(await readPlan(project)).toEqual([
      { action: "supersede", notes: ["secret_value: version 1 → 2."] },
    ]);
  });

  test("is recorded when added to an applied secret, without sending the value again", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": formatSecret("secret_value: !env THE_KEY") },
      environment: { THE_KEY: "one" },
    });
    await project.expectApplied();
    await declare(project, "1", "!env THE_KEY");
    await project.expectApplied();
    expect(project.emulator.world.secrets).toHaveLength(1);
    expect(await readEntry(project)).toMatchObject({ versions: { secret_value: { version: "1" } } });
  });

  test("detects changes to an imported secret", async () => {
    const project = await start("7");
    await project.avatarops("import", "secret.llm", "9a1f0c1e-52b7-4a1b-9c2d-5ee0fe120000");
    await project.expectNothingToDo();
    await declare(project, "8");
    expect(await readPlan(project)).toEqual([
      { action: "supersede", notes: ["secret_value: version 7 → 8."] },
    ]);
  });
});

describe("secret version from a vault", () => {
  async function start() {
    const vault = await startKeyring();
    onTestFinished(async () => vault.stop?.());
    const { yaml } = vault.written("one");
    const project = await startProject({
      files: {
        ...vault.files,
        "avatarops.yaml": `include: [keyring.ts]\n${formatSecret(`secret_value: ${yaml}`)}`,
      },
      environment: vault.environment,
    });
    await vault.put("one", "first", project);
    return { vault, project, yaml };
  }

  test("makes a saved plan stale after another rotation", async () => {
    const { vault, project } = await start();
    await project.expectApplied();
    await vault.put("one", "second", project);
    await project.avatarops("plan", "--out", "plan.json");
    await vault.put("one", "third", project);
    expect(await project.avatarops("apply", "plan.json")).toMatchObject({ exit: 5 });
    expect(project.emulator.world.secrets).toHaveLength(1);
    expect(await readPlan(project)).toEqual([
      { action: "supersede", notes: ["secret_value: version 3 → 5."] },
    ]);
  });

  test("allows a plan of a new secret without permission to read values", async () => {
    const { vault, project } = await start();
    await vault.versions.refuseValues();
    expect(await readPlan(project, "--out", "plan.json")).toEqual([{ action: "create", notes: [] }]);
    expect(vault.reads()).toBe(0);
    await vault.versions.allowValues();
    expect(await project.avatarops("apply", "plan.json")).toMatchObject({ exit: 0 });
  });

  test("is kept when the secret is renamed", async () => {
    const { vault, project, yaml } = await start();
    await project.expectApplied();
    await project.write(
      "avatarops.yaml",
      `include: [keyring.ts]\n${formatSecret(`secret_value: ${yaml}`, "voice")}`,
    );
    await project.avatarops("state", "mv", "secret.llm", "secret.voice");
    const read = vault.reads();
    await project.expectNothingToDo();
    expect(vault.reads()).toBe(read);
  });

  test("is recorded before a create, and kept if the secret is imported after a lost response", async () => {
    const { vault, project } = await start();
    project.emulator.addFault("POST /v1/secrets drop-after");
    await project.avatarops("apply", "--auto-approve");
    const { pending } = JSON.parse(await project.read(".avatarops/state.json")) as {
      pending: Record<string, { versions?: unknown }>;
    };
    expect(pending["secret.llm"]?.versions).toMatchObject({ secret_value: { version: "3" } });
    const [made] = project.emulator.world.secrets;
    expect(await project.avatarops("import", "secret.llm", made?.id ?? "")).toMatchObject({ exit: 0 });
    const read = vault.reads();
    await project.expectNothingToDo();
    expect(vault.reads()).toBe(read);
  });

  test("is truncated and printed without control characters", async () => {
    const { vault, project } = await start();
    await project.expectApplied();
    const state = JSON.parse(await project.read(".avatarops/state.json")) as {
      objects: Record<string, { versions: { secret_value: { version: string } } }>;
    };
    const entry = state.objects["secret.llm"];
    if (entry) entry.versions.secret_value.version = `\u001b[31m${"x".repeat(100)}\n::error::`;
    await project.write(".avatarops/state.json", JSON.stringify(state));
    const { stdout } = await project.avatarops("plan");
    expect(stdout).toEqual(matchText("…"));
    expect(stdout).not.toMatch(/\u001b\[31m|x{70}|^::/m);
    expect(vault.reads()).toBe(1);
  });
});
