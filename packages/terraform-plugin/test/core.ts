import { onTestFinished } from "vitest";
import {
  type Attributes,
  createProviderServer,
  type Diagnostic,
  type Log,
  type PrivateState,
  type Provider,
} from "../src/index.js";
import type { DynamicValue, Diagnostic as SentDiagnostic } from "../src/protocol/messages.js";
import type { Message, MessageInput, MessageOf } from "../src/protocol/protobuf.js";
import { type RpcName, rpcs } from "../src/protocol/rpcs.js";
import { toObjectType } from "../src/schema/schema-type.js";
import { decodeObject, decodePrivate, encodeObject, encodePrivate } from "../src/values/dynamic-value.js";
import { readValue } from "../src/values/read-value.js";
import type { ValueRecord } from "../src/values/shape.js";

/*
 * Simulates Terraform core by calling the provider's functions with encoded messages, without a connection. Each
 * simulated core corresponds to one provider block in one run.
 */

/** Object as Terraform stores it between runs. */
export interface Kept {
  readonly state: ValueRecord;
  readonly private: PrivateState;
}

/** Call result: the stored object and the diagnostics. */
export interface Ended {
  readonly kept: Kept | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly planned?: ValueRecord;
}

type Response<Name extends RpcName> = MessageOf<(typeof rpcs)[Name]["response"]>;
type Given<Name extends RpcName> = MessageInput<(typeof rpcs)[Name]["request"]>;
type Read = { readonly values: ValueRecord | null; readonly diagnostics: readonly Diagnostic[] };

export interface Core {
  call<Name extends RpcName>(name: Name, given: Given<Name>): Promise<Response<Name>>;
  /** Returns all responses of a streaming call. */
  stream<Name extends RpcName>(name: Name, given: Given<Name>): Promise<Response<Name>[]>;
  /** Provider block diagnostics. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * Plans `config`, and applies the plan unless it reports an error. If `config` is null, destroys the object even
   * after an error. Attributes missing from `config` are null, and `kept` is the prior object.
   */
  apply(type: string, config: ValueRecord | null, kept?: Kept | null): Promise<Ended>;
  plan(type: string, config: ValueRecord | null, kept?: Kept | null): Promise<Ended>;
  refresh(type: string, kept: Kept): Promise<Ended>;
  import(type: string, id: string): Promise<Read>;
  read(source: string, config: ValueRecord): Promise<Read>;
  invoke(type: string, config: ValueRecord): Promise<{ diagnostics: readonly Diagnostic[] }>;
  stop(): Promise<void>;
}

/** Starts a run. If settings are null, the provider is not configured. */
export async function startCore<Client>(
  provider: Provider<Client>,
  settings: ValueRecord | null = {},
  log: Log = () => {},
): Promise<Core> {
  const server = createProviderServer(provider)({ log });
  onTestFinished(() => server.close());

  const stream: Core["stream"] = async (name, given) => {
    const { request, response } = rpcs[name] as unknown as {
      request: Message<never, typeof given>;
      response: Message<Response<typeof name>, object>;
    };
    const sent: object[] = [];
    const last = await server.rpcs[name](request.decode(request.encode(given)), (one) => sent.push(one));
    return [...sent, ...(last ? [last] : [])].map((one) => response.decode(response.encode(one)));
  };
  const call: Core["call"] = async (name, given) => {
    const [only] = await stream(name, given);
    if (!only) throw new Error(`${name} got no response.`);
    return only;
  };

  const attributesOf = (type: string) => provider.resources[type]?.attributes ?? {};
  const keptOf = (type: string, state: Sent, own: Uint8Array): Kept | null => {
    const found = decodeObject(state, attributesOf(type));
    return found && { state: found, private: decodePrivate(own) };
  };
  async function planned(type: string, config: ValueRecord | null, kept: Kept | null) {
    const given = {
      typeName: type,
      priorState: encodeValues(attributesOf(type), kept?.state ?? null),
      config: encodeValues(attributesOf(type), config),
    };
    const priorPrivate = encodePrivate(kept?.private ?? {});
    const answer = await call("PlanResourceChange", { ...given, priorPrivate });
    const state = decodeObject(answer.plannedState, attributesOf(type));
    return {
      given,
      answer,
      ended: { kept, diagnostics: readDiagnostics(answer), ...(state && { planned: state }) },
    };
  }

  const diagnostics =
    settings &&
    readDiagnostics(await call("ConfigureProvider", { config: encodeValues(provider.attributes, settings) }));
  return {
    call,
    stream,
    diagnostics: diagnostics ?? [],
    plan: async (type, config, kept = null) => (await planned(type, config, kept)).ended,
    async apply(type, config, kept = null) {
      const { given, answer, ended } = await planned(type, config, kept);
      if (config && ended.diagnostics.some(({ severity }) => severity === "error")) return ended;
      const { plannedState, plannedPrivate } = answer;
      const applied = await call("ApplyResourceChange", { ...given, plannedState, plannedPrivate });
      return {
        ...ended,
        kept: keptOf(type, applied.newState, applied.private) ?? (config && kept),
        diagnostics: [...ended.diagnostics, ...readDiagnostics(applied)],
      };
    },
    async refresh(type, kept) {
      const currentState = encodeValues(attributesOf(type), kept.state);
      const given = { typeName: type, currentState, private: encodePrivate(kept.private) };
      const answer = await call("ReadResource", given);
      return { kept: keptOf(type, answer.newState, answer.private), diagnostics: readDiagnostics(answer) };
    },
    async import(type, id) {
      const answer = await call("ImportResourceState", { typeName: type, id });
      const [only] = answer.importedResources;
      return { values: decodeObject(only?.state, attributesOf(type)), diagnostics: readDiagnostics(answer) };
    },
    async read(source, given) {
      const { attributes = {} } = provider.dataSources[source] ?? {};
      const answer = await call("ReadDataSource", {
        typeName: source,
        config: encodeValues(attributes, given),
      });
      return { values: decodeObject(answer.state, attributes), diagnostics: readDiagnostics(answer) };
    },
    async invoke(type, given) {
      const { attributes = {} } = provider.actions[type] ?? {};
      const config = encodeValues(attributes, given);
      const responses = await stream("InvokeAction", { typeName: type, config });
      return { diagnostics: readDiagnostics(responses.at(-1)?.completed ?? { diagnostics: [] }) };
    },
    async stop() {
      await call("StopProvider", {});
    },
  };
}

type Sent = MessageOf<typeof DynamicValue> | undefined;

/** Encodes an object, with null for missing attributes. */
export function encodeValues(
  attributes: Attributes,
  values: ValueRecord | null,
): MessageInput<typeof DynamicValue> {
  return encodeObject(values && readValue(values, toObjectType(attributes)), attributes);
}

function readDiagnostics(answer: {
  readonly diagnostics: readonly MessageOf<typeof SentDiagnostic>[];
}): Diagnostic[] {
  return answer.diagnostics.map(({ severity, summary, detail, attribute }) => ({
    severity: severity as Diagnostic["severity"],
    ...{ summary, detail },
    path: (attribute?.steps ?? []).map(
      ({ attributeName, elementKeyInt = 0 }) => attributeName ?? elementKeyInt,
    ),
  }));
}
