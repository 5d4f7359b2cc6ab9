import { digestSpec, type Kind, type Live } from "../kinds/index.js";

/*
 * Some objects cannot be read, and others show a copy of them: the name of a voice is in the `default_voice` of avatars
 * (§2.3). The service may leave such copies as they are when the object changes. So a copy that is what it was before
 * our last write says nothing about the object; another one does.
 */

/** Whether all that is seen of its objects is such copies. */
function isSeenAsCopy({ read, list }: Kind): boolean {
  return !read && list?.exhaustive === false;
}

/** The digest to keep with a write: of the copy before it. Undefined if the object itself is seen, or nothing is. */
export function digestOfCopy(kind: Kind, before: Live | undefined): string | undefined {
  return before && isSeenAsCopy(kind) ? digestSpec(kind, before.spec) : undefined;
}

/** Whether what is seen of an object is the same copy as before our last write, whose digest was kept. */
export function isOldCopy(kind: Kind, seen: Live, copyBefore: string | undefined): boolean {
  return copyBefore !== undefined && digestOfCopy(kind, seen) === copyBefore;
}
