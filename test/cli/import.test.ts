import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import type { PlanDocument } from "../../src/output/documents/index.js";
import { matchText, type Project, startProject } from "./hosting.js";

const unknownId = "ffffffff-0000-4000-8000-000000000000";

const manifest = `contexts:
  support: { name: Support desk, prompt: Be polite. }
  sales: { name: Sales, prompt: Be brief. }
avatars:
  host: { id: 10000000-0000-4000-8000-000000000000, name: Avatar 1 }
voices:
  narrator: { id: 20000000-0000-4000-8000-000000000000, name: Voice 1 }
  silent: { id: 20000000-0000-4000-8000-000000000001, name: Voice 2 }
secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_KEY }
`;

async function startUnmanaged(): Promise<Project> {
  return startProject({
    files: { "avatarops.yaml": manifest },
    world: generateDataset({ avatars: 1, voices: 2, contexts: 2 }),
    environment: { LLM_KEY: "sk-very-secret" },
  });
}

async function planTargets(project: Project, ...targets: readonly string[]) {
  const flags = targets.flatMap((address) => ["--target", address]);
  const { changes }: PlanDocument = await project.json("plan", ...flags);
  return changes.map(({ action, reason, fields }) => [
    action,
    reason,
    ...fields.map(({ field, cause }) => `${field} ${cause}`),
  ]);
}

const createContextId = (at: number) => `30000000-0000-4000-8000-00000000000${at}`;

describe("import", () => {
  test("adopts a context with another name and plans its differences as updates", async () => {
    const project = await startUnmanaged();
    const result = await project.avatarops("import", "context.support", createContextId(0));
    expect(result).toMatchObject({ exit: 0, stdout: matchText(createContextId(0)) });
    expect(result.stdout).toContain("Context 1");
    expect(await planTargets(project, "context.support")).toEqual([
      ["update", "configured", "name configured", "prompt configured"],
    ]);
    project.emulator.editContext(createContextId(0), { prompt: "Somebody was here." });
    expect(await planTargets(project, "context.support")).toEqual([
      ["update", "conflicting", "name configured", "prompt conflicting"],
    ]);
    const forced = ["apply", "-y", "--overwrite-drift", "--target", "context.support"];
    expect(await project.avatarops(...forced)).toMatchObject({ exit: 0 });
    expect(project.emulator.world.contexts[0]).toMatchObject({ name: "Support desk", prompt: "Be polite." });
    await project.expectNothingToDo("--target", "context.support");
  });

  test("rejects an unknown id even if another object has the declared name", async () => {
    const project = await startUnmanaged();
    project.emulator.addContext({ name: "Sales", prompt: "Be brief." });
    await project.expectRefused(
      ["import", "context.sales", unknownId],
      `has no context with the id ${unknownId}`,
    );
    project.emulator.setBehavior({ listCount: "too-large" });
    await project.expectRefused(
      ["import", "context.support", unknownId],
      `has no context with the id ${unknownId}`,
    );
    expect(project.has(".avatarops/state.json")).toBe(false);
  });

  test("adopts an object declared by its id", async () => {
    const project = await startUnmanaged();
    await project.expectDone("import", "avatar.host", "10000000-0000-4000-8000-000000000000");
    await project.expectNothingToDo("--target", "avatar.host");
  });

  test("verifies a voice only if an avatar uses it", async () => {
    const project = await startUnmanaged();
    const seen = await project.avatarops("import", "voice.narrator", "20000000-0000-4000-8000-000000000000");
    expect(seen).toMatchObject({ exit: 0, stderr: "" });
    await project.expectNothingToDo("--target", "voice.narrator");
    const unseen = await project.avatarops("import", "voice.silent", "20000000-0000-4000-8000-000000000001");
    expect(unseen).toMatchObject({ exit: 0, stderr: matchText("so avatarops did not check whether") });
    // The voice's name is unknown, so apply writes it once.
    expect(await project.avatarops("apply", "-y", "--target", "voice.silent")).toMatchObject({ exit: 0 });
    await project.expectNothingToDo("--target", "voice.silent");
  });

  test("adopts a secret without verifying it or recording a fingerprint", async () => {
    const project = await startUnmanaged();
    const result = await project.avatarops("import", "secret.llm", "some-id", "--format", "json");
    expect(result).toMatchObject({ exit: 0, stderr: matchText("so avatarops did not check whether") });
    expect(JSON.parse(result.stdout)).toMatchObject({ address: "secret.llm", id: "some-id" });
    expect(await project.read(".avatarops/state.json")).not.toContain("fingerprints");
    // Without a fingerprint, neither value can be compared with the stored value.
    for (const LLM_KEY of ["sk-very-secret", "sk-another"]) {
      const argv = ["plan", "--target", "secret.llm"];
      const planned = await project.avataropsWith({ environment: { LLM_KEY } }, ...argv);
      expect(planned).toMatchObject({
        exit: 0,
        stdout: matchText("Nothing to apply, but not all secrets could be compared"),
      });
    }
  });

  test("completes a create whose response was lost and keeps the fingerprint of the sent value", async () => {
    const project = await startUnmanaged();
    const target = ["--target", "secret.llm"];
    project.emulator.addFault("POST /v1/secrets drop-after");
    expect(await project.avatarops("apply", "-y", ...target)).toMatchObject({ exit: 4 });
    const [made] = project.emulator.world.secrets;
    expect(await project.avatarops("import", "secret.llm", made?.id ?? "")).toMatchObject({ exit: 0 });
    await project.expectNothingToDo(...target);
    const rotated = { environment: { LLM_KEY: "sk-another" } };
    expect(await project.avataropsWith(rotated, "plan", "--detailed-exitcode", ...target)).toMatchObject({
      exit: 2,
    });
  });

  test("lists the superseded secret after a rotation whose response was lost", async () => {
    const project = await startUnmanaged();
    const target = ["--target", "secret.llm"];
    expect(await project.avatarops("apply", "-y", ...target)).toMatchObject({ exit: 0 });
    project.emulator.addFault("POST /v1/secrets drop-after");
    const rotated = { environment: { LLM_KEY: "sk-another" } };
    expect(await project.avataropsWith(rotated, "apply", "-y", ...target)).toMatchObject({ exit: 4 });
    const [first, second] = project.emulator.world.secrets.map(({ id }) => id);
    const result = await project.avatarops("import", "secret.llm", second ?? "", "--format", "json");
    expect(JSON.parse(result.stdout)).toMatchObject({
      id: second,
      superseded: [{ id: first, label: "llm" }],
    });
    expect(await project.avataropsWith(rotated, "plan", "--detailed-exitcode", ...target)).toMatchObject({
      exit: 0,
    });
  });

  test.each([
    ["context.suport", createContextId(0), "Did you mean context.support?"],
    ["context.support", unknownId, `has no context with the id ${unknownId}`],
    ["avatar.host", unknownId, "change the id in the files"],
    ["nonsense", unknownId, "Addresses have the form KIND.NAME"],
  ])("rejects the address %s with the id %s", async (address, id, why) => {
    const project = await startUnmanaged();
    await project.expectRefused(["import", address, id], why);
    expect(project.has(".avatarops/state.json")).toBe(false);
  });

  test("rejects an object bound to another address, and an address bound to another object", async () => {
    const project = await startUnmanaged();
    await project.avatarops("import", "context.support", createContextId(0));
    const before = await project.read(".avatarops/state.json");
    await project.expectRefused(
      ["import", "context.sales", createContextId(0)],
      "avatarops state mv context.support context.sales",
    );
    await project.expectRefused(
      ["import", "context.support", createContextId(1)],
      "avatarops state forget context.support",
    );
    expect(await project.read(".avatarops/state.json")).toBe(before);
  });
});
