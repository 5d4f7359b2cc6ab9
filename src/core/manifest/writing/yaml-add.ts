import type { Splice } from "../../../base/text/index.js";
import type { Entry, MapNode, Node } from "../tree/node.js";
import { type EntryText, entriesInBraces, entriesText } from "./entry-text.js";
import { addEntries, blockBelow, findColumn } from "./yaml-edit.js";

/**
 * The splice that adds entries to the mapping at `path`, after its last one, and adds missing mappings on the
 * way. Returns a sentence if that is impossible.
 */
export function spliceForEntries(
  root: Node,
  path: readonly string[],
  entries: readonly EntryText[],
): Splice | string {
  let at = root;
  for (const [depth, key] of path.entries()) {
    if (at.shared) return "it stands for several values, through an alias or a merge key";
    if (at.is !== "map" || at.tag) return "its parent is not a mapping";
    const entry: Entry | undefined = at.entries.get(key);
    if (!entry) return addEntries(at, nested(path.slice(depth), entries), depth === 0);
    if (isEmpty(entry.value)) return inPlaceOfNothing(at, entry, nested(path.slice(depth + 1), entries));
    at = entry.value;
  }
  if (at.shared) return "it stands for several values, through an alias or a merge key";
  if (at.is !== "map" || at.tag) return "its parent is not a mapping";
  return addEntries(at, entries, false);
}

/** The entries under keys that do not exist yet. */
function nested(path: readonly string[], entries: readonly EntryText[]): readonly EntryText[] {
  return path.reduceRight<readonly EntryText[]>(
    (inner, key) => [
      {
        key,
        block: (column) => `\n${entriesText(inner, column + 2)}`,
        flow: () => `{ ${entriesInBraces(inner)} }`,
      },
    ],
    entries,
  );
}

/** `key:` without a value, or with empty braces. */
function isEmpty(node: Node): boolean {
  if (node.shared || node.tag) return false;
  if (node.is === "map") return node.entries.size === 0;
  return node.is === "scalar" && node.value === null && node.start === node.end;
}

function inPlaceOfNothing(
  owner: MapNode,
  { range, value }: Entry,
  entries: readonly EntryText[],
): Splice | string {
  const { text } = range.source;
  if (owner.flow) {
    const gap = value.start === value.end && !/\s/.test(text.charAt(value.start - 1)) ? " " : "";
    return { start: value.start, end: value.end, text: `${gap}{ ${entriesInBraces(entries)} }` };
  }
  return blockBelow(value, entriesText(entries, findColumn(text, range.start) + 2));
}
