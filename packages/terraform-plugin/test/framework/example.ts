import {
  type Attributes,
  definitionsFor,
  FunctionError,
  type Known,
  type Provider,
  Unknown,
  type Value,
} from "../../src/index.js";

/* A provider with every shape of attribute and every power, of things that are kept in memory. */

export type Things = Map<string, Known<typeof thing>>;

export interface Memory {
  /** Things of each account. */
  readonly accounts: { readonly [account: string]: Things };
  /** What was asked for, in order. */
  readonly events: string[];
  /** What a test does in the midst of a call: of "creating NAME", "updating NAME". */
  during(event: string, signal: AbortSignal): Promise<void> | void;
}

export function newMemory(during: Memory["during"] = () => {}): Memory {
  return { accounts: { main: new Map(), other: new Map() }, events: [], during };
}

/** What it knows of an account; undefined while the account is known only after apply. */
export interface Client {
  readonly things: Things | undefined;
}

const description = "An attribute.";

export const thing = {
  id: { type: "string", computed: true, useStateForUnknown: true, description },
  name: {
    type: "string",
    required: true,
    description: "What it is called. *Not* empty.",
    validate: (value) => (value === "" ? [{ summary: "It needs a name", detail: "Give it one." }] : []),
  },
  region: { type: "string", optional: true, requiresReplace: true, description },
  size: { type: "number", optional: true, computed: true, default: 3, description },
  /** The memory keeps it in lower case. */
  note: {
    type: "string",
    optional: true,
    description,
    semanticEquals: (one, other) => String(one ?? "").toLowerCase() === String(other ?? "").toLowerCase(),
  },
  secret_wo: { type: "string", optional: true, sensitive: true, writeOnly: true, description },
  secret_wo_version: { type: "string", optional: true, description },
  revision: { type: "number", computed: true, description },
  tags: { type: ["list", "string"], optional: true, description },
  labels: { type: ["map", "string"], optional: true, description },
  any: { type: "dynamic", optional: true, description },
  links: {
    nesting: "list",
    optional: true,
    description,
    attributes: {
      url: {
        type: "string",
        required: true,
        description,
        validate: (value) => (String(value).startsWith("https:") ? [] : [{ summary: "Only https is safe" }]),
      },
      title: { type: "string", optional: true, computed: true, useStateForUnknown: true, description },
      id: { type: "string", computed: true, useStateForUnknown: true, description },
    },
  },
  owner: {
    nesting: "single",
    optional: true,
    description,
    attributes: {
      name: { type: "string", required: true, requiresReplace: true, description },
      mail: {
        type: "string",
        optional: true,
        description,
        validate: (value) => (String(value).includes("@") ? [] : [{ summary: "This is no address" }]),
      },
    },
  },
  limits: {
    nesting: "list",
    optional: true,
    description,
    attributes: {
      most: { type: "number", required: true, description },
      unit: { type: "string", optional: true, computed: true, default: "MB", description },
    },
  },
} as const satisfies Attributes;

const define = definitionsFor<Client>();

export function exampleProvider(memory: Memory): Provider<Client> {
  let made = 0;

  const things = define.resource({
    description: "A thing.",
    version: 1,
    attributes: thing,
    identity: ["id"],
    validate({ config, diagnostics }) {
      if (config.name === config.region)
        diagnostics.error("Name and region are the same", "Tell them apart.", ["region"]);
    },
    modifyPlan({ planned, prior, client, diagnostics, private: kept }) {
      if (!planned) return void diagnostics.warning("A thing goes", `Its id was ${prior?.id}.`);
      if (!client.things) diagnostics.warning("Nothing is looked up", "The account is not known yet.");
      // The framework could compare no attribute here.
      if (prior && planned.name === "again" && kept.again !== true)
        return { planned: { ...planned, revision: Unknown }, private: { ...kept, again: true } };
      return undefined;
    },
    async create({ client, config, planned, private: kept, diagnostics, signal }) {
      memory.events.push(`create ${config.name} with ${config.secret_wo}`);
      await memory.during(`creating ${config.name}`, signal);
      if (config.name === "refused") throw new Refused();
      if (config.name === "broken") throw new TypeError("something is undefined");
      if (config.name === "nothing") return null;
      const id = `thing-${++made}`;
      const state = { ...filled(planned, id), id, note: lower(config.note), revision: 1 };
      things_(client).set(id, state);
      if (config.name === "half") diagnostics.error("Only half of it was made", "Try again.", ["name"]);
      if (config.name === "renamed") return { state: { ...state, name: "other" } };
      if (config.name === "unknown") return { state: { ...state, revision: Unknown as never } };
      if (config.name === "untyped") return { state: { ...state, labels: 1 as never } };
      return { state, private: kept };
    },
    async read({ state, client }) {
      if (!client.things) return { state };
      const found = client.things.get(state.id ?? "");
      if (state.name === "lies") return { state: { ...state, size: "3" as never } };
      return found ? { state: found } : null;
    },
    async update({ client, config, planned, prior, signal }) {
      memory.events.push(`update ${config.name}`);
      await memory.during(`updating ${config.name}`, signal);
      if (config.name === "refused") throw new Refused();
      const id = prior.id ?? "";
      const revision = Number(prior.revision) + 1;
      const state = { ...filled(planned, id), id, note: lower(config.note), revision };
      things_(client).set(id, state);
      return { state };
    },
    async delete({ client, prior }) {
      memory.events.push(`delete ${prior.name}`);
      if (prior.name === "stays") throw new Refused();
      things_(client).delete(prior.id ?? "");
    },
    async importState({ id, client }) {
      return client.things?.has(id) ? { id } : null;
    },
    // Version 0 had a title for a name, and no note.
    upgradeState: { 0: ({ title = null, ...rest }) => ({ ...rest, name: title }) },
  });

  /** Made once, and then forgotten. */
  const stamp = define.resource({
    description: "A stamp.",
    attributes: {
      text: { type: "string", required: true, description },
      number: { type: "number", computed: true, description },
    },
    async create({ config }) {
      return { state: { text: config.text, number: ++made } };
    },
  });

  return define.provider({
    name: "example",
    version: "1.2.3",
    description: "An example.",
    attributes: {
      account: { type: "string", optional: true, description },
      key: { type: "string", optional: true, sensitive: true, description },
    },
    async configure({ config, diagnostics }) {
      const { account } = config;
      if (account === Unknown) return { things: undefined };
      const found = memory.accounts[account ?? "main"];
      if (!found) diagnostics.error("There is no such account", "Choose another.", ["account"]);
      return found ? { things: found } : null;
    },
    async close() {
      memory.events.push("close");
    },
    explain: (error) =>
      error instanceof Refused
        ? { severity: "error", summary: "The service refuses", detail: "Ask for less." }
        : undefined,
    resources: { example_thing: things, example_stamp: stamp },
    dataSources: {
      example_thing: define.dataSource({
        description: "A thing by its name.",
        attributes: {
          name: { type: "string", required: true, description },
          id: { type: "string", computed: true, description },
          size: { type: "number", computed: true, description },
        },
        async read({ config, client, diagnostics }) {
          const found = [...things_(client).values()].find(({ name }) => name === config.name);
          if (!found) diagnostics.error("There is no such thing", "Correct the name.", ["name"]);
          return found ? { name: config.name, id: found.id, size: found.size } : null;
        },
      }),
    },
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
          const found = [...things_(client).values()].filter(
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
          key: { type: "string", optional: true, description },
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
          memory.events.push(`rang ${config.times} with ${config.key}`);
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
        call: (between, ...texts) => texts.join(String(between)),
      },
      half: {
        summary: "Halves",
        description: "Halves an even number.",
        parameters: [{ name: "number", type: "number", description }],
        returns: ["object", { half: "number" }],
        call(number) {
          if (number === 13) throw new TypeError("unlucky");
          if (Number(number) % 2 !== 0) throw new FunctionError("An even number is needed.", 0);
          return number === 14 ? { half: "seven" } : { half: Number(number) / 2 };
        },
      },
    },
  }) as Provider<Client>;
}

class Refused extends Error {}

function things_({ things }: Client): Things {
  if (!things) throw new Error("Bug: the account is not known");
  return things;
}

/** A plan as a state: what is unknown gets a name after `id`. */
function filled(planned: object, id: string): Known<typeof thing> {
  let count = 0;
  const fill = (value: Value): Value => {
    if (value === Unknown) return `${id}-${++count}`;
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== "object" || value === null || "type" in value) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fill(part)]));
  };
  return fill(planned as Value) as unknown as Known<typeof thing>;
}

function lower(note: string | null): string | null {
  return note?.toLowerCase() ?? null;
}
