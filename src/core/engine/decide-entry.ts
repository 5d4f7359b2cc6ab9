import { canDetectChangesByTimestamp, type Kind, type RemoteObject, type Spec } from "../kinds/index.js";
import type { StateEntry } from "../state/index.js";
import type { DecideInput } from "./decide-input.js";
import type { LiveObservation, Rotation } from "./observation.js";
import { toSuperseded, wasSentByIntent } from "./stored-form.js";
import { isManaged, toApplied } from "./three-way-compare.js";
import type { TrackedDeclaration } from "./tracked-declaration.js";

/* Builds state entries for decisions that send no request. */

export function buildSyncedEntry(
  { tracked, rotation }: DecideInput,
  { live, hasReliableTimestamp, recovered }: LiveObservation,
  id: string,
  desired: Spec,
): StateEntry {
  const { declaration, entry } = tracked;
  // Drops `copyBefore`, which is obsolete once the visible copy has changed.
  const { inSyncAt: older, copyBefore: _, ...kept } = entry ?? {};
  const applied = toApplied(declaration, desired);
  const moved = JSON.stringify(applied) !== JSON.stringify(entry?.applied);
  const inSyncAt =
    chooseTimestamp(declaration.kind, live, hasReliableTimestamp) ?? (moved ? undefined : older);
  const made = recovered ? buildEntryFromIntent(tracked, id) : {};
  const versions = { ...entry?.versions, ...made.versions, ...findNewVersions(rotation) };
  const known = Object.keys(versions).length > 0 && { versions };
  return { ...kept, ...made, ...known, id, applied, ...(inSyncAt !== undefined && { inSyncAt }) };
}

/** Builds a recovered create's entry from its intent, including the object that the create superseded. */
export function buildEntryFromIntent(
  { intent, entry: old, declaration }: TrackedDeclaration,
  id: string,
): Partial<StateEntry> {
  const { action, at = "", fingerprints, versions } = intent ?? {};
  const left =
    action === "supersede" && old && old.id !== id
      ? [toSuperseded(old, declaration.kind, intent?.label ?? "", at)]
      : [];
  const superseded = [...(old?.superseded ?? []), ...left];
  return {
    ...(fingerprints && { fingerprints, writtenAt: at }),
    ...(versions && { versions }),
    ...(superseded.length > 0 && { superseded }),
    ...(declaration.kind.remove && { created: true }),
  };
}

/** Adds new versions to the entry and removes unmanaged fields. Returns undefined if nothing changes. */
export function addNewVersions({
  tracked: { declaration, entry, intent },
  rotation,
}: DecideInput): StateEntry | undefined {
  if (!entry || intent) return undefined;
  const fields = Object.entries(entry.applied);
  const managed = fields.filter(([name]) => isManaged(declaration, name, entry));
  const versions = findNewVersions(rotation);
  if (!versions && managed.length === fields.length) return undefined;
  return {
    ...entry,
    applied: Object.fromEntries(managed),
    ...(versions && { versions: { ...entry.versions, ...versions } }),
  };
}

/** Returns versions of unchanged values that the state does not record yet. */
export function findNewVersions(rotation: Rotation | undefined): StateEntry["versions"] {
  return rotation?.value === "same" ? rotation.versions : undefined;
}

/**
 * Returns the `updated_at` to record, so that a later plan can skip the read. Returns undefined if the timestamp is
 * unreliable.
 */
function chooseTimestamp(
  kind: Kind,
  { updatedAt }: RemoteObject,
  hasReliableTimestamp: boolean,
): string | undefined {
  return hasReliableTimestamp && canDetectChangesByTimestamp(kind) ? updatedAt : undefined;
}

/**
 * If the account has the values of an interrupted update, returns the entry with these values, so that the update does
 * not look like an edit made elsewhere.
 */
export function assumeWriteSucceeded(
  { tracked }: DecideInput,
  live: RemoteObject,
  recovered?: true,
): StateEntry | undefined {
  const { entry, intent, declaration } = tracked;
  if (!intent || !(recovered || wasSentByIntent(declaration.kind, intent, live))) return entry;
  return { ...entry, id: live.id, applied: { ...entry?.applied, ...intent.sent } };
}
