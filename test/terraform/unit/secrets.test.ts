import { Unknown } from "@avatarops/terraform-plugin";
import { describe, expect, test } from "vitest";
import { account, imported, startRun, type Values } from "./driving.js";

const type = "avatarops_secret";

const llm = (changes: Values = {}): Values => ({
  secret_name: "llm-production",
  secret_type: "LLMPROVIDER_API_KEY",
  secret_value_wo: "sk-one",
  ...changes,
});

describe("a secret", () => {
  test.each<{ what: string; changes: Values }>([
    { what: "a new value", changes: { secret_value_wo: "sk-two" } },
    { what: "a new name", changes: { secret_name: "llm" } },
    { what: "a new type", changes: { secret_type: "VOICEPROVIDER_API_KEY" } },
  ])("with $what supersedes the one before, whose id is kept", async ({ changes }) => {
    const emulator = await account();
    const run = await startRun(emulator);
    const { kept } = await run.apply(type, llm());
    const next = await run.apply(type, llm(changes), kept);
    expect(next.planned).toMatchObject({ id: Unknown, superseded_ids: [kept?.state.id] });
    expect(next.said).toMatchObject([
      { severity: "warning", summary: "The superseded secret was not deleted" },
    ]);
    expect(next.kept?.state.superseded_ids).toEqual([kept?.state.id]);
    expect(emulator.world.secrets.map(({ id }) => id)).toEqual([kept?.state.id, next.kept?.state.id]);
  });

  test("without a value is refused in the plan, unless it is there: an imported one stays as it is", async () => {
    const emulator = await account();
    const run = await startRun(emulator);
    const without = llm({ secret_value_wo: null });
    const { said } = await run.apply(type, without);
    expect(said).toMatchObject([
      { severity: "error", summary: "Missing secret_value_wo", path: ["secret_value_wo"] },
    ]);
    const adopted = await run.apply(type, without, imported("s-1"));
    expect(adopted.said).toMatchObject([{ severity: "warning" }]);
    expect((await run.apply(type, { ...without, secret_name: "Other" }, adopted.kept)).said).toMatchObject([
      { severity: "error", summary: "Missing secret_value_wo" },
    ]);
    expect(emulator.requests).toEqual([]);
  });

  test("of a text that is not a key is refused in the plan, and the one before stays", async () => {
    const emulator = await account();
    const run = await startRun(emulator);
    const { kept } = await run.apply(type, llm());
    for (const before of [kept, undefined]) {
      const { said } = await run.apply(type, llm({ secret_value_wo: "null" }), before);
      expect(said).toContainEqual(
        expect.objectContaining({ severity: "error", summary: "secret_value_wo is not a key" }),
      );
    }
    expect(emulator.world.secrets).toHaveLength(1);
  });

  test("that gets its first version is not sent again, unless its value changed", async () => {
    const emulator = await account();
    const run = await startRun(emulator);
    const first = (await run.apply(type, llm())).kept;
    const next = await run.apply(type, llm({ secret_value_wo_version: 1 }), first);
    expect(next.kept?.state).toMatchObject({ id: first?.state.id, secret_value_wo_version: 1 });
    expect(emulator.world.secrets).toHaveLength(1);
  });

  test("whose value is not known yet is left alone, and that is said", async () => {
    const emulator = await account();
    const run = await startRun(emulator);
    const { kept } = await run.apply(type, llm());
    const { planned, said } = await run.plan(type, llm({ secret_value_wo: Unknown }), kept);
    expect(planned).toEqual(kept?.state);
    expect(said).toMatchObject([{ severity: "warning", path: ["secret_value_wo"] }]);
  });

  test("seen with another fingerprint_key is left alone, and a version takes a new fingerprint", async () => {
    const emulator = await account();
    const first = (await (await startRun(emulator)).apply(type, llm())).kept;
    const run = await startRun(emulator, { fingerprint_key: "another" });
    const { planned, said } = await run.plan(type, llm({ secret_value_wo: "sk-two" }), first);
    expect(planned).toEqual(first?.state);
    expect(said).toMatchObject([{ severity: "warning", detail: expect.stringContaining("fingerprint_key") }]);
    const versioned = await run.apply(type, llm({ secret_value_wo_version: 1 }), first);
    const after = await run.plan(type, llm(), versioned.kept);
    expect(after.said).toEqual([]);
    expect(emulator.world.secrets).toHaveLength(1);
  });

  test("of a type the service may know is allowed by secret_types", async () => {
    const emulator = await account({ behaviour: { secretTypes: ["GEMINI_API_KEY"] } });
    const refused = await (await startRun(emulator)).plan(type, llm({ secret_type: "GEMINI_API_KEY" }));
    expect(refused.said).toMatchObject([{ severity: "error", path: ["secret_type"] }]);
    expect(refused.said[0]?.summary).toContain("secret_types in the provider block");
    const run = await startRun(emulator, { secret_types: ["GEMINI_API_KEY"] });
    expect((await run.apply(type, llm({ secret_type: "GEMINI_API_KEY" }))).said).toEqual([]);
  });

  test("is imported by whatever the service calls it, if that is an id", async () => {
    const run = await startRun(await account());
    expect(await run.import(type, "sec_01J-x")).toMatchObject({ values: { id: "sec_01J-x" }, said: [] });
    const refused = { values: null, said: [{ severity: "error" }] };
    expect(await run.import(type, "../secrets")).toMatchObject(refused);
  });
});
