import { digestSpec, type Kind, type RemoteObject } from "../kinds/index.js";

/*
 * Some objects cannot be read, but other objects show a copy of them: the `default_voice` of avatars has the name of a voice
 * (§2.3). The service may not update such copies when the object changes. So a copy that is unchanged since before our
 * last write proves nothing about the object; a changed one does.
 */

/** Returns whether objects of this kind are visible only as such copies. */
function isSeenAsCopy({ read, list }: Kind): boolean {
  return !read && list?.exhaustive === false;
}

/** Returns the digest of the copy before a write. Undefined if the object itself is visible, or nothing is. */
export function digestCopy(kind: Kind, before: RemoteObject | undefined): string | undefined {
  return before && isSeenAsCopy(kind) ? digestSpec(kind, before.spec) : undefined;
}

/** Returns whether the visible copy is the one from before our last write, whose digest was stored. */
export function isOldCopy(kind: Kind, seen: RemoteObject, copyBefore: string | undefined): boolean {
  return copyBefore !== undefined && digestCopy(kind, seen) === copyBefore;
}
