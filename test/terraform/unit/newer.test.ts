import { describe, expect, test } from "vitest";
import { identityType } from "../../../packages/terraform-plugin/src/schema/schema-type.js";
import { decodeObject } from "../../../packages/terraform-plugin/src/values/dynamic-value.js";
import { decodeValue, encodeValue } from "../../../packages/terraform-plugin/src/values/msgpack.js";
import { encodeValues } from "../../../packages/terraform-plugin/test/core.js";
import { generateDataset } from "../../../src/emulator/index.js";
import { createProvider } from "../../../src/entrypoints/terraform/index.js";
import { type Run, startAccount, startRun, type Values } from "./driving.js";

/* Tests the calls that Terraform 1.12 and later add for identities and lists. */

const typeName = "avatarops_context";
const { resources } = createProvider({ version: "0.0.0", environment: {} });
const { attributes = {} } = resources[typeName] ?? {};

type Sent = { readonly data: { readonly msgpack: Uint8Array } | undefined } | undefined;
const decodeIdentity = (identity: Sent) => identity?.data && decodeValue(identity.data.msgpack, identityType);

async function start(contexts = 3) {
  const emulator = await startAccount({ world: generateDataset({ contexts }) });
  return { emulator, ids: emulator.world.contexts.map(({ id }) => id), run: await startRun(emulator) };
}

describe("resource identity", () => {
  test("is absent from a create's plan, but present in every later plan and state", async () => {
    const { emulator, run } = await start(0);
    const identities = async (config: Values | null, prior: Values | null) => {
      const given = {
        ...{
          typeName,
          priorState: encodeValues(attributes, prior),
          config: encodeValues(attributes, config),
        },
      };
      const { plannedState, plannedIdentity } = await run.call("PlanResourceChange", given);
      const { newIdentity } = await run.call("ApplyResourceChange", { ...given, plannedState });
      return [plannedIdentity, newIdentity].map(decodeIdentity);
    };
    const made = await identities({ name: "One", prompt: "" }, null);
    const id = emulator.world.contexts[0]?.id ?? "";
    expect(made).toEqual([undefined, { id }]);
    const state = { id, name: "One", prompt: "" };
    expect(await identities({ name: "Two", prompt: "" }, state)).toEqual([{ id }, { id }]);
    const read = () => run.call("ReadResource", { typeName, currentState: encodeValues(attributes, state) });
    expect(decodeIdentity((await read()).newIdentity)).toEqual({ id });
    emulator.removeContext("Two");
    expect(await read()).toMatchObject({ newState: undefined, newIdentity: undefined });
  });

  test("imports an object exactly as an import by id does", async () => {
    const { run, ids } = await start();
    const [id = ""] = ids;
    const identity = { data: { msgpack: encodeValue({ id }, identityType) } };
    for (const by of [{ id }, { identity }]) {
      const { importedResources, diagnostics } = await run.call("ImportResourceState", { typeName, ...by });
      expect(diagnostics).toEqual([]);
      expect(importedResources.map(({ identity }) => decodeIdentity(identity))).toEqual([{ id }]);
    }
  });

  test("is read from the state, but rejected if a later version wrote it", async () => {
    const { run } = await start(0);
    const upgrade = (version: number, json: string) =>
      run.call("UpgradeResourceIdentity", { typeName, version, rawIdentity: { json: Buffer.from(json) } });
    expect(decodeIdentity((await upgrade(0, '{"id":"c-1","gone":true}')).upgradedIdentity)).toEqual({
      id: "c-1",
    });
    expect((await upgrade(1, '{"id":"c-1"}')).diagnostics).toMatchObject([
      { summary: "A newer version of the provider wrote the state" },
    ]);
  });
});

describe("list resource", () => {
  const list = (run: Run, given: object = {}) =>
    run.stream("ListResource", { typeName, limit: 100, ...given });

  test("sends each object with its identity, and with its state on request", async () => {
    const { run, ids } = await start();
    const found = await list(run);
    expect(found.map(({ identity }) => decodeIdentity(identity))).toEqual(
      ids.toSorted().map((id) => ({ id })),
    );
    expect(found.map(({ resourceObject }) => resourceObject)).toEqual(ids.map(() => undefined));
    const [, whole] = (await list(run, { includeResourceObject: true })).toSorted((a, b) =>
      a.displayName < b.displayName ? -1 : 1,
    );
    expect(whole?.displayName).toBe("Context 2");
    expect(decodeObject(whole?.resourceObject, attributes)).toMatchObject({ id: ids[1], prompt: "Prompt 2" });
  });

  test("stops at the limit, and sends nothing for an empty account", async () => {
    const { emulator, run } = await start();
    expect(await list(run, { limit: 1, includeResourceObject: true })).toHaveLength(1);
    expect(emulator.requests).toHaveLength(2);
    expect(await list((await start(0)).run)).toEqual([]);
  });

  test("returns an error instead of objects if the list request fails", async () => {
    const { emulator, run } = await start();
    emulator.addFault("* * 401");
    const [event, ...more] = await list(run);
    expect([event?.diagnostics[0]?.summary, more]).toEqual(["The service rejected the API key", []]);
  });
});

test("reports an unknown action when it is invoked", async () => {
  const { run } = await start(0);
  expect(await run.stream("InvokeAction", { typeName: "avatarops_none" })).toMatchObject([
    { completed: { diagnostics: [{ summary: "Unknown type" }] } },
  ]);
  expect(await run.call("PlanAction", { typeName: "avatarops_smoke" })).toEqual({ diagnostics: [] });
});
