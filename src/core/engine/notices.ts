import { capitalize, listNames, toCanonicalId } from "../../base/text/index.js";
import {
  actionFacts,
  describeMissing,
  type Kind,
  kinds,
  type ListedObject,
  type Listing,
  listIgnoredFields,
  parseAddress,
} from "../kinds/index.js";
import type { Declaration } from "../manifest/index.js";
import type { State } from "../state/index.js";
import type { Observation } from "./observation.js";
import type { Change, Notice } from "./plan-types.js";
import { findSuperseded } from "./superseded.js";

/**
 * Collects notices about the account, apart from the changes. Reports undeclared objects only for plans without
 * targets, and only of kinds that avatarops can create.
 */
export function findNotices(
  state: State | undefined,
  observation: Observation,
  changes: readonly Change[],
  targets: readonly string[] | undefined,
): Notice[] {
  const listings = kinds.flatMap((kind) => {
    const listing = observation.listings.get(kind.name);
    return listing ? [{ kind, listing }] : [];
  });
  return [
    ...createInterruptedNotices(state, observation),
    ...createOtherAccountNotices(observation, changes),
    ...createUnverifiedNotices(changes),
    ...(targets
      ? []
      : createUndeclaredNotices(
          listings.filter(({ kind }) => kind.identity === "created"),
          changes,
          state,
        )),
    ...listings.flatMap(({ kind, listing }) => createTakenNameNotices(kind, listing, changes)),
    ...listings.flatMap(({ kind, listing }) =>
      listing.doubt
        ? [{ code: "unstable-list" as const, message: describeMissing(kind, listing.doubt) }]
        : [],
    ),
  ];
}

function createUndeclaredNotices(
  listings: readonly { readonly kind: Kind; readonly listing: Listing }[],
  changes: readonly Change[],
  state: State | undefined,
): Notice[] {
  const counts = listings.flatMap(({ kind: { name, collection }, listing }) => {
    const ids = collectManagedIds(name, listing, changes, state);
    const superseded = findSuperseded(name, listing, state).filter(({ id }) => !ids.has(toCanonicalId(id)));
    const declared = ids.size + superseded.length;
    const others = (listing.count ?? declared) - declared;
    if (others <= 0) return [];
    const noun = others === 1 ? name : collection;
    // Without a usable count from the service, only the objects on the pages read so far are counted.
    const isMinimum = !listing.complete && listing.count === listing.seen.length;
    return [{ others, named: `${isMinimum ? "at least " : ""}${others} ${noun.replaceAll("_", " ")}` }];
  });
  if (counts.length === 0) return [];
  const named = capitalize(counts.map(({ named }) => named).join(" and "));
  const [is, it] = counts.length === 1 && counts[0]?.others === 1 ? ["is", "it"] : ["are", "them"];
  return [
    {
      code: "undeclared-objects",
      message: `${named} in the account ${is} not declared in any file. List ${it}: \`avatarops prune\`. Declare ${it}: \`avatarops import --write --all\`.`,
    },
  ];
}

/** Warns about each create or rename to a unique name that another object keeps. */
function createTakenNameNotices(kind: Kind, listing: Listing, changes: readonly Change[]): Notice[] {
  if (!kind.uniqueLabels) return [];
  const own = changes.filter((change) => change.kind === kind.name);
  const takesName = ({ action, fields }: Change) =>
    actionFacts[action].sends === "create" || fields.some(({ field }) => field === kind.label);
  const leaving = new Set(own.flatMap((one) => (one.action === "delete" || takesName(one) ? [one.id] : [])));
  return own.filter(takesName).flatMap(({ address, label }) => {
    const taken = listing.findByLabel(label, ({ id }) => !leaving.has(id));
    if (taken.outcome !== "found") return [];
    const [{ id }] = taken.found;
    const owner = own.find((one) => one.id === id);
    const other = owner?.address ?? `another ${kind.name} in the account`;
    return [
      {
        code: "name-taken" as const,
        message: `${address} gets the name ${JSON.stringify(label)}, which ${other} (${id}) already has. The service may reject this change. Choose another name, or rename the other object first.`,
      },
    ];
  });
}

/** Reports which fields of existing objects are not compared. */
export function createIgnoredNotice(existing: readonly Declaration[]): Notice[] {
  const fields = existing.flatMap(({ address, kind }) =>
    listIgnoredFields(kind).map((name) => `${address}.${name}`),
  );
  if (fields.length === 0) return [];
  return [
    {
      code: "ignored-fields",
      message: `Not compared, because of ignore_changes: ${listNames(fields)}.`,
    },
  ];
}

function createInterruptedNotices(state: State | undefined, { objects }: Observation): Notice[] {
  const pending = Object.keys(state?.pending ?? {});
  if (pending.length === 0) return [];
  const underWay = pending.filter((address) => objects.get(address)?.seen === "under-way");
  const message =
    underWay.length > 0
      ? `The outcome of these creates is unknown: ${listNames(underWay)}. An apply is running or was interrupted. The next apply checks whether the objects exist.`
      : `An earlier apply was interrupted before these writes were confirmed: ${listNames(pending)}. This plan checked whether they succeeded.`;
  return [{ code: "interrupted", message }];
}

/**
 * Warns if all objects are gone, because the key probably belongs to another account. Considers only kinds that avatarops
 * creates, because every account has the stock avatars.
 */
function createOtherAccountNotices({ objects }: Observation, changes: readonly Change[]): Notice[] {
  const isCreated = (address: string) => parseAddress(address)?.kind.identity === "created";
  const gone = changes.filter(({ reason, address }) => reason === "vanished" && isCreated(address)).length;
  // Ignores objects that cannot be read.
  const present = [...objects].filter(
    ([address, { seen }]) => (seen === "live" || seen === "unmoved") && isCreated(address),
  );
  if (gone < 2 || present.length > 0) return [];
  return [
    {
      code: "all-vanished",
      message: `None of the ${gone} objects recorded in the state is in the account. Does the API key belong to another account?`,
    },
  ];
}

/** Reports kept objects that could not be fully verified. Groups equal notes into one notice. */
function createUnverifiedNotices(changes: readonly Change[]): Notice[] {
  const addresses = new Map<string, string[]>();
  for (const { action, address, notes } of changes) {
    if (action !== "keep") continue;
    for (const note of notes) addresses.set(note, [...(addresses.get(note) ?? []), address]);
  }
  return Array.from(addresses, ([note, of]) => ({
    code: "unverified",
    message: `${listNames(of)}: ${note}`,
  }));
}

/**
 * Finds a kind's undeclared objects, sorted by name and id. Complete only if the observation was made with
 * `ObserveInput.undeclared`.
 */
export function findUndeclared(
  { name }: Kind,
  { listings }: Observation,
  changes: readonly Change[],
  state: State | undefined,
): ListedObject[] {
  const listing = listings.get(name);
  const managed = collectManagedIds(name, listing, changes, state);
  // Sorts by name and id, because list order has no meaning (§2.2).
  const getSortKey = ({ label, id }: ListedObject) => `${label}\u0000${id}`;
  return (listing?.seen ?? [])
    .filter(({ id }) => !managed.has(toCanonicalId(id)))
    .sort((a, b) => (getSortKey(a) < getSortKey(b) ? -1 : 1));
}

function collectManagedIds(
  name: string,
  listing: Listing | undefined,
  changes: readonly Change[],
  state: State | undefined,
): ReadonlySet<string> {
  const own = changes.filter(({ kind, action }) => kind === name && actionFacts[action].countsAsManaged);
  const ids = own.flatMap(({ id, address }) => {
    if (id !== undefined) return [id];
    // An ambiguous change has no id, but its address may already manage an object.
    const held = state?.objects[address]?.id;
    return held === undefined || listing?.findById(held).outcome === "absent" ? [] : [held];
  });
  return new Set(ids.map(toCanonicalId));
}
