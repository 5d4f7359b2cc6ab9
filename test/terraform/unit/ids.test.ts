import { describe, expect, test } from "vitest";
import { type Dataset, generateDataset } from "../../../src/emulator/index.js";
import { createImported, type Kept, startAccount, startRun } from "./driving.js";

const createWorld = () => generateDataset({ avatars: 1, voices: 3, contexts: 1 });

/** Returns avatars whose ids contain letters. */
function createAvatars(count: number): Dataset {
  const { avatars, ...others } = generateDataset({ avatars: count });
  return { ...others, avatars: avatars.map((one) => ({ ...one, id: one.id.replace(/^1/, "a") })) };
}

describe("terraform import", () => {
  test.each(["avatarops_avatar", "avatarops_voice", "avatarops_context", "avatarops_llm_configuration"])(
    "rejects an id of %s that is not a UUID",
    async (type) => {
      const emulator = await startAccount({ world: createWorld() });
      const { diagnostics, values } = await (await startRun(emulator)).import(type, "support-desk");
      expect(values).toBeNull();
      expect(diagnostics).toMatchObject([
        {
          severity: "error",
          summary: "Invalid import ID",
          detail: expect.stringMatching(/^"support-desk" is not the id of an? .*\. Use a UUID/),
        },
      ]);
      expect(emulator.requests).toEqual([]);
    },
  );

  test("accepts a secret id that is not a UUID", async () => {
    const run = await startRun(await startAccount());
    expect(await run.import("avatarops_secret", "sec_1")).toMatchObject({
      values: { id: "sec_1" },
      diagnostics: [],
    });
    expect((await run.import("avatarops_secret", "a b")).diagnostics).toMatchObject([
      { summary: "Invalid import ID" },
    ]);
  });
});

describe("id with different letter case", () => {
  test("identifies the same avatar, so nothing is replaced or adopted twice", async () => {
    const emulator = await startAccount({ world: createAvatars(1) });
    const id = emulator.world.avatars[0]?.id ?? "";
    const first = await startRun(emulator);
    const { values } = await first.import("avatarops_avatar", id.toUpperCase());
    const { kept } = await first.refresh("avatarops_avatar", createImported(String(values?.id)));
    const { planned, diagnostics } = await first.plan(
      "avatarops_avatar",
      { id: id.toUpperCase(), name: kept?.state.name ?? null },
      kept,
    );
    expect(diagnostics).toEqual([]);
    expect(planned).toEqual(kept?.state);
    const other = await startRun(emulator);
    await other.refresh("avatarops_avatar", kept as Kept);
    await other.plan("avatarops_avatar", { id, name: "Host" }, kept);
    expect(
      (await other.plan("avatarops_avatar", { id: id.toUpperCase(), name: "Host" })).diagnostics,
    ).toMatchObject([{ summary: "Two resources use the same id" }]);
  });

  test("still matches adopted avatars in the list on refresh", async () => {
    const emulator = await startAccount({ world: createAvatars(20) });
    const run = await startRun(emulator);
    for (const { id, name } of emulator.world.avatars)
      expect(
        (await run.refresh("avatarops_avatar", createImported(id.toUpperCase()))).kept?.state,
      ).toMatchObject({
        id: id.toUpperCase(),
        name,
      });
    expect(emulator.requests.length).toBeLessThan(5);
  });

  test("causes no change in a reference", async () => {
    const emulator = await startAccount({ profile: "liveavatar" });
    const run = await startRun(emulator, { profile: "liveavatar" });
    const secret = await run.apply("avatarops_secret", {
      secret_name: "llm",
      secret_type: "LLM_API_KEY",
      secret_value_wo: "sk-one",
    });
    const id = String(secret.kept?.state.id);
    const config = { display_name: "Main", model_name: "gpt-4o", secret_id: id.toUpperCase() };
    const made = await run.apply("avatarops_llm_configuration", config);
    expect(made.diagnostics).toEqual([]);
    const { planned } = await run.plan(
      "avatarops_llm_configuration",
      { ...config, secret_id: id },
      made.kept,
    );
    expect(planned).toEqual(made.kept?.state);
  });
});

test("warns once about voices that the service does not list", async () => {
  const emulator = await startAccount({ world: { ...createWorld(), avatars: [] } });
  const run = await startRun(emulator);
  const diagnostics = [];
  for (const { id, name } of emulator.world.voices)
    diagnostics.push(
      ...(await run.refresh("avatarops_voice", { state: { id, name }, private: {} })).diagnostics,
    );
  expect(diagnostics).toMatchObject([{ severity: "warning", summary: "Some voices cannot be read" }]);
});
