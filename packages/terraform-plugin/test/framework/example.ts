import {
  type Attributes,
  definitionsFor,
  type Known,
  type Provider,
  Unknown,
  type Value,
} from "../../src/index.js";

/* A provider of things that are kept in memory. */

type Things = Map<string, Known<typeof thing>>;

export interface Memory {
  readonly things: Things;
  /** What was asked for, in order. */
  readonly events: string[];
  /** What a test does in the midst of a call: of "creating NAME", "ringing TIME". */
  during(event: string, signal: AbortSignal): Promise<void> | void;
}

export function newMemory(during: Memory["during"] = () => {}): Memory {
  return { things: new Map(), events: [], during };
}

const description = "An attribute.";

export const thing = {
  id: { type: "string", computed: true, useStateForUnknown: true, description },
  name: {
    type: "string",
    required: true,
    description,
    validate: (value) => (value === "" ? [{ summary: "It needs a name", detail: "Give it one." }] : []),
  },
  region: { type: "string", optional: true, requiresReplace: true, description },
  size: { type: "number", optional: true, description },
  /** The memory keeps it in lower case. */
  note: {
    type: "string",
    optional: true,
    description,
    semanticEquals: (one, other) => String(one ?? "").toLowerCase() === String(other ?? "").toLowerCase(),
  },
  secret_wo: { type: "string", optional: true, sensitive: true, writeOnly: true, description },
  revision: { type: "number", computed: true, description },
} as const satisfies Attributes;

const define = definitionsFor<Things>();

export function exampleProvider(memory: Memory): Provider<Things> {
  let made = 0;

  const things = define.resource({
    description: "A thing.",
    attributes: thing,
    identity: ["id"],
    modifyPlan({ planned, prior, private: kept }) {
      // The framework could compare no attribute here.
      if (prior && planned?.name === "again" && kept.again !== true)
        return { planned: { ...planned, revision: Unknown }, private: { ...kept, again: true } };
      return undefined;
    },
    async create({ client, config, private: kept, diagnostics, signal }) {
      await memory.during(`creating ${config.name}`, signal);
      if (config.name === "broken") throw new TypeError("something is undefined");
      const state = { ...config, id: `thing-${++made}`, note: lower(config.note), revision: 1 };
      client.set(state.id, state);
      if (config.name === "half") diagnostics.error("Only half of it was made", "Try again.", ["name"]);
      if (config.name === "untyped") return { state: { ...state, size: "1" as never } };
      return { state, private: kept };
    },
    async read({ state, client }) {
      const found = client.get(state.id ?? "");
      if (state.name === "lies") return { state: { ...state, size: "3" as never } };
      return found ? { state: found } : null;
    },
    async update({ client, config, prior }) {
      if (config.name === "refused") throw new Refused();
      const state = {
        ...{ ...config, id: prior.id ?? "", note: lower(config.note) },
        revision: Number(prior.revision) + 1,
      };
      client.set(state.id, state);
      return { state };
    },
    async delete({ client, prior }) {
      client.delete(prior.id ?? "");
    },
    async importState({ id, client }) {
      return client.has(id) ? { id } : null;
    },
  });

  return define.provider({
    name: "example",
    version: "1.2.3",
    description: "An example.",
    attributes: { key: { type: "string", optional: true, sensitive: true, description } },
    configure: async () => memory.things,
    explain: (error) =>
      error instanceof Refused
        ? { severity: "error", summary: "The service refuses", detail: "Ask for less." }
        : undefined,
    resources: { example_thing: things },
    listResources: {
      example_thing: define.listResource({
        description: "Things.",
        attributes: {
          name: {
            type: "string",
            optional: true,
            description,
            validate: (value) => (value === "" ? [{ summary: "Every thing has a name" }] : []),
          },
        },
        async *list({ client, config, isWhole, diagnostics }) {
          const found = [...client.values()].filter(
            ({ name }) => config.name === null || name === config.name,
          );
          if (config.name === "lost") throw new Refused();
          if (config.name === "anonymous") yield { displayName: "anonymous", state: { id: null } };
          for (const [at, state] of found.entries()) {
            memory.events.push(`found ${state.name}`);
            yield { displayName: state.name, state: isWhole ? { ...state } : { id: state.id } };
            if (at === 1) diagnostics.warning("There are many things", "Look for one by its name.");
          }
        },
      }),
    },
    actions: {
      example_ring: define.action({
        description: "Rings a bell.",
        attributes: {
          times: { type: "number", required: true, description },
        },
        validate({ config, diagnostics }) {
          if (config.times === 0) diagnostics.error("It would not ring", "Ring once or more.", ["times"]);
        },
        plan({ config, diagnostics }) {
          if (Number(config.times) > 9) diagnostics.error("It would ring too long", "", ["times"]);
        },
        async invoke({ config, progress, diagnostics, signal }) {
          for (let time = 1; time <= Number(config.times); time++) {
            await memory.during(`ringing ${time}`, signal);
            progress(`Ring ${time}`);
          }
          if (config.times === 4) diagnostics.warning("Four are unlucky");
          if (config.times === 5) throw new Refused();
        },
      }),
    },
    functions: {
      joined: {
        summary: "Joins texts",
        description: "Joins texts.",
        parameters: [{ name: "between", type: "string", description }],
        variadic: { name: "texts", type: "string", description },
        returns: "string",
        call(between: Value, ...texts) {
          if (between === "13") throw new TypeError("unlucky");
          return texts.join(String(between));
        },
      },
    },
  }) as Provider<Things>;
}

class Refused extends Error {}

function lower(note: string | null): string | null {
  return note?.toLowerCase() ?? null;
}
