import { childrenOf, type Entry, type MapNode, type Node } from "../tree/node.js";
import { type EntryText, entriesInBraces, entriesText } from "./entry-text.js";
import { columnOf, endOfLine, type Splice, writtenEnd } from "./yaml-edit.js";

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
    if (!entry) return addedTo(at, nested(path.slice(depth), entries), depth === 0);
    if (isEmpty(entry.value)) return inPlaceOfNothing(at, entry, nested(path.slice(depth + 1), entries));
    at = entry.value;
  }
  if (at.shared) return "it stands for several values, through an alias or a merge key";
  if (at.is !== "map" || at.tag) return "its parent is not a mapping";
  return addedTo(at, entries, false);
}

/** The entries under keys that do not exist yet. */
function nested(path: readonly string[], entries: readonly EntryText[]): readonly EntryText[] {
  return path.reduceRight<readonly EntryText[]>(
    (inner, key) => [
      { key, block: (column) => entriesText(inner, column), flow: () => entriesInBraces(inner) },
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
  // `contexts: {} # comment` becomes `contexts: # comment` with a block under it.
  const start = value.start - (value.end > value.start && text.charAt(value.start - 1) === " " ? 1 : 0);
  const end = endOfLine(text, value.end);
  const rest = text.slice(value.end, end).replace(/\r?\n$/, "");
  const block = entriesText(entries, columnOf(text, range.start) + 2);
  return { start, end, text: `${rest}\n${block}` };
}

function addedTo(map: MapNode, entries: readonly EntryText[], spaced: boolean): Splice | string {
  if (map.shared) return "it belongs to several objects, through an alias or a merge key";
  const { text } = map.source;
  const own = [...map.entries.values()].filter(
    ({ range }) => range.start >= map.start && range.start < map.end,
  );
  const [first, last] = [own[0], own.at(-1)];
  if (!first || !last) {
    if (!map.flow || map.trail) return "its mapping has no keys of its own";
    // A file that contains `{}`.
    return { start: map.start, end: endOfLine(text, map.end), text: entriesText(entries, 0) };
  }
  const end = writtenEnd(last.value, last);
  if (map.flow) return { start: end, end, text: `, ${entriesInBraces(entries)}` };
  const below = endOfLine(text, end);
  const before = below > 0 && text.charAt(below - 1) !== "\n" ? "\n" : "";
  // An empty line after a text that keeps trailing lines would become part of it.
  const gap = spaced && !keepsEmptyLines(last.value) ? "\n" : "";
  const block = entriesText(entries, columnOf(text, first.range.start));
  return { start: below, end: below, text: before + gap + block };
}

function keepsEmptyLines(node: Node): boolean {
  const last = node.is === "scalar" ? undefined : childrenOf(node).at(-1);
  if (last) return keepsEmptyLines(last);
  return /^[|>]\d?\+/.test(node.source.text.slice(node.start, node.start + 3));
}
