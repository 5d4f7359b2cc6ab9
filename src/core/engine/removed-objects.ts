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
import { adviseForgetting, type IsolatedRead } from "./unreadable.js";

/*
 * Handles undeclared objects in the state. An object with `on_removal: delete` is read first, so that
 * no unseen edit is deleted (rule 4). Other objects are forgotten, unless they are protected and still exist.
 */

/** Returns the addresses in the state that were removed from the files. */
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
 * Returns whether removing a declaration also deletes its object. The manifest's setting for the kind applies only to
 * objects that avatarops created.
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
      return live === "gone" ? { seen: "absent" } : { seen: "live", live, hasReliableTimestamp: false };
    }),
  );
  return new Map(removed.map(({ address }, at) => [address, seen[at] as Observed]));
}

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
    return { ...change, notes: [`It is not deleted, because ${managedBy.address} now manages it.`] };
  if (isDeleted) return decideRemoval(change, kind, entry, observed);
  const staysNote = kind ? kind.afterForget : "This version of avatarops does not support this kind.";
  const unclear =
    state?.pending[address]?.action === "delete"
      ? "The delete was interrupted. If the object still exists, `avatarops prune` lists it."
      : "The create was interrupted, so an object with this name may exist. If so, it stays in the account.";
  return {
    ...change,
    notes: [
      staysNote,
      ...(entry ? [...explainNotDeleted(entry, kind, manifest), ...describeSuperseded(entry)] : [unclear]),
    ],
  };
}

/** Explains why an object stays although `on_removal: delete` is set. */
function explainNotDeleted(
  { onRemoval, created }: StateEntry,
  kind: Kind | undefined,
  manifest: Manifest,
): string[] {
  if (onRemoval === "delete")
    return [
      `Its declaration had \`on_removal: delete\`, but ${manifest.service.profile ? "the service cannot delete objects of this kind" : "nothing is deleted without service.profile"}.`,
    ];
  if (onRemoval || created || !kind || manifest.onRemoval?.[kind.name] !== "delete") return [];
  return [
    "The object stays, because avatarops may not have created it. To delete it, declare it with `on_removal: delete`, apply, then remove the declaration and apply again.",
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
    const why = `It could not be read, so it is not deleted. ${observed.error.message} ${adviseForgetting(address)}`;
    return { ...change, action: "unreadable", reason: "unreadable", notes: [why] };
  }
  // Every write records the name, so an entry without a name has no applied values.
  const isUnrecorded = entry.applied[kind.label] === undefined;
  const edited = { reason: "drifted", overwrites: true } as const;
  const notes = [
    ...(isUnrecorded
      ? ["It counts as edited elsewhere, because the state has no record of its last apply."]
      : []),
    ...describeSuperseded(entry),
  ];
  if (observed?.seen !== "live") {
    const unseen = "avatarops cannot read this object, so it may have been edited elsewhere.";
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

/** Explains why a protected object stays managed, and how to remove the protection. */
function describeProtection(address: string, end: "delete" | "forget", managedBy?: IdOwner): string {
  if (managedBy)
    return `It is protected, but ${managedBy.address} would manage it without \`protect\`. Set \`protect: true\` there, or end the protection: \`avatarops state forget ${address}\`.`;
  return `It is protected, so it stays managed. To ${end} it, declare it again with \`protect: false\` and apply, then remove it from the files. To stop managing it immediately: \`avatarops state forget ${address}\`.`;
}

/** Blocks a newly declared id that would drop a protected object from the state. */
export function protectId(change: Change, id: string): Change {
  const { address, kind, label } = change;
  const note = `The object ${id} is protected, but the declaration has a different id. First apply \`protect: false\` with the old id, or run \`avatarops state forget ${address}\`.`;
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

/** Lists the superseded ids, which would otherwise be lost with the forgotten entry. */
function describeSuperseded({ superseded = [] }: StateEntry): string[] {
  if (superseded.length === 0) return [];
  const stay = superseded.length === 1 ? "stays" : "stay";
  return [`It superseded ${superseded.map(({ id }) => id).join(", ")}, which ${stay} in the account.`];
}
