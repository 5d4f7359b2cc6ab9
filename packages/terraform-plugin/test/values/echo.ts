import type { Attribute, Attributes } from "../../src/attribute.js";
import type { NewProviderServer, ProviderServer, Rpcs } from "../../src/protocol/rpcs.js";
import { objectType } from "../../src/schema/schema-type.js";
import { decodeValue, encodeValue } from "../../src/values/msgpack.js";
import { emptyRecord, isRecord } from "../../src/values/shape.js";
import { fromJson, parseJson } from "../../src/values/state-json.js";
import type { Value } from "../../src/values/value.js";
import type { Violation } from "../../src/violations/violation.js";
import { applyViolations, planViolations, stateViolations } from "../../src/violations/violations.js";

/*
 * A provider by hand, with one resource that gives back to the core what the core sends, through the codec alone: it
 * tells what the core makes of our values. Told to, it answers something else: it tells whether the core and our rules
 * agree about that.
 */

/** What the provider answers in the place of what it should. */
export interface Twist {
  plan?(planned: { readonly [name: string]: Value }): Value;
  apply?(state: { readonly [name: string]: Value }): Value;
  read?(state: { readonly [name: string]: Value }): Value;
}

export interface Echo {
  readonly newInstance: NewProviderServer;
  twist: Twist;
  /** The configuration as it was in the last plan. */
  config: Value;
  /** What our own rules say of all answers. */
  readonly broken: Violation[];
}

export function echoOf(attributes: Attributes): Echo {
  const type = objectType(attributes);
  const echo: Echo = { newInstance: () => instance, twist: {}, config: null, broken: [] };
  const read = ({ msgpack }: { msgpack: Uint8Array } = { msgpack: new Uint8Array() }): Value =>
    msgpack.length === 0 ? null : decodeValue(msgpack, type);
  const write = (value: Value) => ({ msgpack: encodeValue(value, type) });
  /** The answer to a value that was sent: the same without what is write-only, or what the twist makes of that. */
  const twisted = (value: Value, twist: Twist[keyof Twist]): Value => {
    if (!isRecord(value)) return value;
    const answer = emptyRecord();
    for (const [name, part] of Object.entries(value))
      answer[name] = attributes[name]?.writeOnly ? null : part;
    return twist ? twist(answer) : answer;
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
      const state = twisted(read(currentState), echo.twist.read);
      echo.broken.push(...stateViolations({ attributes, state }));
      return { newState: write(state) };
    },
    async PlanResourceChange(request) {
      const prior = read(request.priorState);
      const config = read(request.config);
      const planned = twisted(read(request.proposedNewState), echo.twist.plan);
      echo.config = config;
      echo.broken.push(...planViolations({ attributes, prior, config, planned }));
      return { plannedState: write(planned) };
    },
    async ApplyResourceChange(request) {
      const planned = read(request.plannedState);
      const state = twisted(planned, echo.twist.apply);
      echo.broken.push(...applyViolations({ attributes, planned, state }));
      return { newState: write(state) };
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
