import { Unknown } from "@avatarops/terraform-plugin";
import { describe, expect, test } from "vitest";
import { nodeSystem } from "../../../src/base/system/index.js";
import { generateDataset } from "../../../src/emulator/index.js";
import { account, imported, type Kept, startRun } from "./driving.js";

const type = "avatarops_context";
const support = { name: "Support desk", prompt: "You answer politely.", opening_text: "Hi!" };

describe("refreshing contexts", () => {
  test("believes a page of HTML that an object is missing where the list lacks it, too, and only then", async () => {
    const emulator = await account();
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
    expect(await run.refresh(type, gone.kept as Kept)).toEqual({ kept: null, said: [] });
    emulator.editContext("There", { prompt: "New." });
    const { said } = await (await startRun(emulator)).refresh(type, there.kept as Kept);
    expect(said).toMatchObject([{ severity: "error", detail: expect.stringContaining("HTTP 404") }]);
  });

  test("does not trust a timestamp of whole seconds that was young when it was seen", async () => {
    const nowMs = Date.UTC(2026, 0, 1);
    const emulator = await account({ behaviour: { timestampPrecision: "s" }, now: () => nowMs });
    const first = await startRun(emulator, {}, { system: { ...nodeSystem, now: () => nowMs } });
    const all = [await first.apply(type, support), await first.apply(type, { ...support, name: "B" })];
    // In the very second, and so with the very timestamp.
    emulator.editContext("B", { prompt: "Mine." });
    const run = await startRun(emulator, {}, { system: { ...nodeSystem, now: () => nowMs } });
    const seen = [];
    for (const { kept } of all) seen.push(await run.refresh(type, kept as Kept));
    expect(seen.map((one) => one.kept?.state.prompt)).toEqual([support.prompt, "Mine."]);
  });

  test("from a clock of whole seconds costs one request each until an apply has kept what a refresh saw", async () => {
    let nowMs = Date.UTC(2026, 0, 1);
    const now = () => nowMs;
    const emulator = await account({ behaviour: { timestampPrecision: "s" }, now });
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
      // Of a plan nothing is kept.
      if (isApplied) kept = read.map((one) => one.kept as Kept);
    }
    // One object by itself, a page with all of them, and again each that the page does not settle.
    expect(costs).toEqual([21, 21, 2]);
  });

  test("does nothing while the address is known only after apply", async () => {
    const emulator = await account({ world: generateDataset({ contexts: 1 }) });
    const run = await startRun(emulator, { base_url: Unknown });
    expect(run.said).toMatchObject([{ severity: "warning", path: ["base_url"] }]);
    const there = imported(emulator.world.contexts[0]?.id ?? "");
    expect((await run.refresh(type, there)).kept?.state).toMatchObject(there.state);
    expect((await run.plan(type, support)).said).toEqual([]);
    expect(await run.read("avatarops_contexts", {})).toMatchObject({
      values: null,
      said: [{ severity: "error" }],
    });
    expect(emulator.requests).toEqual([]);
  });
});

describe("creating a context", () => {
  test("that is stopped while it looks for what a lost answer made waits no longer", async () => {
    const emulator = await account();
    const run = await startRun(emulator, {}, { waits: { backoffMs: 1, settleMs: 600_000 } });
    emulator.addFault("POST /v1/contexts drop-before");
    // After the list was looked through in vain, it waits before it looks again.
    emulator.addFault({
      match: { method: "GET" },
      skip: 1,
      do: { kind: "run", run: async () => run.stop() },
    });
    const { kept, said } = await run.apply(type, support);
    expect(kept).toBeNull();
    expect(said).toMatchObject([{ severity: "error", summary: "Create outcome unknown" }]);
  });

  test("that the service refuses is told at the field it speaks of, with its words", async () => {
    const emulator = await account();
    const body = JSON.stringify({ detail: [{ loc: ["body", "prompt"], msg: "too rude" }] });
    emulator.addFault({ match: { method: "POST" }, do: { kind: "status", status: 422, body } });
    const { kept, said } = await (await startRun(emulator)).apply(type, support);
    expect(kept).toBeNull();
    expect(said).toMatchObject([
      { severity: "error", path: ["prompt"], detail: expect.stringContaining("too rude") },
    ]);
  });

  test("of a name that several have shows all of them to choose from", async () => {
    const emulator = await account({ behaviour: { contextNames: "free" } });
    for (const prompt of ["A", "B"]) emulator.addContext({ name: support.name, prompt });
    const { said } = await (await startRun(emulator)).plan(type, support);
    expect(said).toMatchObject([{ severity: "warning", path: ["name"] }]);
    for (const { id } of emulator.world.contexts) expect(said[0]?.detail).toContain(id);
  });

  test("of a name that a resource of this apply is to give up shows none to import", async () => {
    const emulator = await account();
    const { kept } = await (await startRun(emulator)).apply(type, support);
    const run = await startRun(emulator);
    // An apply plans each change once more, and does not fail for a name that was unknown in the plan.
    await run.apply(type, { ...support, name: "First" });
    await run.plan(type, { ...support, name: "Other" }, kept);
    const { said } = await run.apply(type, { ...support, prompt: "You are new." });
    expect(said).toMatchObject([
      { severity: "error", detail: expect.stringContaining("apply that change alone first") },
    ]);
    expect(said[0]?.detail).not.toContain("import");
  });
});

test("objects of another service are one error, and nothing is asked for them", async () => {
  const { kept } = await (await startRun(await account())).apply(type, support);
  const emulator = await account();
  const run = await startRun(emulator);
  const summary = "The state belongs to another service";
  expect(await run.refresh(type, kept as Kept)).toMatchObject({ said: [{ summary }] });
  expect(await run.refresh(type, kept as Kept)).toMatchObject({ said: [] });
  expect(emulator.requests).toEqual([]);
});

describe("changing a context", () => {
  test("to a name that one has whom nobody manages is told in the plan", async () => {
    const emulator = await account();
    emulator.addContext({ name: "Other", prompt: "Not yours." });
    const run = await startRun(emulator);
    const { kept } = await run.apply(type, support);
    const { said } = await run.plan(type, { ...support, name: "Other" }, kept);
    expect(said).toMatchObject([{ severity: "warning", path: ["name"] }]);
  });

  test("sends the ids of the links it continues, and clears what is no longer set", async () => {
    const emulator = await account();
    const run = await startRun(emulator);
    const url = (page: string) => ({ url: `https://example.com/${page}`, faq: null });
    const { kept } = await run.apply(type, { ...support, links: [url("a"), url("b")] });
    const [, b] = emulator.world.contexts[0]?.links ?? [];
    const config = { name: support.name, prompt: support.prompt, links: [url("b"), url("c")] };
    const { kept: after, said } = await run.apply(type, config, kept as Kept);
    expect(said).toEqual([]);
    expect(emulator.world.contexts[0]).toMatchObject({ opening_text: "", links: [b, { url: url("c").url }] });
    expect(after?.state).toMatchObject({ opening_text: null, links: config.links });
  });

  test("of a name in another spelling of the same letters is no change", async () => {
    const emulator = await account();
    const decomposed = "Gru\u0308ße";
    emulator.addContext({ name: "A", prompt: decomposed, opening_text: "x" });
    const run = await startRun(emulator);
    const { kept } = await run.refresh(type, imported(emulator.world.contexts[0]?.id ?? ""));
    const state = { ...kept?.state, prompt: decomposed.normalize() };
    const { said } = await run.apply(
      type,
      { name: "A", prompt: decomposed.normalize(), opening_text: "y" },
      { state, private: {} },
    );
    expect(said).toEqual([]);
    expect(emulator.world.contexts[0]?.opening_text).toBe("y");
  });
});
