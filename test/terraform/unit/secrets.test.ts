import { Unknown } from "@avatarops/terraform-plugin";
import { describe, expect, test } from "vitest";
import { createImported, type Kept, startAccount, startRun, type Values } from "./driving.js";

const type = "avatarops_secret";

const createLlm = (changes: Values = {}): Values => ({
  secret_name: "llm-production",
  secret_type: "LLMPROVIDER_API_KEY",
  secret_value_wo: "sk-one",
  ...changes,
});

describe("secret resource", () => {
  test.each<{ what: string; changes: Values }>([
    { what: "a new value", changes: { secret_value_wo: "sk-two" } },
    { what: "a new name", changes: { secret_name: "llm" } },
    { what: "a new type", changes: { secret_type: "VOICEPROVIDER_API_KEY" } },
  ])("is superseded if it gets $what, and keeps the old id in the state", async ({ changes }) => {
    const emulator = await startAccount();
    const run = await startRun(emulator);
    const { kept } = await run.apply(type, createLlm());
    const next = await run.apply(type, createLlm(changes), kept);
    expect(next.planned).toMatchObject({ id: Unknown, superseded_ids: [kept?.state.id] });
    expect(next.diagnostics).toMatchObject([
      { severity: "warning", summary: "The superseded secret was not deleted" },
    ]);
    expect(next.kept?.state.superseded_ids).toEqual([kept?.state.id]);
    expect(emulator.world.secrets.map(({ id }) => id)).toEqual([kept?.state.id, next.kept?.state.id]);
  });

  test("fails the plan without a value, unless it is imported", async () => {
    const emulator = await startAccount();
    const run = await startRun(emulator);
    const without = createLlm({ secret_value_wo: null });
    const { diagnostics } = await run.apply(type, without);
    expect(diagnostics).toMatchObject([
      { severity: "error", summary: "Missing secret_value_wo", path: ["secret_value_wo"] },
    ]);
    const adopted = await run.apply(type, without, createImported("s-1"));
    expect(adopted.diagnostics).toMatchObject([{ severity: "warning" }]);
    expect(
      (await run.apply(type, { ...without, secret_name: "Other" }, adopted.kept)).diagnostics,
    ).toMatchObject([{ severity: "error", summary: "Missing secret_value_wo" }]);
    expect(emulator.requests).toEqual([]);
  });

  test("fails the plan if its value is not a key, and keeps the previous secret", async () => {
    const emulator = await startAccount();
    const run = await startRun(emulator);
    const { kept } = await run.apply(type, createLlm());
    for (const before of [kept, undefined]) {
      const { diagnostics } = await run.apply(type, createLlm({ secret_value_wo: "null" }), before);
      expect(diagnostics).toContainEqual(
        expect.objectContaining({ severity: "error", summary: "secret_value_wo is not a key" }),
      );
    }
    expect(emulator.world.secrets).toHaveLength(1);
  });

  test("is not sent again when it gets its first version", async () => {
    const emulator = await startAccount();
    const run = await startRun(emulator);
    const first = (await run.apply(type, createLlm())).kept;
    const next = await run.apply(type, createLlm({ secret_value_wo_version: 1 }), first);
    expect(next.kept?.state).toMatchObject({ id: first?.state.id, secret_value_wo_version: 1 });
    expect(emulator.world.secrets).toHaveLength(1);
  });

  test("stays unchanged with a warning if its value is unknown", async () => {
    const emulator = await startAccount();
    const run = await startRun(emulator);
    const { kept } = await run.apply(type, createLlm());
    const { planned, diagnostics } = await run.plan(type, createLlm({ secret_value_wo: Unknown }), kept);
    expect(planned).toEqual(kept?.state);
    expect(diagnostics).toMatchObject([{ severity: "warning", path: ["secret_value_wo"] }]);
  });

  test("stays unchanged if fingerprint_key changes, until a new version renews the fingerprint", async () => {
    const emulator = await startAccount();
    const first = (await (await startRun(emulator)).apply(type, createLlm())).kept;
    const run = await startRun(emulator, { fingerprint_key: "another" });
    const { planned, diagnostics } = await run.plan(type, createLlm({ secret_value_wo: "sk-two" }), first);
    expect(planned).toEqual(first?.state);
    expect(diagnostics).toMatchObject([
      { severity: "warning", detail: expect.stringContaining("fingerprint_key") },
    ]);
    const versioned = await run.apply(type, createLlm({ secret_value_wo_version: 1 }), first);
    const after = await run.plan(type, createLlm(), versioned.kept);
    expect(after.diagnostics).toEqual([]);
    expect(emulator.world.secrets).toHaveLength(1);
  });

  test("sends a value that is set again after an update without it", async () => {
    const emulator = await startAccount();
    const run = await startRun(emulator);
    const first = (await run.apply(type, createLlm())).kept;
    const without = createLlm({ secret_value_wo: null, on_rotation: "keep_old" });
    const { kept } = await run.apply(type, without, first);
    expect((await run.plan(type, createLlm({ on_rotation: "keep_old" }), kept)).planned).toEqual(kept?.state);
    const again = await run.apply(type, createLlm({ secret_value_wo: "sk-two" }), kept);
    expect(again.planned).toMatchObject({ id: Unknown });
    expect(emulator.secretValue(String(again.kept?.state.id))).toBe("sk-two");
  });

  test("sends a value that its version held back once the version is removed", async () => {
    const emulator = await startAccount();
    const run = await startRun(emulator);
    const first = (await run.apply(type, createLlm({ secret_value_wo_version: 1 }))).kept;
    const two = createLlm({ secret_value_wo: "sk-two", on_rotation: "keep_old" });
    const held = await run.apply(type, { ...two, secret_value_wo_version: 1 }, first);
    expect(held.kept?.state.id).toBe(first?.state.id);
    const { kept } = await run.apply(type, two, held.kept);
    expect(emulator.secretValue(String(kept?.state.id))).toBe("sk-two");
  });

  test("records the first value after an import without one, and sends the next", async () => {
    const emulator = await startAccount();
    const run = await startRun(emulator);
    const without = createLlm({ secret_value_wo: null });
    const adopted = await run.apply(type, without, createImported("s-1"));
    expect(adopted.diagnostics).toMatchObject([
      { severity: "warning", detail: expect.stringContaining("the configuration sets none") },
    ]);
    const refreshed = (await run.refresh(type, adopted.kept as Kept)).kept;
    const recorded = await run.apply(type, createLlm(), refreshed);
    expect(recorded.diagnostics).toMatchObject([
      { severity: "warning", detail: expect.stringContaining("recorded but not sent") },
    ]);
    expect(emulator.world.secrets).toHaveLength(0);
    const next = await run.apply(type, createLlm({ secret_value_wo: "sk-two" }), recorded.kept);
    expect(emulator.secretValue(String(next.kept?.state.id))).toBe("sk-two");
  });

  test("accepts a type listed in secret_types", async () => {
    const emulator = await startAccount({ behavior: { secretTypes: ["GEMINI_API_KEY"] } });
    const refused = await (await startRun(emulator)).plan(type, createLlm({ secret_type: "GEMINI_API_KEY" }));
    expect(refused.diagnostics).toMatchObject([{ severity: "error", path: ["secret_type"] }]);
    expect(refused.diagnostics[0]?.summary).toContain("secret_types in the provider block");
    const run = await startRun(emulator, { secret_types: ["GEMINI_API_KEY"] });
    expect((await run.apply(type, createLlm({ secret_type: "GEMINI_API_KEY" }))).diagnostics).toEqual([]);
  });

  test("is imported by any id that the service allows, but not by a path", async () => {
    const run = await startRun(await startAccount());
    expect(await run.import(type, "sec_01J-x")).toMatchObject({
      values: { id: "sec_01J-x" },
      diagnostics: [],
    });
    const refused = { values: null, diagnostics: [{ severity: "error" }] };
    expect(await run.import(type, "../secrets")).toMatchObject(refused);
  });
});
