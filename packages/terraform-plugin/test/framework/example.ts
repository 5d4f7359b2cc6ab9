import { type Attributes, type Provider, Unknown, type ValueRecord } from "../../src/index.js";

/* Provider of in-memory objects. */

type Things = Map<string, ValueRecord>;

export interface Memory {
  readonly things: Things;
  /** Called during a create. */
  during(event: string, signal: AbortSignal): Promise<void> | void;
}

export function newMemory(during: Memory["during"] = () => {}): Memory {
  return { things: new Map(), during };
}

const description = "An attribute.";

export const thing: Attributes = {
  id: { type: "string", computed: true, useStateForUnknown: true, description },
  name: { type: "string", required: true, description },
  region: { type: "string", optional: true, requiresReplace: true, description },
  size: { type: "number", optional: true, description },
  /** Stored in lower case. */
  note: {
    type: "string",
    optional: true,
    description,
    semanticEquals: (one, other) => String(one ?? "").toLowerCase() === String(other ?? "").toLowerCase(),
  },
  secret_wo: { type: "string", optional: true, sensitive: true, writeOnly: true, description },
  revision: { type: "number", computed: true, description },
};

export function createExampleProvider(memory: Memory): Provider<Things> {
  let made = 0;
  return {
    name: "example",
    description: "An example.",
    attributes: { key: { type: "string", optional: true, sensitive: true, description } },
    configure: async () => memory.things,
    explain: () => undefined,
    resources: {
      example_thing: {
        description: "A thing.",
        attributes: thing,
        stateUpgraders: [
          ({ title = null, ...state }) => ({ ...state, name: title }),
          (state) => ({ ...state, note: `${String(state.name)}, since version 2` }),
        ],
        async modifyPlan({ planned, prior, private: kept }) {
          // Plans an update although no attribute differs.
          if (prior && planned?.name === "again" && kept.again !== true)
            return { planned: { ...planned, revision: Unknown }, private: { ...kept, again: true } };
          return undefined;
        },
        async create({ client, config, private: kept, diagnostics, signal }) {
          await memory.during(`creating ${String(config.name)}`, signal);
          if (config.name === "broken") throw new TypeError("something is undefined");
          const id = `thing-${++made}`;
          const state = { ...config, id, note: toLowerCase(config), revision: 1 };
          client.set(id, state);
          if (config.name === "half") diagnostics.error("Only half of it was made", "Try again.", ["name"]);
          return config.name === "untyped" ? { state: { ...state, size: "1" } } : { state, private: kept };
        },
        async read({ state, client }) {
          if (state.name === "lies") return { state: { ...state, size: "3" } };
          const found = client.get(String(state.id));
          return found ? { state: found } : null;
        },
        async update({ client, config, prior }) {
          const revision = Number(prior.revision) + 1;
          const state = { ...config, id: String(prior.id), note: toLowerCase(config), revision };
          client.set(state.id, state);
          return { state };
        },
        async delete({ client, prior }) {
          client.delete(String(prior.id));
        },
        async importState({ id, client }) {
          return client.has(id) ? { id } : null;
        },
      },
    },
    dataSources: {},
    listResources: {},
    actions: {},
  };
}

function toLowerCase({ note }: ValueRecord): string | null {
  return typeof note === "string" ? note.toLowerCase() : null;
}
