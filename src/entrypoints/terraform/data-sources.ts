import type { Attribute, Attributes, ClientCall, DataSource, Diagnostics } from "@avatarops/terraform-plugin";
import { capitalise, toCanonicalId } from "../../base/text/index.js";
import {
  findStock,
  hasStock,
  isFindable,
  isListed,
  type Kind,
  type ListedObject,
  listProfiles,
  type RemoteObject,
  sortOldestFirst,
  withProfile,
} from "../../core/kinds/index.js";
import type { Account, OpenAccount } from "./account/open-account.js";
import { describeDoubt, nameUnconfirmed, needsProfile } from "./diagnostics.js";
import { sentence, toAttributes } from "./schema.js";
import { withReadTimeout } from "./timeouts.js";
import { readableAttributes, toState } from "./values.js";

/** Creates the data sources of a kind: one object and all objects if it can be listed, and a stock object if it has stock. */
export function toDataSources(kind: Kind): { readonly [type: string]: DataSource<Account> } {
  const { name, collection } = kind;
  const sources = {
    ...(isFindable(kind)
      ? { [`avatarops_${name}`]: singleSource(kind), [`avatarops_${collection}`]: listSource(kind) }
      : {}),
    ...(hasStock(kind) ? { [`avatarops_stock_${name}`]: stockSource(kind) } : {}),
  };
  return Object.fromEntries(Object.entries(sources).map(([type, source]) => [type, withReadTimeout(source)]));
}

/** Returns the kind for its data sources: with a profile only if it needs one to be listed. */
function findableKind(kind: Kind): Kind {
  return withProfile(kind, listProfiles(kind, isListed)[0]);
}

/** Returns the kind with the account's profile. Undefined, with an error reported, if it cannot be listed. */
function findOffered(kind: Kind, { settings }: OpenAccount, what: string, diagnostics: Diagnostics) {
  const offered = isListed(kind) ? kind : withProfile(kind, settings.profile);
  if (isListed(offered)) return offered;
  needsProfile(kind, "list", what, diagnostics);
  return undefined;
}

function stockSource(kind: Kind): DataSource<Account> {
  return {
    description: `The id of a stock ${kind.name}, which every account may use, by its exact name. Needs a \`profile\` of the provider.`,
    attributes: {
      name: { type: "string", required: true, description: "Its exact name." },
      id: { type: "string", computed: true, description: "Its id." },
    },
    async read(call) {
      const open = findAccount(call);
      if (!open) return null;
      const offered = withProfile(kind, open.settings.profile);
      if (!offered.stock)
        return needsProfile(kind, "stock", `avatarops_stock_${kind.name}`, call.diagnostics);
      const name = String(call.config.name);
      const found = await findStock(offered, open.reader, name);
      if ("id" in found) return { name, id: found.id };
      call.diagnostics.error(capitalise(found.problem), sentence(found.hint), ["name"]);
      return null;
    },
  };
}

/** Returns the account. Reports an error without one. */
export function findAccount({ client, diagnostics }: ClientCall<Account>): OpenAccount | undefined {
  if (client.open) return client.open;
  diagnostics.error(
    "The service cannot be read yet",
    "The address or the API key of the provider is known only after apply. Apply what they come from first, with -target, or give them as variables.",
  );
  return undefined;
}

function singleSource(kind: Kind): DataSource<Account> {
  const { label } = kind;
  const attributes = sourceAttributes(kind);
  return {
    description: `One ${kind.name} of the account, by its id or its exact ${label}.${needsNote(kind)}`,
    attributes,
    validate({ config, diagnostics }) {
      const given = ["id", label].filter((name) => config[name] !== null);
      if (given.length === 1) return;
      const summary = given.length === 0 ? `Neither id nor ${label} is set` : `Both id and ${label} are set`;
      diagnostics.error(summary, `Set one of them: it says which ${kind.name} is meant.`, [given[1] ?? "id"]);
    },
    async read(call) {
      const open = findAccount(call);
      if (!open) return null;
      const { config, diagnostics } = call;
      const offered = findOffered(kind, open, `The data source avatarops_${kind.name}`, diagnostics);
      if (!offered) return null;
      const live = await (typeof config.id === "string"
        ? byId(offered, open, config.id, diagnostics)
        : byLabel(offered, open, String(config[label]), diagnostics));
      return live && pickAttributes(attributes, toState(offered, live, config));
    },
  };
}

async function byId(
  kind: Kind,
  open: OpenAccount,
  id: string,
  diagnostics: Diagnostics,
): Promise<RemoteObject | null> {
  const live = kind.read
    ? await kind.read(open.reader, toCanonicalId(id))
    : (await open.objects.list(kind)).seen.find((one) => one.id === toCanonicalId(id))?.live;
  if (live) return live;
  diagnostics.error(
    `The ${kind.name} does not exist`,
    `The account has no ${kind.name} ${id}: correct the id.`,
    ["id"],
  );
  return null;
}

async function byLabel(
  kind: Kind,
  open: OpenAccount,
  label: string,
  diagnostics: Diagnostics,
): Promise<RemoteObject | null> {
  const lookup = await open.objects.findByName(kind, label);
  if (lookup.outcome === "unknown") return nameUnconfirmed(kind, label, lookup.doubt, diagnostics);
  const namesakes = lookup.outcome === "found" ? lookup.found : [];
  const [first, ...others] = namesakes;
  const quoted = JSON.stringify(label);
  if (!first) {
    const detail = `The account has no ${kind.name} whose ${kind.label} is exactly ${quoted}.`;
    diagnostics.error(`The ${kind.name} does not exist`, detail, [kind.label]);
    return null;
  }
  if (others.length > 0) {
    const lines = sortOldestFirst(namesakes).map(
      ({ id, createdAt }) => `  ${id}${createdAt ? `  made ${createdAt}` : ""}`,
    );
    const detail = `Choose one of them by its id:\n\n${lines.join("\n")}`;
    diagnostics.error(`The account has ${namesakes.length} ${kind.collection} named ${quoted}`, detail, [
      kind.label,
    ]);
    return null;
  }
  return first.live ?? byId(kind, open, first.id, diagnostics);
}

/** The attributes of the kind, to be read: id and name may be given. */
function sourceAttributes(kind: Kind): Attributes {
  const given = ["id", kind.label];
  return Object.fromEntries(
    Object.entries(readAttributes(kind)).map(([name, attribute]) => [
      name,
      { ...toComputed(attribute), ...(given.includes(name) ? { optional: true as const } : {}) },
    ]),
  );
}

/** The attributes of the kind that the service shows. */
function readAttributes(kind: Kind): Attributes {
  const shown = findableKind(kind);
  const names = ["id", ...readableAttributes(shown), ...Object.keys(shown.computed)];
  return pickAttributes(Object.fromEntries(names.map((name) => [name, true])), toAttributes(shown));
}

/** The entries whose keys another object has. */
function pickAttributes<T>(of: object, from: { readonly [name: string]: T }): { [name: string]: T } {
  return Object.fromEntries(Object.entries(from).filter(([name]) => Object.hasOwn(of, name)));
}

/** What the description of a data source adds if only some deployments have it. */
function needsNote(kind: Kind): string {
  return isListed(kind) ? "" : " Needs a `profile` of the provider.";
}

function toComputed(attribute: Attribute): Attribute {
  const { description } = attribute;
  if ("type" in attribute) return { type: attribute.type, computed: true, description };
  const attributes = Object.entries(attribute.attributes).map(([name, nested]) => [name, toComputed(nested)]);
  return {
    nesting: attribute.nesting,
    computed: true,
    description,
    attributes: Object.fromEntries(attributes),
  };
}

/** Everything in the kind's list. The service does not document an order (§2.2): its own would be a change in every plan. */
export async function listObjects(
  kind: Kind,
  { objects }: OpenAccount,
  diagnostics: Diagnostics,
): Promise<readonly ListedObject[]> {
  const { seen, doubt } = await objects.list(kind);
  if (doubt) diagnostics.warning(`Some ${kind.collection} may be missing`, describeDoubt(kind, doubt));
  return [...seen].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function listSource(kind: Kind): DataSource<Account> {
  const whole = findableKind(kind).list?.whole === true;
  const attributes = readAttributes(kind);
  const names = whole ? Object.keys(attributes) : ["id", kind.label, "created_at", "updated_at"];
  const shown = names.flatMap((name): [string, Attribute][] => {
    const attribute = attributes[name];
    return attribute ? [[name, toComputed(attribute)]] : [];
  });
  return {
    description: `All ${kind.collection} of the account, in the order of their ids.${needsNote(kind)}`,
    attributes: {
      [kind.collection]: {
        nesting: "list",
        computed: true,
        description: `The ${kind.collection}.`,
        attributes: Object.fromEntries(shown),
      },
    },
    async read(call) {
      const open = findAccount(call);
      if (!open) return null;
      const what = `The data source avatarops_${kind.collection}`;
      const offered = findOffered(kind, open, what, call.diagnostics);
      if (!offered) return null;
      const listed = await listObjects(offered, open, call.diagnostics);
      const entries = listed.map(({ id, label, createdAt = null, updatedAt = null, live }) => {
        if (whole && live) return pickAttributes(attributes, toState(offered, live, {}));
        return { id, [kind.label]: label, created_at: createdAt, updated_at: updatedAt };
      });
      return { [kind.collection]: entries };
    },
  };
}
