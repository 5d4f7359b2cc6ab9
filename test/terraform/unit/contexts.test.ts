import { Unknown } from "@avatarops/terraform-plugin";
import { describe, expect, test } from "vitest";
import { nodeSystem } from "../../../src/base/system/index.js";
import { generateDataset } from "../../../src/emulator/index.js";
import { createImported, type Kept, startAccount, startRun } from "./driving.js";

const type = "avatarops_context";
const support = { name: "Support desk", prompt: "You answer politely.", opening_text: "Hi!" };

describe("context refresh", () => {
  test("removes a context from the state after an HTML 404 only if the list also lacks the context", async () => {
    const emulator = await startAccount();
    const made = await startRun(emulator);
    const gone = await made.apply(type, support);
    const there = await made.apply(type, { ...support, name: "There" });
    emulator.removeContext(support.name);
    emulator.addFault({
      match: { method: "GET", path: "/v1/contexts/*" },
      times: Number.POSITIVE_INFINITY,
      do: { kind: "status", status: 404, body: "<html>", headers: { "content-type": "text/html" } },
    });
    const run = await startRun(emulator);
    expect(await run.refresh(type, gone.kept as Kept)).toEqual({ kept: null, diagnostics: [] });
    emulator.editContext("There", { prompt: "New." });
    const { diagnostics } = await (await startRun(emulator)).refresh(type, there.kept as Kept);
    expect(diagnostics).toMatchObject([{ severity: "error", detail: expect.stringContaining("HTTP 404") }]);
  });

  test("rereads an object if its whole-second timestamp was recent at the last read", async () => {
    const nowMs = Date.UTC(2026, 0, 1);
    const emulator = await startAccount({ behavior: { timestampPrecision: "s" }, now: () => nowMs });
    const first = await startRun(emulator, {}, { system: { ...nodeSystem, now: () => nowMs } });
    const all = [await first.apply(type, support), await first.apply(type, { ...support, name: "B" })];
    // Edits within the same second, so the timestamp does not change.
    emulator.editContext("B", { prompt: "Mine." });
    const run = await startRun(emulator, {}, { system: { ...nodeSystem, now: () => nowMs } });
    const seen = [];
    for (const { kept } of all) seen.push(await run.refresh(type, kept as Kept));
    expect(seen.map((one) => one.kept?.state.prompt)).toEqual([support.prompt, "Mine."]);
  });

  test("rereads contexts with whole-second timestamps in each run until an apply records them", async () => {
    let nowMs = Date.UTC(2026, 0, 1);
    const now = () => nowMs;
    const emulator = await startAccount({ behavior: { timestampPrecision: "s" }, now });
    const making = await startRun(emulator, {}, { system: { ...nodeSystem, now } });
    let kept: Kept[] = [];
    for (let i = 0; i < 20; i++) {
      const made = await making.apply(type, { ...support, name: `Desk ${i}` });
      kept.push(made.kept as Kept);
    }
    const costs = [];
    for (const isApplied of [false, true, true]) {
      nowMs += 10_000;
      emulator.requests.length = 0;
      const run = await startRun(emulator, {}, { system: { ...nodeSystem, now } });
      const read = [];
      for (const one of kept) read.push(await run.refresh(type, one));
      costs.push(emulator.requests.length);
      // Only an apply records the objects that it read.
      if (isApplied) kept = read.map((one) => one.kept as Kept);
    }
    // Without a record, each run needs one read, one list page, and one reread per undecided context.
    expect(costs).toEqual([21, 21, 2]);
  });

  test("does nothing if the base URL is known only after apply", async () => {
    const emulator = await startAccount({ world: generateDataset({ contexts: 1 }) });
    const run = await startRun(emulator, { base_url: Unknown });
    expect(run.diagnostics).toMatchObject([{ severity: "warning", path: ["base_url"] }]);
    const there = createImported(emulator.world.contexts[0]?.id ?? "");
    expect((await run.refresh(type, there)).kept?.state).toMatchObject(there.state);
    expect((await run.plan(type, support)).diagnostics).toEqual([]);
    expect(await run.read("avatarops_contexts", {})).toMatchObject({
      values: null,
      diagnostics: [{ severity: "error" }],
    });
    expect(emulator.requests).toEqual([]);
  });
});

describe("context creation", () => {
  test("stops searching for the created object after a lost response if the run is cancelled", async () => {
    const emulator = await startAccount();
    const run = await startRun(emulator, {}, { waits: { backoffMs: 1, settleMs: 600_000 } });
    emulator.addFault("POST /v1/contexts drop-before");
    // Cancels the run during the wait between two searches of the list.
    emulator.addFault({
      match: { method: "GET" },
      skip: 1,
      do: { kind: "run", run: async () => run.stop() },
    });
    const { kept, diagnostics } = await run.apply(type, support);
    expect(kept).toBeNull();
    expect(diagnostics).toMatchObject([{ severity: "error", summary: "Create outcome unknown" }]);
  });

  test("reports a rejection and the service's message at the named field", async () => {
    const emulator = await startAccount();
    const body = JSON.stringify({ detail: [{ loc: ["body", "prompt"], msg: "too rude" }] });
    emulator.addFault({ match: { method: "POST" }, do: { kind: "status", status: 422, body } });
    const { kept, diagnostics } = await (await startRun(emulator)).apply(type, support);
    expect(kept).toBeNull();
    expect(diagnostics).toMatchObject([
      { severity: "error", path: ["prompt"], detail: expect.stringContaining("too rude") },
    ]);
  });

  test("shows all candidates if several contexts have the same name", async () => {
    const emulator = await startAccount({ behavior: { contextNames: "free" } });
    for (const prompt of ["A", "B"]) emulator.addContext({ name: support.name, prompt });
    const { diagnostics } = await (await startRun(emulator)).plan(type, support);
    expect(diagnostics).toMatchObject([{ severity: "warning", path: ["name"] }]);
    for (const { id } of emulator.world.contexts) expect(diagnostics[0]?.detail).toContain(id);
  });

  test("does not suggest importing a context that another resource renames in the same apply", async () => {
    const emulator = await startAccount();
    const { kept } = await (await startRun(emulator)).apply(type, support);
    const run = await startRun(emulator);
    // An apply plans each change again, and must not fail because of a name that the plan did not know.
    await run.apply(type, { ...support, name: "First" });
    await run.plan(type, { ...support, name: "Other" }, kept);
    const { diagnostics } = await run.apply(type, { ...support, prompt: "You are new." });
    expect(diagnostics).toMatchObject([
      { severity: "error", detail: expect.stringContaining("apply that change alone first") },
    ]);
    expect(diagnostics[0]?.detail).not.toContain("import");
  });
});

test("reports a state from another service once, without a request", async () => {
  const { kept } = await (await startRun(await startAccount())).apply(type, support);
  const emulator = await startAccount();
  const run = await startRun(emulator);
  const summary = "The state belongs to another service";
  expect(await run.refresh(type, kept as Kept)).toMatchObject({ diagnostics: [{ summary }] });
  expect(await run.refresh(type, kept as Kept)).toMatchObject({ diagnostics: [] });
  expect(emulator.requests).toEqual([]);
});

describe("context change", () => {
  test("warns in the plan if an unmanaged context already has the new name", async () => {
    const emulator = await startAccount();
    emulator.addContext({ name: "Other", prompt: "Not yours." });
    const run = await startRun(emulator);
    const { kept } = await run.apply(type, support);
    const { diagnostics } = await run.plan(type, { ...support, name: "Other" }, kept);
    expect(diagnostics).toMatchObject([{ severity: "warning", path: ["name"] }]);
  });

  test("sends the ids of kept links, and clears fields that are no longer set", async () => {
    const emulator = await startAccount();
    const run = await startRun(emulator);
    const url = (page: string) => ({ url: `https://example.com/${page}`, faq: null });
    const { kept } = await run.apply(type, { ...support, links: [url("a"), url("b")] });
    const [, b] = emulator.world.contexts[0]?.links ?? [];
    const config = { name: support.name, prompt: support.prompt, links: [url("b"), url("c")] };
    const { kept: after, diagnostics } = await run.apply(type, config, kept as Kept);
    expect(diagnostics).toEqual([]);
    expect(emulator.world.contexts[0]).toMatchObject({ opening_text: "", links: [b, { url: url("c").url }] });
    expect(after?.state).toMatchObject({ opening_text: null, links: config.links });
  });

  test("ignores a different Unicode normalization of the same text", async () => {
    const emulator = await startAccount();
    const decomposed = "Gru\u0308ße";
    emulator.addContext({ name: "A", prompt: decomposed, opening_text: "x" });
    const run = await startRun(emulator);
    const { kept } = await run.refresh(type, createImported(emulator.world.contexts[0]?.id ?? ""));
    const state = { ...kept?.state, prompt: decomposed.normalize() };
    const { diagnostics } = await run.apply(
      type,
      { name: "A", prompt: decomposed.normalize(), opening_text: "y" },
      { state, private: {} },
    );
    expect(diagnostics).toEqual([]);
    expect(emulator.world.contexts[0]?.opening_text).toBe("y");
  });
});
