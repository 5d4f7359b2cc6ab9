import type { Attribute, Attributes, ClientCall, DataSource, Diagnostics } from "@avatarops/terraform-plugin";
import { capitalize, toCanonicalId, toPlainLine } from "../../base/text/index.js";
import {
  findStock,
  hasStock,
  isFindable,
  isListable,
  type Kind,
  type ListedObject,
  listProfiles,
  type RemoteObject,
  sortOldestFirst,
  withProfile,
} from "../../core/kinds/index.js";
import type { OpenedAccount, ProviderClient } from "./account/open-account.js";
import { describeDoubt, reportMissingProfile, reportUnconfirmedName } from "./diagnostics.js";
import { toAttributes, toSentence } from "./schema.js";
import { addReadTimeout } from "./timeouts.js";
import { listReadableAttributes, toState } from "./values.js";

/** Creates the data sources that a kind supports, for one object, all objects and a stock object. */
export function toDataSources(kind: Kind): { readonly [type: string]: DataSource<ProviderClient> } {
  const { name, collection } = kind;
  const sources = {
    ...(isFindable(kind)
      ? {
          [`avatarops_${name}`]: createSingleSource(kind),
          [`avatarops_${collection}`]: createListSource(kind),
        }
      : {}),
    ...(hasStock(kind) ? { [`avatarops_stock_${name}`]: createStockSource(kind) } : {}),
  };
  return Object.fromEntries(Object.entries(sources).map(([type, source]) => [type, addReadTimeout(source)]));
}

/** Returns the kind, with a profile if listing requires one. */
function addListProfile(kind: Kind): Kind {
  return withProfile(kind, listProfiles(kind, isListable)[0]);
}

/**
 * Returns the kind, with the account's profile if listing requires one. Reports an error and returns undefined if the
 * kind cannot be listed.
 */
function requireListed(kind: Kind, { settings }: OpenedAccount, feature: string, diagnostics: Diagnostics) {
  const listed = isListable(kind) ? kind : withProfile(kind, settings.profile);
  if (isListable(listed)) return listed;
  reportMissingProfile(kind, "list", feature, diagnostics);
  return undefined;
}

function createStockSource(kind: Kind): DataSource<ProviderClient> {
  return {
    description: `Finds the id of a stock ${kind.name} (available to every account) by its exact name. Needs a \`profile\` in the provider block.`,
    attributes: {
      name: { type: "string", required: true, description: `Exact name of the stock ${kind.name}.` },
      id: { type: "string", computed: true, description: `Id of the stock ${kind.name}.` },
    },
    async read(call) {
      const account = requireAccount(call);
      if (!account) return null;
      const profiled = withProfile(kind, account.settings.profile);
      if (!profiled.listStock)
        return reportMissingProfile(kind, "listStock", `avatarops_stock_${kind.name}`, call.diagnostics);
      const name = String(call.config.name);
      const found = await findStock(profiled, account.reader, name);
      if ("id" in found) return { name, id: found.id };
      call.diagnostics.error(capitalize(found.problem), toSentence(found.hint), ["name"]);
      return null;
    },
  };
}

/** Returns the account. Reports an error and returns undefined while the provider settings are unknown. */
export function requireAccount({
  client,
  diagnostics,
}: ClientCall<ProviderClient>): OpenedAccount | undefined {
  if (client.account) return client.account;
  diagnostics.error(
    "The account cannot be read yet",
    "Settings in the provider block are known only after apply. First apply the resources that provide these settings, with -target, or pass the settings as variables.",
  );
  return undefined;
}

function createSingleSource(kind: Kind): DataSource<ProviderClient> {
  const { label } = kind;
  const attributes = toSourceAttributes(kind);
  return {
    description: `Reads one ${kind.name} in the account by its id or exact ${label}.${describeProfileNeed(kind)}`,
    attributes,
    validate({ config, diagnostics }) {
      const given = ["id", label].filter((name) => config[name] !== null);
      if (given.length === 1) return;
      const summary = given.length === 0 ? `Neither id nor ${label} is set` : `Both id and ${label} are set`;
      diagnostics.error(summary, `Set exactly one of id and ${label} to choose the ${kind.name}.`, [
        given[1] ?? "id",
      ]);
    },
    async read(call) {
      const account = requireAccount(call);
      if (!account) return null;
      const { config, diagnostics } = call;
      const listed = requireListed(kind, account, `The data source avatarops_${kind.name}`, diagnostics);
      if (!listed) return null;
      const live = await (typeof config.id === "string"
        ? readById(listed, account, config.id, diagnostics)
        : readByLabel(listed, account, String(config[label]), diagnostics));
      return live && pickAttributes(attributes, toState(listed, live, config));
    },
  };
}

async function readById(
  kind: Kind,
  account: OpenedAccount,
  id: string,
  diagnostics: Diagnostics,
): Promise<RemoteObject | null> {
  const live = kind.read
    ? await kind.read(account.reader, toCanonicalId(id))
    : (await account.objects.list(kind)).seen.find((entry) => entry.id === toCanonicalId(id))?.live;
  if (live) return live;
  diagnostics.error(
    `The ${kind.name} does not exist`,
    `The account has no ${kind.name} ${id}. Correct the id.`,
    ["id"],
  );
  return null;
}

async function readByLabel(
  kind: Kind,
  account: OpenedAccount,
  label: string,
  diagnostics: Diagnostics,
): Promise<RemoteObject | null> {
  const lookup = await account.objects.findByName(kind, label);
  if (lookup.outcome === "unknown") return reportUnconfirmedName(kind, label, lookup.doubt, diagnostics);
  const namesakes = lookup.outcome === "found" ? lookup.found : [];
  const [first, ...others] = namesakes;
  const quotedLabel = JSON.stringify(label);
  if (!first) {
    const detail = `The account has no ${kind.name} whose ${kind.label} is exactly ${quotedLabel}. Correct the ${kind.label}.`;
    diagnostics.error(`The ${kind.name} does not exist`, detail, [kind.label]);
    return null;
  }
  if (others.length > 0) {
    const lines = sortOldestFirst(namesakes).map(
      ({ id, createdAt }) => `  ${id}${createdAt ? `  created ${toPlainLine(createdAt)}` : ""}`,
    );
    const detail = `Choose one by its id:\n\n${lines.join("\n")}`;
    diagnostics.error(`The account has ${namesakes.length} ${kind.collection} named ${quotedLabel}`, detail, [
      kind.label,
    ]);
    return null;
  }
  return first.live ?? readById(kind, account, first.id, diagnostics);
}

/** Returns a data source's attributes for one object. All are computed, except that the id or the name may be set. */
function toSourceAttributes(kind: Kind): Attributes {
  const choice = `Set either \`id\` or \`${kind.label}\`.`;
  const settable: Readonly<Record<string, string>> = {
    id: `Id of the ${kind.name}. ${choice}`,
    [kind.label]: `Exact name of the ${kind.name}. ${choice}`,
  };
  return Object.fromEntries(
    Object.entries(listShownAttributes(kind)).map(([name, attribute]) => {
      const description = settable[name];
      return [name, description === undefined ? attribute : { ...attribute, optional: true, description }];
    }),
  );
}

/** Lists the attributes that the service returns. */
function listShownAttributes(kind: Kind): Attributes {
  const shown = addListProfile(kind);
  const names = ["id", ...listReadableAttributes(shown), ...Object.keys(shown.computed)];
  const picked = pickAttributes(Object.fromEntries(names.map((name) => [name, true])), toAttributes(shown));
  return Object.fromEntries(
    Object.entries(picked).map(([name, attribute]) => [
      name,
      { ...toComputed(attribute), description: describeValue(shown, name, attribute.description) },
    ]),
  );
}

/** Describes a value of an existing object, without the rules for setting it. */
function describeValue(kind: Kind, name: string, description: string): string {
  if (name === "id") return `Id of the ${kind.name}.`;
  const field = kind.fields[name];
  if (!field || field.type === "reference") return description;
  const [firstSentence = description] = description.split(/(?<=\.) /);
  return firstSentence.replace(/, \d+ to \d+ characters/, "");
}

/** Returns the entries whose keys are in `names`. */
function pickAttributes<T>(names: object, from: { readonly [name: string]: T }): { [name: string]: T } {
  return Object.fromEntries(Object.entries(from).filter(([name]) => Object.hasOwn(names, name)));
}

function describeProfileNeed(kind: Kind): string {
  return isListable(kind) ? "" : " Needs a `profile` in the provider block.";
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

/** Lists all objects by id. The service's own order is undocumented (§2.2) and could change in every plan. */
export async function listObjects(
  kind: Kind,
  { objects }: OpenedAccount,
  diagnostics: Diagnostics,
): Promise<readonly ListedObject[]> {
  const { seen, doubt } = await objects.list(kind);
  if (doubt)
    diagnostics.warning(`The list of ${kind.collection} may be incomplete`, describeDoubt(kind, doubt));
  return [...seen].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function createListSource(kind: Kind): DataSource<ProviderClient> {
  const isWhole = addListProfile(kind).list?.whole === true;
  const attributes = listShownAttributes(kind);
  const names = isWhole ? Object.keys(attributes) : ["id", kind.label, "created_at", "updated_at"];
  const shown = names.flatMap((name): [string, Attribute][] => {
    const attribute = attributes[name];
    return attribute ? [[name, attribute]] : [];
  });
  return {
    description: `Lists all ${kind.collection} in the account, sorted by id.${describeProfileNeed(kind)}`,
    attributes: {
      [kind.collection]: {
        nesting: "list",
        computed: true,
        description: `All ${kind.collection}, sorted by id.`,
        attributes: Object.fromEntries(shown),
      },
    },
    async read(call) {
      const account = requireAccount(call);
      if (!account) return null;
      const feature = `The data source avatarops_${kind.collection}`;
      const listedKind = requireListed(kind, account, feature, call.diagnostics);
      if (!listedKind) return null;
      const objects = await listObjects(listedKind, account, call.diagnostics);
      const entries = objects.map(({ id, label, createdAt = null, updatedAt = null, live }) => {
        if (isWhole && live) return pickAttributes(attributes, toState(listedKind, live, {}));
        return { id, [kind.label]: label, created_at: createdAt, updated_at: updatedAt };
      });
      return { [kind.collection]: entries };
    },
  };
}
