import { isDeepStrictEqual } from "node:util";
import { CST, Parser } from "yaml";
import { openSourceFile } from "../../../base/diagnostics/index.js";
import type { Value } from "../../kinds/index.js";
import { isFile, type ValueSource } from "../../secrets/index.js";
import { createCollector } from "../tree/diagnostics-collector.js";
import { findNodeAt, type Node } from "../tree/node.js";
import {
  chooseStyle,
  type Entries,
  type EntriesFormat,
  escapeInvisible,
  formatEntries,
  isSource,
} from "../tree/yaml-text.js";
import { parseYamlTree } from "../tree/yaml-tree.js";

/*
 * Edits YAML by replacing tokens, because YAML printers do not keep all other bytes. This code does not follow all rules of
 * YAML, so the result is parsed again and rejected unless it has exactly the expected values.
 */

/** Quoting styles to try. A block text that ends with blank lines would absorb the blank lines after it. */
const quotings: readonly NonNullable<EntriesFormat["isQuoted"]>[] = [
  () => false,
  (text) => text.endsWith("\n\n"),
  () => true,
];

/** Replaces or adds values in a text. Returns undefined if that cannot be done safely. */
export function editYaml(text: string, changes: Entries): string | undefined {
  const expected = merge(readPlain(text), changes);
  for (const isQuoted of quotings) {
    const tokens = [...new Parser().parse(text)];
    const document = tokens.find((token) => token.type === "document");
    const lineEnd = /\r?\n/.exec(text)?.[0] ?? "\n";
    if (!document || !putAll(document, changes, { isQuoted, lineEnd })) return undefined;
    const after = tokens.map(CST.stringify).join("");
    if (isDeepStrictEqual(readPlain(after), expected)) return after;
  }
  return undefined;
}

/** Parses a text. Returns undefined if it is invalid. */
export function parseYaml(text: string): Node | undefined {
  const collector = createCollector();
  const source = openSourceFile("", text);
  const { root, isWhole } = parseYamlTree({ source, at: "yaml", start: 0, end: text.length }, collector);
  return isWhole && !collector.hasErrors ? root : undefined;
}

/** Explains why a value cannot be edited. Returns undefined if it can be edited, even if it does not exist yet. */
export function findObstacle(root: Node, path: readonly (string | number)[]): string | undefined {
  for (let length = 0; length <= path.length; length += 1) {
    const node = findNodeAt(root, path.slice(0, length));
    if (node?.shared) return "it stands for several values, through an alias or a merge key";
    if (node?.tag) return `it comes from ${node.tag}`;
  }
  return undefined;
}

type KeyPath = readonly (string | number)[];

/**
 * Explains which comments, aliases or tags a write would delete, because lists are replaced as a whole. Returns
 * undefined if there are none.
 */
export function findLoss(text: string, root: Node, path: KeyPath, value: Value): string | undefined {
  if (Array.isArray(value)) {
    const list = findNodeAt(root, path);
    if (list?.is !== "list") return undefined;
    const source = findSource(list);
    if (source !== undefined) return `part of the list comes from ${source}, which would be lost`;
    return doesLoseComments(findItem(text, path), value)
      ? "the list has comments, which would be lost"
      : undefined;
  }
  if (typeof value !== "object") return undefined;
  for (const [key, part] of Object.entries(value)) {
    const loss = findLoss(text, root, [...path, key], part as Value);
    if (loss !== undefined) return loss;
  }
  return undefined;
}

/** Finds a tag, alias or merge key in a list. */
function findSource(node: Node): string | undefined {
  if (node.shared) return "an alias or a merge key";
  if (node.tag) return String(node.tag);
  const parts = node.is === "list" ? node.items : node.is === "map" ? listValues(node) : [];
  for (const part of parts) {
    const found = findSource(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function listValues(node: Extract<Node, { is: "map" }>): readonly Node[] {
  return Array.from(node.entries.values(), ({ value }) => value);
}

function findItem(text: string, path: KeyPath): CST.CollectionItem | undefined {
  const document = [...new Parser().parse(text)].find((token) => token.type === "document");
  let item: CST.CollectionItem | undefined;
  let token: CST.Token | null | undefined = document?.value;
  for (const key of path) {
    item = token && "items" in token ? token.items.find((one) => readKey(one) === key) : undefined;
    token = item?.value;
  }
  return item;
}

/** Returns whether replacing a list loses comments. Comments on the key's line stay unless the new list is empty. */
function doesLoseComments(item: CST.CollectionItem | undefined, value: readonly unknown[]): boolean {
  const { sep = [], value: list } = item ?? {};
  const isBlock = list?.type === "block-seq";
  const lineEnd = value.length > 0 ? sep.findIndex(({ type }) => type === "newline") : 0;
  const below = isBlock && lineEnd >= 0 ? sep.slice(lineEnd) : [];
  return below.some(({ type }) => type === "comment") || (list ? hasComments(list) : false);
}

/** Returns whether a collection has comments, except after its closing bracket, where they are kept. */
function hasComments(token: CST.Token): boolean {
  if (!("items" in token)) return false;
  const isComment = ({ type }: CST.SourceToken) => type === "comment";
  const isCommented = (part: CST.Token | null | undefined): boolean => {
    if (!part) return false;
    const behind = "end" in part && Array.isArray(part.end) ? part.end : [];
    const before = "props" in part ? part.props.filter((prop) => prop.type === "comment") : [];
    return behind.some(isComment) || before.length > 0 || hasComments(part);
  };
  return token.items.some(
    ({ start, key, sep = [], value }) =>
      [...start, ...sep].some(isComment) || isCommented(key) || isCommented(value),
  );
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

function merge(tree: unknown, changes: Entries): unknown {
  const merged = new Map<string, unknown>(tree instanceof Map ? tree : []);
  for (const [key, value] of Object.entries(changes))
    merged.set(key, isMapping(value) ? merge(merged.get(key), value) : toPlainValue(value));
  return merged;
}

function toPlainValue(value: Value | ValueSource): unknown {
  if (isSource(value)) return isFile(value) ? { "!file": value.path } : undefined;
  if (Array.isArray(value)) return value.map(toPlainValue);
  if (typeof value !== "object") return value;
  return new Map(Object.entries(value).map(([key, part]) => [key, toPlainValue(part as Value)]));
}

function isMapping(value: Entries[string]): value is Entries {
  return typeof value === "object" && !Array.isArray(value) && !isSource(value);
}

interface Writing {
  readonly isQuoted: (text: string) => boolean;
  /** The file's line ending. */
  readonly lineEnd: string;
}

/** A token with a value: an item of a mapping, or the document. */
interface Owner {
  readonly sep?: CST.SourceToken[];
  value?: CST.Token | undefined;
}

/** Puts values into `owner`'s mapping. `column` is the key column to use if the mapping is empty. */
function putAll(owner: Owner, changes: Entries, writing: Writing, column = 0, inFlow = false): boolean {
  const map = owner.value;
  const hasKeys = map && "items" in map && map.items.some(({ key }) => key);
  if (!hasKeys && !inFlow) return putBelow(owner, formatEntries(changes, { ...writing, column }), writing);
  const isMap = map?.type === "block-map" || (map?.type === "flow-collection" && map.start.source === "{");
  if (!isMap) return false;
  const missing: Record<string, Entries[string]> = {};
  const items = new Map(map.items.map((item) => [readKey(item), item]));
  for (const [key, value] of Object.entries(changes)) {
    const item = items.get(key);
    if (!item) missing[key] = value;
    else if (isMapping(value)) {
      if (!putAll(item, value, writing, map.indent + 2, map.type !== "block-map")) return false;
    } else if (!putValue(item, key, value, map, writing)) return false;
  }
  if (Object.keys(missing).length > 0) addEntries(map, missing, writing);
  return true;
}

function readKey({ key }: CST.CollectionItem): string | undefined {
  return CST.isScalar(key) ? CST.resolveAsScalar(key, false)?.value : undefined;
}

/** Puts a block below a key without a value, or turns `links: {} # comment` into `links: # comment` with the block below. */
function putBelow(owner: Owner, block: string, { lineEnd }: Writing): boolean {
  const { value, sep = [] } = owner;
  if (value && value.type !== "flow-collection") return false;
  const [, ...behind] = value?.end ?? [];
  const rest = toText(behind);
  const isAtLineStart = /(?:^|\n)$/.test(toText(sep) + rest);
  owner.value = createRawToken(rest + (isAtLineStart ? "" : lineEnd) + block.replaceAll("\n", lineEnd));
  return true;
}

type MapToken = CST.BlockMap | CST.FlowCollection;

/** Adds entries after the last one or, between braces, before the first, so that the other tokens do not change. */
function addEntries(map: MapToken, entries: Entries, { lineEnd, ...writing }: Writing): void {
  const at = map.items.findLastIndex(({ key }) => key) + 1;
  if (map.type === "flow-collection") {
    const text = formatEntries(entries, { ...writing, flow: true });
    map.items.unshift(createRawItem(at === 0 ? ` ${text} ` : ` ${text},`));
    return;
  }
  const before = CST.stringify({ ...map, items: map.items.slice(0, at) });
  const text = formatEntries(entries, { ...writing, column: map.indent }).replaceAll("\n", lineEnd);
  map.items.splice(at, 0, createRawItem(before.endsWith("\n") ? text : lineEnd + text));
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
    if (CST.isScalar(token)) putScalar(token, value, map.type === "flow-collection", writing);
    return CST.isScalar(token);
  }
  const formatWritten = (flow: boolean) =>
    formatEntries({ [key]: value }, { ...writing, flow, column: map.indent }).replace(/^[^:]*:/, "");
  if (token.type === "flow-collection") {
    item.value = createRawToken(formatWritten(true).trim() + toText(token.end.slice(1)));
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

function putScalar(
  token: CST.FlowScalar | CST.BlockScalar,
  value: string | number | boolean,
  inFlow: boolean,
  { isQuoted, lineEnd }: Writing,
): void {
  const style = typeof value === "string" ? keepStyle(token, value, inFlow, isQuoted) : "PLAIN";
  const isDouble = style === "QUOTE_DOUBLE";
  // With `implicitKey`, the library does not fold texts between double quotes.
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
