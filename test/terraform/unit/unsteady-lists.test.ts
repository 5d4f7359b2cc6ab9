import { describe, expect, test } from "vitest";
import { type EmulatorOptions, generateDataset } from "../../../src/emulator/index.js";
import { type Kept, startAccount, startRun } from "./driving.js";

const type = "avatarops_context";
const support = { name: "Support desk", prompt: "You answer politely.", opening_text: "Hi!" };
const unknown = 'Cannot check whether the context "Support desk" exists';
const detail =
  "The service lists only 150 of the 151 contexts it counts. Run the command again. If the count is always wrong, set `ignore_list_counts = true` in the provider block.";

/** Starts an account that counts one context more than it lists. */
const startShortAccount = (options: EmulatorOptions = {}) =>
  startAccount({
    world: generateDataset({ contexts: 150 }),
    behavior: { listCount: "too-large", contextNames: "free" },
    ...options,
  });

describe("provider that reads an incomplete list", () => {
  test("warns about a create in the plan, and rejects the create in the apply", async () => {
    const emulator = await startShortAccount();
    const run = await startRun(emulator);
    const planned = await run.plan(type, support);
    expect(planned.diagnostics).toEqual([
      {
        severity: "warning",
        summary: unknown,
        detail: `The apply will fail unless you fix this first. ${detail}`,
        path: ["name"],
      },
    ]);
    const { kept, diagnostics } = await (await startRun(emulator)).apply(type, support);
    expect(kept).toBeNull();
    expect(diagnostics).toContainEqual({ severity: "error", summary: unknown, detail, path: ["name"] });
    expect(emulator.world.contexts).toHaveLength(150);
  });

  test("creates an object if ignore_list_counts is set", async () => {
    const emulator = await startShortAccount();
    const run = await startRun(emulator, { ignore_list_counts: true });
    const { kept, diagnostics } = await run.apply(type, support);
    expect([diagnostics, kept?.state.name]).toEqual([[], support.name]);
    expect(emulator.world.contexts).toHaveLength(151);
  });

  test("creates no second context with the same name if the order differs on each page", async () => {
    const emulator = await startShortAccount({
      world: generateDataset({ contexts: 300 }),
      behavior: { listOrder: "reshuffled", contextNames: "free" },
    });
    const run = await startRun(emulator);
    for (const { name } of [...emulator.world.contexts]) {
      const { kept, diagnostics } = await run.apply(type, { ...support, name });
      expect([kept, diagnostics]).toEqual([
        null,
        expect.arrayContaining([expect.objectContaining({ severity: "error" })]),
      ]);
    }
    expect(emulator.world.contexts).toHaveLength(300);
  });

  test("does not recreate a deleted object while the list still contains it", async () => {
    const emulator = await startShortAccount();
    const { kept } = await (await startRun(emulator, { ignore_list_counts: true })).apply(type, support);
    const run = await startRun(emulator);
    await run.apply(type, null, kept);
    // Makes the run read the list while it still contains the object.
    await run.read("avatarops_contexts", {});
    emulator.removeContext(String(kept?.state.id));
    const again = await run.apply(type, support);
    expect(again.kept).toBeNull();
    expect(again.diagnostics).toContainEqual(
      expect.objectContaining({ severity: "error", summary: unknown }),
    );
    expect(emulator.world.contexts).toHaveLength(150);
  });

  test("warns about a new name that another object might already have", async () => {
    const emulator = await startShortAccount();
    const [one] = emulator.world.contexts;
    const prior: Kept = { state: { id: one?.id ?? "", name: one?.name ?? "", prompt: "" }, private: {} };
    const { diagnostics } = await (await startRun(emulator)).plan(type, support, prior);
    expect(diagnostics).toContainEqual({ severity: "warning", summary: unknown, detail, path: ["name"] });
  });

  test("fails a data source with an error about a possibly incomplete list, not a missing context", async () => {
    const run = await startRun(await startShortAccount());
    expect(await run.read(type, { name: support.name })).toMatchObject({
      values: null,
      diagnostics: [{ severity: "error", summary: unknown, detail }],
    });
    const all = await run.read("avatarops_contexts", {});
    expect(all.values?.contexts).toHaveLength(150);
    expect(all.diagnostics).toMatchObject([
      { severity: "warning", summary: "The list of contexts may be incomplete", detail },
    ]);
  });
});
