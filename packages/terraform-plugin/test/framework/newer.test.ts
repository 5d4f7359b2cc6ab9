import { describe, expect, test } from "vitest";
import type { Value } from "../../src/index.js";
import { identityAttributes, objectType } from "../../src/schema/schema-type.js";
import { decodeObject } from "../../src/values/dynamic-value.js";
import { decodeValue, encodeValue } from "../../src/values/msgpack.js";
import type { ValueRecord } from "../../src/values/shape.js";
import { type Core, encoded, startCore } from "../core.js";
import { exampleProvider, type Memory, newMemory, thing } from "./example.js";

/* What Terraform from 1.12 on says and hears: identities, lists, actions. */

const typeName = "example_thing";
const identityType = objectType(identityAttributes({ attributes: thing, identity: ["id"] }) ?? {});
const identified = (id: string) => ({ data: { msgpack: encodeValue({ id }, identityType) } });
const { listResources, actions } = exampleProvider(newMemory());
const listed = listResources[typeName]?.attributes ?? {};

describe("an identity", () => {
  test("is not planned before it is known, and then goes with every state", async () => {
    const { core } = await start();
    const identities = async (config: ValueRecord | null, prior: ValueRecord | null) => {
      const given = { typeName, priorState: encoded(thing, prior), config: encoded(thing, config) };
      const { plannedState, plannedIdentity } = await core.call("PlanResourceChange", given);
      const { newIdentity } = await core.call("ApplyResourceChange", { ...given, plannedState });
      return [plannedIdentity, newIdentity].map(heardIdentity);
    };
    const [one, state] = [{ id: "thing-1" }, { id: "thing-1", name: "one", revision: 1 }];
    expect(await identities({ name: "one" }, null)).toEqual([undefined, one]);
    expect(await identities({ name: "two" }, state)).toEqual([one, one]);
    const read = () => core.call("ReadResource", { typeName, currentState: encoded(thing, state) });
    expect(heardIdentity((await read()).newIdentity)).toEqual(one);
    expect(await identities(null, state)).toEqual([undefined, undefined]);
    expect(await read()).toMatchObject({ newState: undefined, newIdentity: undefined });
  });

  test("imports an object as its id does", async () => {
    const { core } = await start();
    await core.apply(typeName, { name: "one" });
    for (const by of [{ id: "thing-1" }, { identity: identified("thing-1") }]) {
      const { importedResources, diagnostics } = await core.call("ImportResourceState", { typeName, ...by });
      expect(diagnostics).toEqual([]);
      expect(importedResources.map(({ identity }) => heardIdentity(identity))).toEqual([{ id: "thing-1" }]);
    }
    const none = await core.call("ImportResourceState", { typeName, identity: identified("thing-2") });
    expect(none.diagnostics).toMatchObject([{ detail: expect.stringContaining('the id "thing-2"') }]);
  });

  test("that was stored is read, and one of a later version refused", async () => {
    const { core } = await start();
    const upgraded = (version: number, json: string) =>
      core.call("UpgradeResourceIdentity", { typeName, version, rawIdentity: { json: Buffer.from(json) } });
    const { upgradedIdentity } = await upgraded(0, '{"id":"thing-1","gone":true}');
    expect(heardIdentity(upgradedIdentity)).toEqual({ id: "thing-1" });
    expect((await upgraded(1, '{"id":"thing-1"}')).diagnostics).toMatchObject([
      { summary: "A newer version of the provider wrote the state" },
    ]);
    expect((await upgraded(0, "[]")).diagnostics).toMatchObject([
      { summary: "The stored state cannot be read" },
    ]);
  });
});

describe("a list resource", () => {
  test("sends each object with its identity and, if it is wanted, its state", async () => {
    const { core } = await start();
    for (const name of ["one", "two"]) await core.apply(typeName, { name });
    const found = await list(core, {});
    expect(found.map(({ displayName, identity }) => [displayName, heardIdentity(identity)])).toEqual([
      ["one", { id: "thing-1" }],
      ["two", { id: "thing-2" }],
      ["", undefined],
    ]);
    expect(found.map(({ resourceObject }) => resourceObject)).toEqual([undefined, undefined, undefined]);
    expect(found.map(({ diagnostics }) => diagnostics.length)).toEqual([0, 0, 1]);
    expect(found[2]?.diagnostics).toMatchObject([{ severity: "warning", summary: "There are many things" }]);
    const [whole] = await list(core, { name: "two" }, { includeResourceObject: true });
    expect(decodeObject(whole?.resourceObject, thing)).toMatchObject({
      id: "thing-2",
      name: "two",
      region: null,
    });
  });

  test("stops at the limit, and says nothing where there is nothing", async () => {
    const { core, memory } = await start();
    for (const name of ["one", "two"]) await core.apply(typeName, { name });
    expect(await list(core, {}, { limit: 1 })).toHaveLength(1);
    expect(memory.events).not.toContain("found two");
    expect(await list(core, { name: "three" })).toEqual([]);
  });

  test("takes a block that was left out for one that says nothing", async () => {
    const { core } = await start();
    await core.apply(typeName, { name: "one" });
    const nothing = { msgpack: Buffer.from("c0", "hex") };
    const validated = await core.call("ValidateListResourceConfig", { typeName, config: nothing });
    expect(validated.diagnostics).toEqual([]);
    expect(await core.stream("ListResource", { typeName, config: nothing, limit: 100 })).toHaveLength(1);
  });

  test("tells what is wrong in the place of objects", async () => {
    const { core } = await start();
    const config = encoded(listed, { name: "" });
    expect((await core.call("ValidateListResourceConfig", { typeName, config })).diagnostics).toMatchObject([
      { summary: "Every thing has a name", attribute: { steps: [{ attributeName: "name" }] } },
    ]);
    expect(await list(core, { name: "lost" })).toMatchObject([
      { diagnostics: [{ summary: "The service refuses" }] },
    ]);
    expect(await list(core, { name: "anonymous" })).toMatchObject([
      { diagnostics: [{ detail: expect.stringContaining("without what identifies it") }] },
    ]);
  });
});

describe("an action", () => {
  const config = (times: number) => encoded(actions.example_ring?.attributes ?? {}, { times });

  test.each<[what: string, times: number, said: object]>([
    ["a warning", 4, { severity: "warning", summary: "Four are unlucky" }],
    ["an error", 5, { severity: "error", summary: "The service refuses" }],
  ])("ends with %s", async (_, times, said) => {
    const { core } = await start();
    expect(await core.invoke("example_ring", { times })).toMatchObject({ said: [said] });
  });

  test("is refused in time", async () => {
    const { core } = await start();
    const refused = async (call: "ValidateActionConfig" | "PlanAction", times: number) => {
      const { diagnostics } = await core.call(call, { typeName: "example_ring", config: config(times) });
      return diagnostics.map(({ summary }) => summary);
    };
    expect(await refused("ValidateActionConfig", 0)).toEqual(["It would not ring"]);
    expect(await refused("PlanAction", 10)).toEqual(["It would ring too long"]);
    const none = { typeName: "example_none", config: config(1) };
    expect(await core.stream("InvokeAction", none)).toMatchObject([
      { completed: { diagnostics: [{ summary: "Unknown type" }] } },
    ]);
  });
});

async function start(): Promise<{ core: Core; memory: Memory }> {
  const memory = newMemory();
  return { core: await startCore(exampleProvider(memory)), memory };
}

function list(core: Core, config: ValueRecord, given: object = {}) {
  return core.stream("ListResource", { typeName, config: encoded(listed, config), limit: 100, ...given });
}

function heardIdentity(
  identity: { readonly data: { readonly msgpack: Uint8Array } | undefined } | undefined,
): Value | undefined {
  return identity?.data && decodeValue(identity.data.msgpack, identityType);
}
