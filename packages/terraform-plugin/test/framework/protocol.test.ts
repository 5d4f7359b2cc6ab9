import { describe, expect, test } from "vitest";
import { Unknown } from "../../src/index.js";
import { decodeObject } from "../../src/values/dynamic-value.js";
import type { ValueRecord } from "../../src/values/shape.js";
import { type Core, encodeValues, type Kept, startCore } from "../core.js";
import { createExampleProvider, type Memory, newMemory, thing } from "./example.js";

const typeName = "example_thing";

describe("provider call", () => {
  test.each<[what: string, msgpack: Uint8Array]>([
    ["invalid bytes", Buffer.from("c1", "hex")],
    ["a truncated value", encodeSent({ name: "one" }).msgpack?.subarray(0, 20) ?? Buffer.of()],
    ["a value of another type", Buffer.from("01", "hex")],
    ["an unknown value", Buffer.from("d40000", "hex")],
  ])("returns a diagnostic for %s", async (_, msgpack) => {
    const core = await createExampleCore();
    const { diagnostics } = await core.call("ValidateResourceConfig", { typeName, config: { msgpack } });
    expect(diagnostics).toMatchObject([{ severity: "error", summary: "A value cannot be read" }]);
  });

  test("returns an error for an unconfigured provider only if the call needs a client", async () => {
    const core = await createExampleCore({ key: null });
    const missing = [{ severity: "error", summary: "The provider is not configured" }];
    expect(await core.import(typeName, "thing-1")).toMatchObject({ diagnostics: missing });
    expect(await core.refresh(typeName, toKept({ name: "one" }))).toMatchObject({ diagnostics: missing });
    const config = encodeSent({ name: "x" });
    expect((await core.call("ValidateResourceConfig", { typeName, config })).diagnostics).toEqual([]);
  });

  test("reports an unknown resource type", async () => {
    const core = await createExampleCore();
    const { diagnostics } = await core.call("ReadResource", { typeName: "example_none" });
    expect(diagnostics).toMatchObject([{ summary: "Unknown type" }]);
  });

  test("rejects a write-only attribute if Terraform is too old to support it", async () => {
    const core = await createExampleCore();
    const validated = (set: object, writeOnlyAttributesAllowed: boolean) =>
      core.call("ValidateResourceConfig", {
        typeName,
        config: encodeSent({ name: "one", ...set }),
        clientCapabilities: { writeOnlyAttributesAllowed },
      });
    expect((await validated({ secret_wo: "canary" }, false)).diagnostics).toEqual([
      {
        severity: "error",
        summary: "Write-only attributes need Terraform 1.11 or OpenTofu 1.11",
        detail: expect.not.stringContaining("canary"),
        attribute: { steps: [expect.objectContaining({ attributeName: "secret_wo" })] },
      },
    ]);
    expect((await validated({ secret_wo: Unknown }, false)).diagnostics).toHaveLength(1);
    expect((await validated({ secret_wo: "canary" }, true)).diagnostics).toEqual([]);
    expect((await validated({}, false)).diagnostics).toEqual([]);
  });

  test("ignores malformed private data", async () => {
    const core = await createExampleCore();
    const config = encodeSent({ name: "again" });
    const priorState = encodeSent({ name: "again", id: "thing-1", revision: 1, size: 3 });
    for (const text of ["", "{", "[]", "null", "\u0000"]) {
      const priorPrivate = Buffer.from(text);
      const planned = await core.call("PlanResourceChange", { typeName, priorState, config, priorPrivate });
      expect(planned.diagnostics).toEqual([]);
      expect(Buffer.from(planned.plannedPrivate).toString()).toBe('{"again":true}');
    }
  });

  test("reports an unreadable older state without showing its content", async () => {
    const core = await createExampleCore();
    for (const [version, json, problem] of [
      [0, '{"title":', "the value is not valid JSON"],
      [0, '["canary"]', "it is not an object"],
      [0, '{"title":["canary"]}', "name: expected a string, found a list"],
      [3, '{"name":"canary"}', "supports up to 2"],
    ] as const) {
      const rawState = { json: Buffer.from(json) };
      const { diagnostics } = await core.call("UpgradeResourceState", { typeName, version, rawState });
      expect(diagnostics).toMatchObject([{ severity: "error", detail: expect.stringContaining(problem) }]);
      expect(JSON.stringify(diagnostics)).not.toContain("canary");
    }
  });

  test("keeps an empty string when it upgrades a state", async () => {
    const core = await createExampleCore();
    const json = Buffer.from(JSON.stringify({ name: "one", note: "", secret_wo: "canary" }));
    const upgraded = await core.call("UpgradeResourceState", { typeName, version: 2, rawState: { json } });
    expect(decodeObject(upgraded.upgradedState, thing)).toMatchObject({
      name: "one",
      note: "",
      region: null,
      secret_wo: null,
    });
  });

  test.each([
    [0, { title: "one" }],
    [1, { name: "one" }],
  ])("upgrades a state of version %i one version at a time", async (version, state) => {
    const core = await createExampleCore();
    const rawState = { json: Buffer.from(JSON.stringify({ id: "thing-1", ...state })) };
    const { upgradedState } = await core.call("UpgradeResourceState", { typeName, version, rawState });
    expect(decodeObject(upgradedState, thing)).toMatchObject({
      ...{ id: "thing-1", name: "one", note: "one, since version 2" },
    });
    const { resourceSchemas } = await core.call("GetProviderSchema", {});
    expect(resourceSchemas[typeName]?.version).toBe(2);
  });

  test("is aborted by StopProvider and returns a diagnostic", async () => {
    const events: string[] = [];
    const core = await createExampleCore({
      during: (event, signal) => {
        events.push(event);
        setImmediate(() => core.stop());
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const { diagnostics } = await core.apply(typeName, { name: "one" });
    expect(events).toEqual(["creating one"]);
    expect(diagnostics).toMatchObject([{ severity: "error", summary: "Operation cancelled" }]);
  });

  test("discards a result of the wrong type and reports a provider bug", async () => {
    const core = await createExampleCore();
    const detail = expect.stringContaining("size: expected a number, found a string");
    expect(await core.refresh(typeName, toKept({ name: "lies" }))).toMatchObject({
      kept: null,
      diagnostics: [{ summary: "This is a bug in the provider", detail }],
    });
  });

  test.each([
    ["broken", "This is a bug in the provider", "TypeError: something is undefined"],
    ["half", "Only half of it was made", "Try again."],
    ["untyped", "This is a bug in the provider", "size: expected a number, found a string"],
  ])("returns the partial result and a diagnostic if a create fails: %s", async (name, summary, detail) => {
    const { diagnostics, kept } = await (await createExampleCore()).apply(typeName, { name });
    expect(diagnostics).toMatchObject([{ summary, detail: expect.stringContaining(detail) }]);
    if (name === "broken") expect(kept).toBeNull();
    else expect(kept?.state).toMatchObject({ id: "thing-1", name });
  });

  test("plans a replacement if the region changes", async () => {
    const core = await createExampleCore();
    const { requiresReplace } = await core.call("PlanResourceChange", {
      typeName,
      priorState: encodeSent({ name: "one", region: "north", id: "thing-1", revision: 1 }),
      config: encodeSent({ name: "one", region: "south" }),
    });
    expect(requiresReplace).toMatchObject([{ steps: [{ attributeName: "region" }] }]);
  });

  test("logs the call's name and result, but no attribute values", async () => {
    const lines: string[] = [];
    const core = await createExampleCore({ log: (...line) => lines.push(JSON.stringify(line)) });
    await core.apply(typeName, { name: "one-canary", secret_wo: "canary" });
    expect(lines).toEqual([
      '["debug","ConfigureProvider",{"errors":0,"warnings":0}]',
      '["debug","PlanResourceChange of example_thing",{"errors":0,"warnings":0}]',
      '["debug","ApplyResourceChange of example_thing",{"errors":0,"warnings":0}]',
    ]);
  });
});

function createExampleCore({
  log,
  during,
  key = "canary",
}: {
  readonly log?: (...line: unknown[]) => void;
  readonly during?: Memory["during"];
  /** Null leaves the provider unconfigured. */
  readonly key?: string | null;
} = {}): Promise<Core> {
  return startCore(createExampleProvider(newMemory(during)), key === null ? null : { key }, log);
}

function encodeSent(values: ValueRecord | null) {
  return encodeValues(thing, values);
}

function toKept(values: ValueRecord): Kept {
  return { state: { ...values, id: "thing-1" }, private: {} };
}
