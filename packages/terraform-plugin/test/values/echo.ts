import type { Attribute, Attributes } from "../../src/attribute.js";
import type { NewProviderServer, ProviderServer, Rpcs } from "../../src/protocol/rpcs.js";
import { objectType } from "../../src/schema/schema-type.js";
import { decodeValue, encodeValue } from "../../src/values/msgpack.js";
import { emptyRecord, isRecord } from "../../src/values/shape.js";
import { fromJson, parseJson } from "../../src/values/state-json.js";
import type { Value } from "../../src/values/value.js";

/*
 * A provider by hand, with one resource that gives back to the core what the core sends, through the codec alone: it
 * tells what the core makes of our values.
 */

export interface Echo {
  readonly newInstance: NewProviderServer;
  /** The configuration as it was in the last plan. */
  config: Value;
}

export function echoOf(attributes: Attributes): Echo {
  const type = objectType(attributes);
  const echo: Echo = { newInstance: () => instance, config: null };
  const read = ({ msgpack }: { msgpack: Uint8Array } = { msgpack: new Uint8Array() }): Value =>
    msgpack.length === 0 ? null : decodeValue(msgpack, type);
  const write = (value: Value) => ({ msgpack: encodeValue(value, type) });
  /** The answer to a value that was sent: the same without what is write-only. */
  const answer = (value: Value): Value => {
    if (!isRecord(value)) return value;
    const same = emptyRecord();
    for (const [name, part] of Object.entries(value)) same[name] = attributes[name]?.writeOnly ? null : part;
    return same;
  };

  const answered: Partial<Rpcs> = {
    GetProviderSchema: async () => ({
      provider: { block: {} },
      resourceSchemas: { echo_value: { block: { attributes: schemaOf(attributes) } } },
    }),
    GetResourceIdentitySchemas: async () => ({}),
    ValidateProviderConfig: async () => ({}),
    ConfigureProvider: async () => ({}),
    StopProvider: async () => ({}),
    ValidateResourceConfig: async () => ({}),
    async UpgradeResourceState({ rawState }) {
      const state = fromJson(parseJson(Buffer.from(rawState?.json ?? "").toString()), type);
      return { upgradedState: write(state) };
    },
    async ReadResource({ currentState }) {
      return { newState: write(answer(read(currentState))) };
    },
    async PlanResourceChange(request) {
      echo.config = read(request.config);
      return { plannedState: write(answer(read(request.proposedNewState))) };
    },
    async ApplyResourceChange(request) {
      return { newState: write(answer(read(request.plannedState))) };
    },
  };
  const instance: ProviderServer = { rpcs: answered as Rpcs, close: async () => {} };
  return echo;
}

function schemaOf(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([name, attribute]) => ({ name, ...factsOf(attribute) }));
}

function factsOf(attribute: Attribute): object {
  const { required, optional, computed, writeOnly } = attribute;
  const facts = { required, optional, computed, writeOnly };
  if ("type" in attribute) return { ...facts, type: Buffer.from(JSON.stringify(attribute.type)) };
  return { ...facts, nestedType: { nesting: attribute.nesting, attributes: schemaOf(attribute.attributes) } };
}
