import { digestSpec, type Kind, type RemoteObject } from "../kinds/index.js";

/*
 * Some objects cannot be read, but other objects contain a copy, such as an avatar's `default_voice` (§2.3). The
 * service may not update that copy when the object changes. Therefore, a copy counts only if it differs from the copy
 * before our last write.
 */

/** Returns whether objects of a kind are visible only as copies in other objects. */
function isSeenAsCopy({ read, list }: Kind): boolean {
  return !read && list?.exhaustive === false;
}

/**
 * Returns the digest of the copy before a write. Returns undefined if the object itself can be read, or no copy exists.
 */
export function digestCopy(kind: Kind, before: RemoteObject | undefined): string | undefined {
  return before && isSeenAsCopy(kind) ? digestSpec(kind, before.spec) : undefined;
}

/** Returns whether the visible copy equals the copy before our last write. */
export function isOldCopy(kind: Kind, seen: RemoteObject, copyBefore: string | undefined): boolean {
  return copyBefore !== undefined && digestCopy(kind, seen) === copyBefore;
}
