import type { Splice } from "../../../base/text/index.js";
import type { Item, Value } from "../../kinds/index.js";
import { type Entry, listChildren, type MapNode, type Node } from "../tree/node.js";
import { toYaml, toYamlList } from "../tree/yaml-text.js";
import { type EntryText, entriesInBraces, entriesText, toEntry } from "./entry-text.js";

/*
 * Edits YAML. Replaces a value in its exact range and touches nothing else: no YAML printer keeps what people
 * wrote byte for byte. This file does not prove that a splice is right; the caller parses the result and
 * compares. Lines in a splice end with "\n" whatever the file uses.
 */

/** The splice that puts `value` at `path`; a sentence if that is impossible. */
export function spliceFor(root: Node, path: readonly (string | number)[], value: Value): Splice | string {
  let at: Node = root;
  for (const [i, key] of path.entries()) {
    if (at.shared) return "it stands for several values, through an alias or a merge key";
    if (at.tag) return `it comes from ${at.tag}`;
    if (at.is === "scalar") return "its parent is not a mapping";
    if (at.is === "list") {
      const item = at.items[Number(key)];
      if (!item) return "its list has become shorter";
      at = item;
      continue;
    }
    const entry = at.entries.get(String(key));
    if (!entry)
      return i === path.length - 1 ? addEntries(at, [toEntry(String(key), value)]) : "its parent is gone";
    if (i === path.length - 1) return replaced(at, entry, value);
    at = entry.value;
  }
  return "it is the whole document";
}

function replaced(owner: MapNode, entry: Entry, value: Value): Splice | string {
  const node = entry.value;
  if (node.shared) return "it stands for several values, through an alias or a merge key";
  if (node.tag) return `it comes from ${node.tag}`;
  if (typeof value === "object") return replacedList(owner, entry, value);
  if (node.is !== "scalar") return "there is a list or mapping where a text belongs";
  const { text } = node.source;
  const column = findColumn(text, entry.range.start);
  const written = toYaml(value, { column, flow: owner.flow, style: node.style });
  return node.style.startsWith("BLOCK") ? inPlaceOfBlock(node, written) : inPlaceOfLine(node, written);
}

/** It ends on its line: the rest of the line, at most a comment, moves to the end of the new text's first line. */
function inPlaceOfLine({ source: { text }, start, end }: Node, written: string): Splice {
  const gap = start === end && !/\s/.test(text.charAt(start - 1)) ? " " : "";
  const firstLine = written.indexOf("\n");
  if (firstLine === -1) return { start, end, text: gap + written };
  const lineEnd = endOfLine(text, end);
  const rest = text.slice(end, lineEnd).replace(/\r?\n$/, "");
  return { start, end: lineEnd, text: gap + written.slice(0, firstLine) + rest + written.slice(firstLine) };
}

/** A block scalar: the comment of its header and the empty lines after it stay. */
function inPlaceOfBlock(node: Node, written: string): Splice {
  const { source, start } = node;
  const header = source.text.slice(start, endOfLine(source.text, start));
  const comment = /(?<![ \t])[ \t]+#[^\r\n]*/.exec(header)?.[0] ?? "";
  const firstLine = written.indexOf("\n");
  const text =
    firstLine === -1
      ? `${written}${comment}\n`
      : written.slice(0, firstLine) + comment + written.slice(firstLine);
  // With "+" empty lines belong to the text: those after the old one would be added to the new one.
  const keepsEmptyLines = /^\|\d?\+/.test(written);
  return { start, end: keepsEmptyLines ? endOfEmptyLines(source.text, node.end) : endOfBlock(node), text };
}

function replacedList(owner: MapNode, entry: Entry, items: readonly Item[]): Splice | string {
  const node = entry.value;
  if (node.is !== "list") return "there is a text or mapping where a list belongs";
  const { text } = node.source;
  const keyColumn = findColumn(text, entry.range.start);
  if (
    node.flow &&
    (owner.flow || (node.items.length > 0 && !text.slice(node.start, node.end).includes("\n")))
  ) {
    return { start: node.start, end: node.end, text: toYamlList(items, { column: keyColumn, flow: true }) };
  }
  if (node.flow && items.length === 0) return { start: node.start, end: node.end, text: "[]" };
  if (node.flow) return blockBelow(node, toYamlList(items, { column: keyColumn + 2, flow: false }));
  const end = endOfLine(text, writtenEnd(node));
  if (items.length > 0) {
    const column = findColumn(text, node.start);
    return { start: node.start, end, text: toYamlList(items, { column, flow: false }).slice(column) };
  }
  const between = /^["']?[ \t]*:[ \t]*\r?\n[ \t]*$/.test(text.slice(entry.range.end, node.start));
  return between
    ? { start: text.lastIndexOf(":", node.start) + 1, end, text: " []\n" }
    : { start: node.start, end, text: "[]\n" };
}

/** `links: [] # comment` becomes `links: # comment` with the block below. */
export function blockBelow({ source: { text }, ...node }: Node, block: string): Splice {
  const start = node.start - (node.end > node.start && text.charAt(node.start - 1) === " " ? 1 : 0);
  const end = endOfLine(text, node.end);
  const rest = text.slice(node.end, end).replace(/\r?\n$/, "");
  return { start, end, text: `${rest}\n${block}` };
}

/** The splice that adds entries to a mapping, after its last one. Returns a sentence if that is impossible. */
export function addEntries(map: MapNode, entries: readonly EntryText[], spaced = false): Splice | string {
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
  const block = entriesText(entries, findColumn(text, first.range.start));
  return { start: below, end: below, text: before + gap + block };
}

function keepsEmptyLines(node: Node): boolean {
  const last = node.is === "scalar" ? undefined : listChildren(node).at(-1);
  if (last) return keepsEmptyLines(last);
  return /^[|>]\d?\+/.test(node.source.text.slice(node.start, node.start + 3));
}

/** The end of a node's text: for block collections, the end of their last part. */
function writtenEnd(node: Node, entry?: Entry): number {
  const isBlockCollection = node.is !== "scalar" && !node.flow;
  const last = isBlockCollection ? listChildren(node).at(-1) : undefined;
  if (last) return writtenEnd(last);
  if (node.is === "scalar" && node.style.startsWith("BLOCK")) return endOfBlock(node);
  return Math.max(node.end, entry?.range.end ?? 0);
}

/**
 * The end of a block scalar without the empty lines after it, unless they are part of it. Lines of spaces
 * stay with the text: with deeper indentation they would be read as part of the next one.
 */
function endOfBlock({ source, start, end }: Node): number {
  const block = source.text.slice(start, end);
  if (/^[|>]\d?\+/.test(block)) return end;
  let length = block.length;
  while (block.charAt(length - 1) === "\n") {
    const before = length - (block.charAt(length - 2) === "\r" ? 2 : 1);
    if (block.charAt(before - 1) !== "\n") break;
    length = before;
  }
  return start + length;
}

/** The end of the lines after `from` that contain only spaces. */
function endOfEmptyLines(text: string, from: number): number {
  const emptyLines = /(?:[ \t]*\r?\n)*/y;
  emptyLines.lastIndex = endOfLine(text, from);
  return emptyLines.test(text) ? emptyLines.lastIndex : from;
}

/** The start of the line after `from`, or `from` if a line starts there. */
function endOfLine(text: string, from: number): number {
  if (from > 0 && text.charAt(from - 1) === "\n") return from;
  const at = text.indexOf("\n", from);
  return at === -1 ? text.length : at + 1;
}

/** The column of an offset, from 0. */
export function findColumn(text: string, offset: number): number {
  return offset - (text.lastIndexOf("\n", offset - 1) + 1);
}
