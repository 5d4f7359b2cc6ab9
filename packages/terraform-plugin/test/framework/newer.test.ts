import { describe, expect, onTestFinished, test } from "vitest";
import { providerServer, startDebugServer, type Value } from "../../src/index.js";
import { identityAttributes, objectType } from "../../src/schema/schema-type.js";
import { decodeValue, encodeValue } from "../../src/values/msgpack.js";
import { type Client as Core, connect } from "../wire/client.js";
import { exampleProvider, type Memory, newMemory, thing } from "./example.js";

/* What Terraform from 1.12 on says and hears: identities, lists, actions. */

const typeName = "example_thing";
const type = objectType(thing);
const identityType = objectType(identityAttributes({ attributes: thing, identity: ["id"] }) ?? {});
const asked = (values: object, ...attributes: string[]) => ({
  msgpack: encodeValue({ ...Object.fromEntries(attributes.map((name) => [name, null])), ...values }, [
    "object",
    Object.fromEntries(attributes.map((name) => [name, name === "times" ? "number" : "string"])),
  ]),
});
const identified = (id: string) => ({ data: { msgpack: encodeValue({ id }, identityType) } });

describe("an identity", () => {
  test("is in the schema, and of no resource that has none", async () => {
    const { core } = await start();
    const { identitySchemas } = await core.call("GetResourceIdentitySchemas", {});
    expect(identitySchemas).toEqual({
      example_thing: {
        version: 0,
        attributes: [
          expect.objectContaining({ name: "id", requiredForImport: true, optionalForImport: false }),
        ],
      },
    });
    expect(Buffer.from(identitySchemas.example_thing?.attributes[0]?.type ?? []).toString()).toBe('"string"');
  });

  test("is not planned before it is known, and then goes with every state", async () => {
    const { core } = await start();
    const created = await apply(core, null, { name: "one" });
    expect(created.plannedIdentity).toBe(undefined);
    expect(heardIdentity(created.newIdentity)).toEqual({ id: "thing-1" });
    const changed = await apply(core, created.state, { name: "two" });
    expect([changed.plannedIdentity, changed.newIdentity].map(heardIdentity)).toEqual([
      { id: "thing-1" },
      { id: "thing-1" },
    ]);
    const read = await core.call("ReadResource", { typeName, currentState: sent(changed.state) });
    expect(heardIdentity(read.newIdentity)).toEqual({ id: "thing-1" });
    const deleted = await apply(core, changed.state, null);
    expect([deleted.plannedIdentity, deleted.newIdentity]).toEqual([undefined, undefined]);
    const gone = await core.call("ReadResource", { typeName, currentState: sent(changed.state) });
    expect([gone.newState, gone.newIdentity]).toEqual([undefined, undefined]);
  });

  test("imports an object as its id does", async () => {
    const { core } = await start();
    await apply(core, null, { name: "one" });
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
    for (const name of ["one", "two"]) await apply(core, null, { name });
    const listed = await list(core, {});
    expect(listed.map(({ displayName, identity }) => [displayName, heardIdentity(identity)])).toEqual([
      ["one", { id: "thing-1" }],
      ["two", { id: "thing-2" }],
      ["", undefined],
    ]);
    expect(listed.map(({ resourceObject }) => resourceObject)).toEqual([undefined, undefined, undefined]);
    expect(listed.map(({ diagnostics }) => diagnostics.length)).toEqual([0, 0, 1]);
    expect(listed[2]?.diagnostics).toMatchObject([{ severity: "warning", summary: "There are many things" }]);
    const [whole] = await list(core, { name: "two" }, { includeResourceObject: true });
    expect(heard(whole?.resourceObject)).toMatchObject({ id: "thing-2", name: "two", region: null });
  });

  test("stops at the limit, and says nothing where there is nothing", async () => {
    const { core, memory } = await start();
    for (const name of ["one", "two"]) await apply(core, null, { name });
    expect(await list(core, {}, { limit: 1 })).toHaveLength(1);
    expect(memory.events).not.toContain("found two");
    expect(await list(core, { name: "three" })).toEqual([]);
  });

  test("takes a block that was left out for one that says nothing", async () => {
    const { core } = await start();
    await apply(core, null, { name: "one" });
    const nothing = { msgpack: Buffer.from("c0", "hex") };
    const validated = await core.call("ValidateListResourceConfig", { typeName, config: nothing });
    expect(validated.diagnostics).toEqual([]);
    expect(await core.stream("ListResource", { typeName, config: nothing, limit: 100 })).toHaveLength(1);
  });

  test("tells what is wrong in the place of objects", async () => {
    const { core } = await start();
    const config = asked({ name: "" }, "name");
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
  const config = (times: number) => asked({ times }, "times", "key");

  test("is checked, planned, and tells how far it is", async () => {
    const { core, memory } = await start();
    const action = { typeName: "example_ring", config: config(2) };
    expect((await core.call("ValidateActionConfig", action)).diagnostics).toEqual([]);
    expect((await core.call("PlanAction", action)).diagnostics).toEqual([]);
    expect(memory.events).toEqual([]);
    expect(await core.stream("InvokeAction", action)).toEqual([
      { progress: { message: "Ring 1" }, completed: undefined },
      { progress: { message: "Ring 2" }, completed: undefined },
      { progress: undefined, completed: { diagnostics: [] } },
    ]);
    expect(memory.events).toEqual(["rang 2 with null"]);
  });

  test("sends its progress while it is under way", async () => {
    let go = () => {};
    const waiting = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { core } = await start((event) => (event === "ringing 2" ? waiting : undefined));
    const call = core.open("/tfplugin6.Provider/InvokeAction");
    const { InvokeAction } = (await import("../../src/protocol/rpcs.js")).rpcs;
    const message = InvokeAction.request.encode({ typeName: "example_ring", config: config(2) });
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    call.end(Buffer.concat([head, message]));
    const first = await new Promise<Buffer>((resolve) => call.once("data", resolve));
    expect(InvokeAction.response.decode(first.subarray(5))).toMatchObject({
      progress: { message: "Ring 1" },
    });
    go();
    call.resume();
    await new Promise((resolve) => call.once("close", resolve));
  });

  test.each<[what: string, times: number, said: object]>([
    ["a warning", 4, { severity: "warning", summary: "Four are unlucky" }],
    ["an error", 5, { severity: "error", summary: "The service refuses" }],
  ])("ends with %s", async (_, times, said) => {
    const { core } = await start();
    const responses = await core.stream("InvokeAction", { typeName: "example_ring", config: config(times) });
    expect(responses.at(-1)).toMatchObject({ completed: { diagnostics: [said] } });
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

async function start(during?: Memory["during"]): Promise<{ core: Core; memory: Memory }> {
  const memory = newMemory(during);
  const provider = exampleProvider(memory);
  const server = await startDebugServer(providerServer(provider), { log: () => {} });
  onTestFinished(() => server.close());
  const { example } = JSON.parse(server.reattach("example"));
  const core = await connect({ network: example.Addr.Network, address: example.Addr.String });
  await core.call("ConfigureProvider", {
    config: { msgpack: encodeValue({ key: null }, objectType(provider.attributes)) },
  });
  return { core, memory };
}

interface Applied {
  readonly plannedIdentity: Parameters<typeof heardIdentity>[0];
  readonly newIdentity: Parameters<typeof heardIdentity>[0];
  readonly state: Value;
}

/** Plans and applies, as a core does. */
async function apply(core: Core, prior: Value, set: object | null): Promise<Applied> {
  const config = set && { ...Object.fromEntries(Object.keys(thing).map((name) => [name, null])), ...set };
  const given = { typeName, priorState: sent(prior), config: sent(config) };
  const { plannedState, plannedPrivate, plannedIdentity } = await core.call("PlanResourceChange", given);
  const applied = await core.call("ApplyResourceChange", { ...given, plannedState, plannedPrivate });
  return { plannedIdentity, newIdentity: applied.newIdentity, state: heard(applied.newState) };
}

function list(core: Core, config: object, given: object = {}) {
  return core.stream("ListResource", { typeName, config: asked(config, "name"), limit: 100, ...given });
}

function sent(value: Value) {
  return { msgpack: encodeValue(value, type) };
}

function heard(value: { readonly msgpack: Uint8Array } | undefined): Value {
  return value ? decodeValue(value.msgpack, type) : null;
}

function heardIdentity(
  identity: { readonly data: { readonly msgpack: Uint8Array } | undefined } | undefined,
): Value | undefined {
  return identity?.data && decodeValue(identity.data.msgpack, identityType);
}
