import type { Manifest } from "../manifest/index.js";
import type { SourceEnvironment } from "../secrets/index.js";
import type { State } from "../state/index.js";
import { explainUnverified } from "./decide-values.js";
import type { Observation } from "./observation.js";
import type { Change, FieldChange, Plan } from "./plan-types.js";
import { classifyUnresolved, observeRotations } from "./rotation.js";
import { trackDeclarations } from "./tracked-declaration.js";

/** Rotation status of the managed objects' secrets, without the values. */
export interface PendingRotations {
  /** Objects whose source has a new value although the files did not change. */
  readonly pending: readonly { readonly address: string; readonly because?: string | undefined }[];
  /** Addresses whose source or version changed in the files. */
  readonly configured: readonly string[];
  /** Objects whose value could not be compared. */
  readonly unverified: readonly { readonly address: string; readonly reason: string }[];
  /** Addresses of objects whose value may have changed. Omits values that this run is not allowed to read. */
  readonly unknown: readonly string[];
}

/** Checks the secret sources of managed objects, without reading the account. */
export async function observePendingRotations(
  manifest: Manifest,
  state: State,
  sources: SourceEnvironment,
  targets?: readonly string[],
): Promise<PendingRotations> {
  const managed = trackDeclarations(manifest, state, targets).filter(({ entry }) => entry);
  return findPendingRotations(state, await observeRotations(manifest, state, managed, sources));
}

export function findPendingRotations(
  state: State | undefined,
  rotations: Observation["rotations"],
): PendingRotations {
  const managed = [...rotations].filter(([address]) => state?.objects[address]);
  return {
    pending: managed.flatMap(([address, rotation]) =>
      rotation.value === "changed" && !rotation.inFiles ? [{ address, because: rotation.because }] : [],
    ),
    configured: managed.flatMap(([address, rotation]) =>
      rotation.value === "changed" && rotation.inFiles ? [address] : [],
    ),
    unverified: managed.flatMap(([address, rotation]) =>
      rotation.value === "changed" || rotation.value === "same"
        ? []
        : [{ address, reason: explainUnverified(rotation, address) }],
    ),
    unknown: managed.flatMap(([address, rotation]) => {
      const { unread } = classifyUnresolved(rotation, "keep", []);
      return unread === "unknown" || unread === "missing" ? [address] : [];
    }),
  };
}

/**
 * Returns the addresses of changes that only send a rotated value or the new id of a superseding object. Includes kept
 * objects whose value may have changed unnoticed.
 */
export function listRotatedAddresses(
  { changes }: Plan,
  { pending }: PendingRotations,
  objects: State["objects"] = {},
): string[] {
  const rotated = new Set(pending.map(({ address }) => address));
  const successors = new Map<unknown, string>(
    Object.values(objects).flatMap(({ id, superseded = [] }) =>
      superseded.map((old) => [old.id, id] as const),
    ),
  );
  const belongsToRotation = ({ address }: Change, { type, before, after, knownAfter }: FieldChange) => {
    if (type === "write-only") return rotated.has(address);
    if (type !== "reference") return false;
    if (knownAfter === undefined) return successors.get(before) === after;
    return rotated.has(knownAfter) && objects[knownAfter]?.id === before;
  };
  return changes
    .filter((change) =>
      change.action === "keep"
        ? change.unread
        : change.fields.length > 0 && change.fields.every((field) => belongsToRotation(change, field)),
    )
    .map(({ address }) => address);
}
