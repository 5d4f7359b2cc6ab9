import type { Service } from "../api/index.js";
import { digestSpec, findKind, type Kind, normalizeForComparison, parseAddress } from "../kinds/index.js";
import { readCurrent } from "../lifecycle/index.js";
import type { Manifest } from "../manifest/index.js";
import type { State, StateEntry } from "../state/index.js";
import type { IdOwner } from "./id-owners.js";
import type { ListReader } from "./listings.js";
import { mapConcurrent, maxConcurrentReads } from "./map-concurrent.js";
import type { Observed } from "./observation.js";
import type { Change, FieldChange } from "./plan-types.js";
import { listChangedFields } from "./stored-form.js";
import { toDisplayType } from "./three-way-compare.js";
import { forgetHint, type IsolatedRead } from "./unreadable.js";

/*
 * Objects in the state that are no longer declared. With `on_removal: delete`, an object is deleted. It is first read like a
 * declared one, so that no edit made elsewhere is deleted unseen (rule 4). Otherwise it is forgotten. A protected object stays
 * managed, unless it is gone from the account.
 */

/** Returns the addresses in the state that are no longer declared. */
export function listRemovedAddresses(
  { declarations }: Manifest,
  state: State | undefined,
  targets?: readonly string[],
): string[] {
  const declared = new Set(declarations.map(({ address }) => address));
  const known = new Set([...Object.keys(state?.objects ?? {}), ...Object.keys(state?.pending ?? {})]);
  const isRequested = (address: string) => !declared.has(address) && (!targets || targets.includes(address));
  return [...known].filter(isRequested).sort();
}

/**
 * Whether an object is deleted with its declaration. Its own `on_removal` applies to any object, the manifest's setting for a
 * kind only to objects that avatarops created.
 */
function isToBeDeleted({ onRemoval, created }: StateEntry, kind: Kind, manifest: Manifest): boolean {
  const policy = onRemoval ?? (created && manifest.onRemoval?.[kind.name]);
  return kind.remove !== undefined && policy === "delete";
}

/** Observes protected objects and objects to delete, by address. */
export async function observeRemovals(
  service: Service,
  manifest: Manifest,
  state: State | undefined,
  addresses: readonly string[],
  list: ListReader,
  readIsolated: IsolatedRead,
): Promise<ReadonlyMap<string, Observed>> {
  const removed = addresses.flatMap((address) => {
    const kind = parseAddress(address, manifest.service.profile)?.kind;
    const entry = state?.objects[address];
    return kind && entry && (isToBeDeleted(entry, kind, manifest) || entry.protected)
      ? [{ address, kind, id: entry.id }]
      : [];
  });
  const seen = await mapConcurrent(maxConcurrentReads, removed, ({ address, kind, id }) =>
    readIsolated(address, async (): Promise<Observed> => {
      const context = { kind, reader: service, list: () => list(kind, { fresh: false }) };
      const live = await readCurrent(context, id, { fresh: false });
      if (live === undefined) return { seen: "unobservable" };
      return live === "gone" ? { seen: "absent" } : { seen: "live", live, settled: false };
    }),
  );
  return new Map(removed.map(({ address }, at) => [address, seen[at] as Observed]));
}

/** Decides the change for an object that is no longer declared. */
export function decideRemoved(
  address: string,
  manifest: Manifest,
  state: State | undefined,
  observed: Observed | undefined,
  managedBy: IdOwner | undefined,
): Change {
  const kindName = address.slice(0, address.indexOf("."));
  const kind = findKind(kindName, manifest.service.profile);
  const entry = state?.objects[address];
  const label = entry?.applied[kind?.label ?? ""] ?? state?.pending[address]?.label;
  const change: Change = {
    address,
    kind: kindName,
    label: typeof label === "string" ? label : "",
    action: "forget",
    reason: "removed",
    id: entry?.id,
    fields: [],
    overwrites: false,
    notes: [],
  };
  if (entry?.protected && observed?.seen === "absent") return decideVanished(change, entry);
  const isDeleted = kind && entry && isToBeDeleted(entry, kind, manifest);
  if (entry?.protected && !managedBy?.protect) {
    const note = describeProtection(address, isDeleted ? "delete" : "forget", managedBy);
    return { ...change, action: "protected", notes: [note] };
  }
  if (isDeleted && managedBy)
    return { ...change, notes: [`It is not deleted: ${managedBy.address} manages it now.`] };
  if (isDeleted) return decideRemoval(change, kind, entry, observed);
  const staysNote = kind ? kind.afterForget : "This version of avatarops does not know this kind.";
  const unclear =
    state?.pending[address]?.action === "delete"
      ? "Its delete was interrupted: `avatarops prune` lists it if it is still in the account."
      : "Its creation was interrupted: an object with that name may have been created and stays in the account.";
  return {
    ...change,
    notes: [
      staysNote,
      ...(entry ? [...explainNotDeleted(entry, kind, manifest), ...describeSuperseded(entry)] : [unclear]),
    ],
  };
}

/** Explains why an object stays although the files mention deleting. */
function explainNotDeleted(
  { onRemoval, created }: StateEntry,
  kind: Kind | undefined,
  manifest: Manifest,
): string[] {
  if (onRemoval === "delete")
    return [
      `Its declaration said \`on_removal: delete\`, but ${manifest.service.profile ? "the service deletes no objects of this kind" : "without service.profile nothing is deleted"}.`,
    ];
  if (onRemoval || created || !kind || manifest.onRemoval?.[kind.name] !== "delete") return [];
  return [
    "It is not known to be made by avatarops: only `on_removal: delete` in its own declaration, applied before, deletes it.",
  ];
}

function decideVanished(change: Change, entry: StateEntry): Change {
  return { ...change, reason: "vanished", notes: describeSuperseded(entry) };
}

function decideRemoval(
  change: Change,
  kind: Kind,
  entry: StateEntry,
  observed: Observed | undefined,
): Change {
  const { address } = change;
  if (observed?.seen === "absent") return decideVanished(change, entry);
  if (observed?.seen === "unreadable") {
    const why = `It could not be read, and is not deleted. ${observed.error.message} ${forgetHint(address)}`;
    return { ...change, action: "unreadable", reason: "unreadable", notes: [why] };
  }
  // Every write records the name. Without it, the applied values are unknown.
  const isUnrecorded = entry.applied[kind.label] === undefined;
  const edited = { reason: "drifted", overwrites: true } as const;
  const notes = [
    ...(isUnrecorded
      ? ["It counts as edited elsewhere, because the state has no record of its last apply."]
      : []),
    ...describeSuperseded(entry),
  ];
  if (observed?.seen !== "live") {
    const unseen = "It may have been edited elsewhere: the service cannot show it.";
    return { ...change, action: "delete", ...(isUnrecorded && edited), notes: [unseen, ...notes] };
  }
  const { spec, label } = observed.live;
  const fields = listChangedFields(kind, entry.applied, spec).map((name): FieldChange => {
    const field = kind.fields[name];
    const before = field && normalizeForComparison(field, spec[name]);
    return {
      field: name,
      type: field ? toDisplayType(field) : "string",
      cause: "drifted",
      before: before ?? undefined,
    };
  });
  return {
    ...change,
    action: "delete",
    label: label ?? change.label,
    ...((isUnrecorded || fields.length > 0) && { ...edited, fields }),
    liveDigest: digestSpec(kind, spec),
    notes,
  };
}

/** Explains why a protected object stays managed, and how to end that. */
function describeProtection(address: string, end: "delete" | "forget", managedBy?: IdOwner): string {
  if (managedBy)
    return `It is protected, and ${managedBy.address} would manage it without \`protect\`: set \`protect: true\` there. To end the protection: \`avatarops state forget ${address}\`.`;
  return `It is protected, and stays managed. To ${end} it, declare it again with \`protect: false\` and apply, then remove it from the files. To stop managing it at once: \`avatarops state forget ${address}\`.`;
}

/** Blocks a change of the declared id that would forget a protected object. */
export function protectId(change: Change, id: string): Change {
  const { address, kind, label } = change;
  const note = `The object ${id} is protected, and the declaration names another id: apply \`protect: false\` with the old id first, or run \`avatarops state forget ${address}\`.`;
  return {
    address,
    kind,
    label,
    id,
    action: "protected",
    reason: "reidentified",
    fields: [],
    overwrites: false,
    notes: [note],
  };
}

/** Lists superseded ids, which are recorded only in the forgotten entry. */
function describeSuperseded({ superseded = [] }: StateEntry): string[] {
  if (superseded.length === 0) return [];
  const stay = superseded.length === 1 ? "stays" : "stay";
  return [`It superseded ${superseded.map(({ id }) => id).join(", ")}, which ${stay} in the account.`];
}
