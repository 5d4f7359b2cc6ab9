import type { Manifest } from "../manifest/index.js";
import type { SourceEnvironment } from "../secrets/index.js";
import type { State } from "../state/index.js";
import { explainUnverified } from "./decide-values.js";
import type { Observation } from "./observation.js";
import type { Change, FieldChange, Plan } from "./plan-types.js";
import { observeRotations } from "./rotation.js";
import { trackedDeclarations } from "./tracked-declaration.js";

/** What is known of the secret values of the managed objects, without the values. */
export interface PendingRotations {
  /** The source has another value than the one that was sent, and no file says so. */
  readonly pending: readonly { readonly address: string; readonly because?: string | undefined }[];
  /** The addresses of those for which the files name another source or another version. */
  readonly configured: readonly string[];
  /** It is unknown whether it has. */
  readonly unverified: readonly { readonly address: string; readonly reason: string }[];
}

/** Looks at the sources of the managed objects, and at nothing in the account. */
export async function observePendingRotations(
  manifest: Manifest,
  state: State,
  sources: SourceEnvironment,
  targets?: readonly string[],
): Promise<PendingRotations> {
  const managed = trackedDeclarations(manifest, state, targets).filter(({ entry }) => entry);
  return findPendingRotations(state, await observeRotations(manifest, state, managed, sources));
}

/** The pending rotations, from what a plan was made of. */
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
  };
}

/**
 * The addresses that an apply of rotations alone is about: changes that send a new value and nothing else, or the id of
 * what has superseded an object, and objects whose value cannot be read, because they may have a new one.
 */
export function rotatedAddresses(
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
  const isPart = ({ address }: Change, { type, before, after, knownAfter }: FieldChange) => {
    if (type === "write-only") return rotated.has(address);
    if (type !== "reference") return false;
    if (knownAfter === undefined) return successors.get(before) === after;
    return rotated.has(knownAfter) && objects[knownAfter]?.id === before;
  };
  return changes
    .filter((change) =>
      change.action === "keep"
        ? change.unread
        : change.fields.length > 0 && change.fields.every((field) => isPart(change, field)),
    )
    .map(({ address }) => address);
}
