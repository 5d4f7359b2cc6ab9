import { isDeepStrictEqual } from "node:util";
import { CST, Parser } from "yaml";
import type { Value } from "../../kinds/index.js";
import { isFile, type ValueSource } from "../../secrets/index.js";
import type { Node } from "../tree/node.js";
import { chooseStyle, type Entries, escapeInvisible, formatEntries, isSource } from "../tree/yaml-text.js";
import { ListEdit } from "./list-edit.js";
import { parseYaml, readKey } from "./yaml-loss.js";
import { spliceScalar } from "./yaml-scalar.js";

/*
 * Edits YAML by replacing tokens, because YAML printers would change other bytes as well. This code does not implement
 * all YAML rules, so the result is parsed again, and rejected if its values are not exactly the expected ones.
 */

/** Values, list edits and nested entries, by key. */
export interface YamlChanges {
  readonly [key: string]: Value | ValueSource | YamlChanges | ListEdit;
}

/**
 * Editing strategies, from the smallest change to the largest. The first one with the expected result is used. Values
 * that end with blank lines need quotes if a block scalar would also include the blank lines after it.
 */
const ways: readonly Omit<Writing, "lineEnd" | "isJson">[] = [
  { isMinimal: true, isQuoted: () => false },
  { isMinimal: true, isQuoted: () => false, blankLinesAfter: 1 },
  { isMinimal: false, isQuoted: () => false },
  { isMinimal: false, isQuoted: (text) => text.endsWith("\n\n") },
  { isMinimal: false, isQuoted: () => true },
];

/**
 * Replaces or adds values in YAML text. Returns undefined if that cannot be done safely.
 *
 * @param isJson Whether the result must be JSON.
 */
export function editYaml(text: string, changes: YamlChanges, isJson = false): string | undefined {
  const expected = merge(readPlain(text), changes);
  for (const way of ways) {
    const tokens = [...new Parser().parse(text)];
    const document = tokens.find((token) => token.type === "document");
    const lineEnd = /\r?\n/.exec(text)?.[0] ?? "\n";
    if (!document || !putAll(document, changes, { ...way, lineEnd, isJson })) return undefined;
    const edited = tokens.map(CST.stringify).join("");
    const isOpen = /[^\n]$/.test(text);
    const after = isOpen && !/\|\+|>\+/.test(text) ? edited.replace(/\r?\n$/, "") : edited;
    if (isJson && !isJsonText(after)) continue;
    if (isDeepStrictEqual(readPlain(after), expected)) return after;
  }
  return undefined;
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Formats a value as JSON on one line. */
function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/\n */g, " ");
}

/** Reads plain values, without positions. */
function readPlain(text: string): unknown {
  const toPlain = (node: Node): unknown => {
    if (node.is === "scalar") return node.tag ? { [node.tag]: node.value } : node.value;
    if (node.is === "list") return node.items.map(toPlain);
    return new Map(Array.from(node.entries, ([key, entry]) => [key, toPlain(entry.value)]));
  };
  const root = parseYaml(text);
  return root && toPlain(root);
}

function merge(tree: unknown, changes: YamlChanges): unknown {
  const merged = new Map<string, unknown>(tree instanceof Map ? tree : []);
  for (const [key, value] of Object.entries(changes))
    merged.set(
      key,
      value instanceof ListEdit
        ? mergeList(merged.get(key), value)
        : isMapping(value)
          ? merge(merged.get(key), value)
          : toPlainValue(value),
    );
  return merged;
}

function mergeList(tree: unknown, { entries }: ListEdit): unknown {
  const before = Array.isArray(tree) ? tree : [];
  return entries.map(({ from = -1, parts, value }) => {
    if (value !== undefined) return toPlainValue(value);
    return parts ? merge(before[from], parts) : before[from];
  });
}

function toPlainValue(value: Value | ValueSource): unknown {
  if (isSource(value)) return isFile(value) ? { "!file": value.path } : undefined;
  if (Array.isArray(value)) return value.map(toPlainValue);
  if (typeof value !== "object") return value;
  return new Map(Object.entries(value).map(([key, part]) => [key, toPlainValue(part as Value)]));
}

function isMapping(value: YamlChanges[string]): value is YamlChanges {
  return typeof value === "object" && !Array.isArray(value) && !isSource(value);
}

interface Writing {
  /** Whether to replace only the changed part of a text, and to keep comments with the entry they precede. */
  readonly isMinimal: boolean;
  readonly isQuoted: (text: string) => boolean;
  /** Number of blank lines after a block scalar. They become part of a value that ends with blank lines. Default: 0. */
  readonly blankLinesAfter?: number;
  readonly lineEnd: string;
  readonly isJson: boolean;
}

/** A token with a value: an item of a mapping, or the document. */
interface Owner {
  readonly sep?: CST.SourceToken[];
  value?: CST.Token | undefined;
}

/** Puts values into `owner`'s mapping. `column` is the key column to use if the mapping is empty. */
function putAll(owner: Owner, changes: YamlChanges, writing: Writing, column = 0, inFlow = false): boolean {
  const map = owner.value;
  const hasKeys = map && "items" in map && map.items.some(({ key }) => key);
  if (!hasKeys && !inFlow)
    return putBelow(owner, formatEntries(changes as Entries, { ...writing, column }), writing);
  const isMap = map?.type === "block-map" || (map?.type === "flow-collection" && map.start.source === "{");
  if (!isMap) return false;
  const missing: Record<string, Entries[string]> = {};
  const items = new Map(map.items.map((item) => [readKey(item), item]));
  for (const [key, value] of Object.entries(changes)) {
    const item = items.get(key);
    if (!item) missing[key] = value as Entries[string];
    else if (value instanceof ListEdit) {
      if (!putEntries(item, value, map, writing)) return false;
    } else if (isMapping(value)) {
      if (!putAll(item, value, writing, map.indent + 2, map.type !== "block-map")) return false;
    } else if (!putValue(item, key, value, map, writing)) return false;
  }
  if (Object.keys(missing).length > 0) addEntries(map, missing, writing);
  return true;
}

/**
 * Puts a block below a key without a value. Turns `links: {} # comment` into `links: # comment` with the block below.
 */
function putBelow(owner: Owner, block: string, { lineEnd }: Writing): boolean {
  const { value, sep = [] } = owner;
  if (value && value.type !== "flow-collection") return false;
  const [, ...behind] = value?.end ?? [];
  const rest = toText(behind);
  // Comments on the next lines stay below the block, because they may belong to the next key.
  const newline = value ? -1 : sep.findIndex(({ type }) => type === "newline");
  const below = newline === -1 ? "" : toText(sep.splice(newline + 1));
  const isAtLineStart = /(?:^|\n)$/.test(toText(sep) + rest);
  const text = (isAtLineStart ? "" : lineEnd) + block.replaceAll("\n", lineEnd);
  owner.value = createRawToken(rest + text + below);
  return true;
}

type MapToken = CST.BlockMap | CST.FlowCollection;

/** Adds entries after the last one or, between braces, before the first, so that the other tokens do not change. */
function addEntries(map: MapToken, entries: Entries, { lineEnd, ...writing }: Writing): void {
  const at = map.items.findLastIndex(({ key }) => key) + 1;
  if (map.type === "flow-collection") {
    const text = writing.isJson
      ? formatJson(entries).slice(1, -1).trim()
      : formatEntries(entries, { ...writing, flow: true });
    map.items.unshift(createRawItem(at === 0 ? ` ${text} ` : ` ${text},`));
    return;
  }
  const before = CST.stringify({ ...map, items: map.items.slice(0, at) });
  const text = formatEntries(entries, { ...writing, column: map.indent }).replaceAll("\n", lineEnd);
  const end = writing.isMinimal ? findEnd(before, map.indent) : before.length;
  const [head, tail] = [before.slice(0, end), before.slice(end)];
  const isOpen = head !== "" && !head.endsWith("\n");
  map.items.splice(
    0,
    at,
    createRawItem(head),
    createRawItem(isOpen ? lineEnd + text : text),
    createRawItem(tail),
  );
}

/**
 * Finds the end of a mapping. Trailing blank lines are not part of it, and neither are comments with less indentation,
 * which belong to the next entry.
 */
function findEnd(text: string, column: number): number {
  let end = text.length;
  for (;;) {
    const start = text.lastIndexOf("\n", end - 2) + 1;
    const line = text.slice(start, end);
    const isOfNext =
      /^[ \t]*(?:#.*)?\r?\n?$/.test(line) && (/^\s*$/.test(line) || line.search(/\S/) < column);
    if (!isOfNext || start === 0) return end;
    end = start;
  }
}

/** Edits a list entry by entry, so that other entries keep their comments, tags and style. */
function putEntries(
  item: CST.CollectionItem,
  { entries }: ListEdit,
  map: MapToken,
  writing: Writing,
): boolean {
  const list = item.value;
  const inFlow = list?.type === "flow-collection";
  if (list?.type !== "block-seq" && !inFlow) return false;
  for (const { from = -1, parts, value } of entries) {
    const old = list.items[from];
    if (!old) continue;
    if (parts && !putAll(old, parts, writing, list.indent + 2, inFlow)) return false;
    if (value !== undefined && !putValue(old, "", value, inFlow ? list : map, writing)) return false;
  }
  if (inFlow) return true;
  const { lineEnd } = writing;
  const indent = " ".repeat(list.indent);
  const isEntry = ({ start }: CST.CollectionItem) => start.some(({ type }) => type === "seq-item-ind");
  const tail = list.items
    .filter((one) => !isEntry(one))
    .map(CST.stringify)
    .join("");
  const texts = entries.map(({ from = -1, value }) => {
    const old = list.items[from];
    if (old) return (from === 0 ? indent : "") + CST.stringify(old);
    const [, ...lines] = formatEntries({ a: [value as Value] }, writing).split("\n");
    return lines.map((line) => (line === "" ? line : indent + line.slice(2))).join(lineEnd);
  });
  const text = texts.map((one) => (one.endsWith("\n") ? one : one + lineEnd)).join("");
  const isOpen = !CST.stringify(list).endsWith("\n") && tail === "";
  const trimmed = text.replace(/^(?:[ \t]*\r?\n)+/, "").slice(indent.length);
  item.value = createRawToken((isOpen ? trimmed.replace(/\r?\n$/, "") : trimmed) + tail);
  return true;
}

/** Replaces a value and keeps its style if possible. */
function putValue(
  item: CST.CollectionItem,
  key: string,
  value: Value | ValueSource,
  map: MapToken,
  writing: Writing,
): boolean {
  const token = item.value;
  if (!token) return false;
  if (typeof value !== "object") {
    if (!CST.isScalar(token)) return false;
    putScalar(token, value, map.type === "flow-collection", writing);
    return true;
  }
  const formatWritten = (flow: boolean) =>
    formatEntries({ [key]: value }, { ...writing, flow, column: map.indent }).replace(/^[^:]*:/, "");
  if (token.type === "flow-collection") {
    const text = writing.isJson ? formatJson(value) : formatWritten(true).trim();
    item.value = createRawToken(text + toText(token.end.slice(1)));
    return true;
  }
  if (token.type !== "block-seq") return false;
  const [colon, ...rest] = item.sep ?? [];
  const text = formatWritten(false);
  const isInLines = text.startsWith("\n");
  const comment = rest.slice(0, isInLines ? rest.findIndex(({ type }) => type === "newline") : 0);
  item.sep = colon ? [colon, ...comment] : [];
  item.value = createRawToken(text.replaceAll("\n", writing.lineEnd));
  return true;
}

/** Replaces a scalar, line by line if possible. */
function putScalar(
  token: CST.FlowScalar | CST.BlockScalar,
  value: string | number | boolean,
  inFlow: boolean,
  writing: Writing,
): void {
  const { isMinimal, isQuoted, lineEnd, isJson } = writing;
  if (isJson) {
    token.source = JSON.stringify(value);
    return;
  }
  if (typeof value === "string" && token.source.includes("\n")) {
    const canKeep = token.type === "block-scalar" && !value.endsWith("\n\n");
    if ((isMinimal || canKeep) && spliceScalar(token, value, writing)) return;
  }
  const style = typeof value === "string" ? keepStyle(token, value, inFlow, isQuoted) : "PLAIN";
  const isDouble = style === "QUOTE_DOUBLE";
  // With `implicitKey`, the library does not fold double-quoted strings.
  CST.setScalarValue(token, String(value), { afterKey: true, inFlow, implicitKey: isDouble, type: style });
  const { source } = token as CST.FlowScalar | CST.BlockScalar;
  token.source = isDouble ? escapeInvisible(source) : source.replaceAll("\n", lineEnd);
}

/** Keeps the current style if it can represent the text. */
function keepStyle(token: CST.Token, text: string, inFlow: boolean, isQuoted: Writing["isQuoted"]) {
  const style = chooseStyle(text, isQuoted);
  if (style !== "PLAIN") return inFlow ? "QUOTE_DOUBLE" : style;
  if (token.type === "double-quoted-scalar") return "QUOTE_DOUBLE";
  if (token.type === "single-quoted-scalar") return "QUOTE_SINGLE";
  if (token.type === "block-scalar" && text !== "") return "BLOCK_LITERAL";
  const isPlain = formatEntries({ a: text }) === `a: ${text}\n`;
  return isPlain ? "PLAIN" : "QUOTE_DOUBLE";
}

/** Creates a token that is printed verbatim. */
function createRawToken(source: string): CST.FlowScalar {
  return { type: "scalar", offset: -1, indent: -1, source };
}

function createRawItem(source: string) {
  return { start: [], key: createRawToken(source), sep: [] };
}

function toText(tokens: readonly CST.SourceToken[]): string {
  return tokens.map(({ source }) => source).join("");
}
