import { describe, expect, onTestFinished, test } from "vitest";
import type { Attributes } from "../../src/attribute.js";
import { providerServer, startDebugServer, Unknown, type Value } from "../../src/index.js";
import { objectType } from "../../src/schema/schema-type.js";
import { decodeValue, encodeValue } from "../../src/values/msgpack.js";
import { type Client as Core, connect } from "../wire/client.js";
import { bundle, call, startPlugin } from "../wire/plugin.js";
import { exampleProvider, type Memory, newMemory, thing } from "./example.js";

/* What a core says and hears, without one: over real connections, the first with TLS to a process of its own. */

const typeName = "example_thing";
const type = objectType(thing);

const file = bundle("packages/terraform-plugin/test/framework/example-main.ts");

describe("over gRPC and TLS", () => {
  test("an object lives a whole life, also with texts of 5 MB", async () => {
    const core = await call(startPlugin(file));
    const schema = await core.call("GetProviderSchema", {});
    expect(schema.diagnostics).toEqual([]);
    expect(schema.serverCapabilities).toMatchObject({ planDestroy: true, getProviderSchemaOptional: true });
    await configure(core);

    const note = "x".repeat(5_000_000);
    const created = await applied(core, null, { name: "one", note, secret_wo: "canary" });
    expect(created).toMatchObject({
      id: "thing-1",
      name: "one",
      note,
      secret_wo: null,
      revision: 1,
    });
    expect(await read(core, created)).toEqual(created);

    const changed = await applied(core, created, { name: "two", note });
    expect(changed).toMatchObject({ id: "thing-1", name: "two", revision: 2 });
    expect(await applied(core, changed, null)).toBe(null);
    expect(await read(core, changed)).toBe(null);
    await core.close();
  });
});

describe("a call", () => {
  test.each<[what: string, msgpack: Uint8Array]>([
    ["bytes that are none", Buffer.from("c1", "hex")],
    ["a cut value", encodeValue(config({ name: "one" }), type).subarray(0, 20)],
    ["a value of another type", Buffer.from("01", "hex")],
    ["nothing", Buffer.from("c0", "hex")],
    ["something unknown", Buffer.from("d40000", "hex")],
  ])("with %s for a value is answered with a diagnostic", async (_, msgpack) => {
    const core = await exampleCore();
    const { diagnostics } = await core.call("ValidateResourceConfig", { typeName, config: { msgpack } });
    expect(diagnostics).toMatchObject([{ severity: "error", summary: "A value cannot be read" }]);
  });

  test("before the provider is configured says what is missing, where a client is needed", async () => {
    const core = await exampleCore();
    const { diagnostics } = await core.call("ImportResourceState", { typeName, id: "thing-1" });
    expect(diagnostics).toMatchObject([{ severity: "error", summary: "The provider is not configured" }]);
    const state = sent({ ...config({}), id: "thing-1", name: "one" });
    expect((await core.call("ReadResource", { typeName, currentState: state })).diagnostics).toHaveLength(1);
    expect(
      (await core.call("ValidateResourceConfig", { typeName, config: sent(config({ name: "x" })) }))
        .diagnostics,
    ).toEqual([]);
  });

  test("about a type or a function that does not exist says so", async () => {
    const core = await exampleCore();
    const { diagnostics } = await core.call("ReadResource", { typeName: "example_none" });
    expect(diagnostics).toMatchObject([{ summary: "Unknown type" }]);
    expect((await core.call("CallFunction", { name: "toString" })).error?.text).toContain("Unknown function");
  });

  test("takes values as JSON, too", async () => {
    const core = await exampleCore();
    const json = Buffer.from(JSON.stringify({ name: "", region: "north" }));
    const { diagnostics } = await core.call("ValidateResourceConfig", { typeName, config: { json } });
    expect(diagnostics).toMatchObject([{ summary: "It needs a name" }]);
  });

  test("from a core without write-only attributes is told what is needed, where one is set", async () => {
    const core = await exampleCore();
    const validated = (set: object, writeOnlyAttributesAllowed: boolean) =>
      core.call("ValidateResourceConfig", {
        typeName,
        config: sent(config({ name: "one", ...set })),
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

  test("to move an object from another type is refused with what to do", async () => {
    const core = await exampleCore();
    const moved = await core.call("MoveResourceState", {
      sourceTypeName: "other_thing",
      targetTypeName: typeName,
    });
    expect(moved.diagnostics).toMatchObject([{ detail: expect.stringContaining("`import` block") }]);
  });

  test("with private data that is not ours begins with none", async () => {
    const core = await exampleCore();
    await configure(core);
    const priorState = sent({ ...config({ name: "again" }), id: "thing-1", revision: 1, size: 3 });
    for (const text of ["", "{", "[]", "null", "\u0000"]) {
      const planned = await core.call("PlanResourceChange", {
        typeName,
        priorState,
        config: sent(config({ name: "again" })),
        priorPrivate: Buffer.from(text),
      });
      expect(planned.diagnostics).toEqual([]);
      expect(Buffer.from(planned.plannedPrivate).toString()).toBe('{"again":true}');
    }
  });

  test("of an older state that nobody can read says what to do, and shows nothing of it", async () => {
    const core = await exampleCore();
    const upgraded = (version: number, json: string, flatmap = {}) =>
      core.call("UpgradeResourceState", {
        typeName,
        version,
        rawState: { json: Buffer.from(json), flatmap },
      });
    for (const [version, json, flatmap, told] of [
      [0, '{"name":', {}, "the text is not JSON"],
      [0, '["canary"]', {}, "it is not an object"],
      [0, '{"name":["canary"]}', {}, "name: a string is required, but this is a list"],
      [1, '{"name":"canary"}', {}, "supports up to 0"],
      [0, "", { name: "canary" }, "Terraform 0.12"],
    ] as const) {
      const { diagnostics } = await upgraded(version, json, flatmap);
      expect(diagnostics).toMatchObject([{ severity: "error", detail: expect.stringContaining(told) }]);
      expect(JSON.stringify(diagnostics)).not.toContain("canary");
    }
  });

  test("of a state keeps what means nothing as it is stored", async () => {
    const core = await exampleCore();
    const json = Buffer.from(JSON.stringify({ name: "one", note: "", secret_wo: "canary" }));
    const upgraded = await core.call("UpgradeResourceState", { typeName, version: 0, rawState: { json } });
    expect(heard(upgraded.upgradedState)).toMatchObject({
      name: "one",
      note: "",
      region: null,
      secret_wo: null,
    });
  });

  test("in flight is aborted by StopProvider, and says that it was stopped", async () => {
    const events: string[] = [];
    const core = await exampleCore({
      during: (event, signal) => {
        events.push(event);
        void core.call("StopProvider", {});
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    await configure(core);
    const request = { typeName, priorState: sent(null), config: sent(config({ name: "one" })) };
    const { plannedState } = await core.call("PlanResourceChange", request);
    const { diagnostics } = await core.call("ApplyResourceChange", { ...request, plannedState });
    expect(events).toEqual(["creating one"]);
    expect(diagnostics).toMatchObject([{ severity: "error", summary: "Operation cancelled" }]);
  });

  test("whose answer is not of its type is answered as a bug, and not at all", async () => {
    const core = await exampleCore();
    await configure(core);
    const state = sent({ ...config({ name: "lies" }), id: "thing-1" });
    const read = await core.call("ReadResource", { typeName, currentState: state });
    expect(read.newState).toBe(undefined);
    expect(read.diagnostics).toMatchObject([
      {
        summary: "This is a bug in the provider",
        detail: expect.stringContaining("size: a number is required, but this is a string"),
      },
    ]);
  });

  test.each([
    ["broken", "This is a bug in the provider", "TypeError: something is undefined"],
    ["half", "Only half of it was made", "Try again."],
    ["untyped", "This is a bug in the provider", "size: a number is required, but this is a string"],
  ])(
    "to make what is %s fails, and what was made is in the answer all the same",
    async (name, summary, told) => {
      const core = await exampleCore();
      await configure(core);
      const request = { typeName, priorState: sent(null), config: sent(config({ name })) };
      const { plannedState } = await core.call("PlanResourceChange", request);
      const { diagnostics, newState } = await core.call("ApplyResourceChange", { ...request, plannedState });
      expect(diagnostics).toMatchObject([{ summary, detail: expect.stringContaining(told) }]);
      if (name === "broken") expect(newState).toBeUndefined();
      else expect(heard(newState)).toMatchObject({ id: "thing-1", name });
    },
  );

  test("of a function that hits a bug says so, and for one that changes the region a new object is planned", async () => {
    const core = await exampleCore();
    await configure(core);
    const text = (value: string) => ({ msgpack: encodeValue(value, "string") });
    const joined = (...texts: string[]) =>
      core.call("CallFunction", { name: "joined", arguments: texts.map(text) });
    const { result } = await joined("-", "a", "b");
    expect(decodeValue(result?.msgpack ?? Buffer.from(""), "string")).toBe("a-b");
    expect((await joined("13")).error?.text).toContain("This is a bug in the provider");
    const prior = { ...config({ name: "one", region: "north" }), id: "thing-1", revision: 1 };
    const { requiresReplace } = await core.call("PlanResourceChange", {
      typeName,
      priorState: sent(prior),
      config: sent(config({ name: "one", region: "south" })),
    });
    expect(requiresReplace).toMatchObject([{ steps: [{ attributeName: "region" }] }]);
  });

  test("is told in the log by name and outcome, without values", async () => {
    const lines: string[] = [];
    const core = await exampleCore({ log: (...line) => lines.push(JSON.stringify(line)) });
    await configure(core);
    await applied(core, null, { name: "one-canary", secret_wo: "canary" });
    expect(lines).toEqual([
      '["debug","ConfigureProvider",{"errors":0,"warnings":0}]',
      '["debug","PlanResourceChange of example_thing",{"errors":0,"warnings":0}]',
      '["debug","ApplyResourceChange of example_thing",{"errors":0,"warnings":0}]',
    ]);
  });

  test("lists what the provider has, and its functions alone for OpenTofu", async () => {
    const core = await exampleCore();
    const metadata = await core.call("GetMetadata", {});
    expect(metadata.resources).toEqual([{ typeName: "example_thing" }]);
    expect(metadata.functions).toEqual([{ name: "joined" }]);
    const { functions } = await core.call("GetFunctions", {});
    expect(functions).toEqual((await core.call("GetProviderSchema", {})).functions);
  });
});

async function exampleCore({
  log = () => {},
  during,
}: {
  readonly log?: (...line: unknown[]) => void;
  readonly during?: Memory["during"];
} = {}): Promise<Core> {
  const server = await startDebugServer(providerServer(exampleProvider(newMemory(during))), { log });
  onTestFinished(() => server.close());
  const { example } = JSON.parse(server.reattach("example"));
  return connect({ network: example.Addr.Network, address: example.Addr.String });
}

async function configure(core: Core): Promise<void> {
  const attributes: Attributes = exampleProvider(newMemory()).attributes;
  const given = encodeValue({ key: "canary" }, objectType(attributes));
  expect((await core.call("ConfigureProvider", { config: { msgpack: given } })).diagnostics).toEqual([]);
}

/** Plans and applies, as a core does. */
async function applied(core: Core, prior: Value, set: object | null): Promise<Value> {
  const given = { typeName, priorState: sent(prior), config: sent(set && config(set)) };
  const planned = await core.call("PlanResourceChange", { ...given, proposedNewState: given.config });
  const { plannedState, plannedPrivate } = planned;
  const answer = await core.call("ApplyResourceChange", { ...given, plannedState, plannedPrivate });
  expect(
    [...planned.diagnostics, ...answer.diagnostics].filter(({ severity }) => severity === "error"),
  ).toEqual([]);
  return heard(answer.newState);
}

async function read(core: Core, state: Value): Promise<Value> {
  const { newState, diagnostics } = await core.call("ReadResource", { typeName, currentState: sent(state) });
  expect(diagnostics).toEqual([]);
  return heard(newState);
}

function config(set: object): { readonly [name: string]: Value } {
  return { ...Object.fromEntries(Object.keys(thing).map((name) => [name, null])), ...set };
}

function sent(value: Value) {
  return { msgpack: encodeValue(value, type) };
}

function heard(value: { readonly msgpack: Uint8Array } | undefined): Value {
  return value ? decodeValue(value.msgpack, type) : null;
}
