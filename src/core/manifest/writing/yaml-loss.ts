import { CST, Parser } from "yaml";
import { openSourceFile } from "../../../base/diagnostics/index.js";
import type { Value } from "../../kinds/index.js";
import { createCollector } from "../tree/diagnostics-collector.js";
import { findNodeAt, type Node } from "../tree/node.js";
import { parseYamlTree } from "../tree/yaml-tree.js";
import { ListEdit } from "./list-edit.js";

/* Finds comments, tags and aliases that a YAML edit would lose. */

/** Parses YAML. Returns undefined if it is invalid. */
export function parseYaml(text: string): Node | undefined {
  const collector = createCollector();
  const source = openSourceFile("", text);
  const { root, isWhole } = parseYamlTree({ source, at: "yaml", start: 0, end: text.length }, collector);
  return isWhole && !collector.hasErrors ? root : undefined;
}

/** Explains why a value cannot be edited. Returns undefined if it can, even if the value does not exist yet. */
export function findObstacle(root: Node, path: readonly (string | number)[]): string | undefined {
  for (let length = 0; length <= path.length; length += 1) {
    const node = findNodeAt(root, path.slice(0, length));
    if (node?.shared)
      return "an alias or a merge key shares it, so edit it by hand, or replace the alias with its value";
    if (node?.tag) return describeSource(node);
  }
  return undefined;
}

function describeSource(node: Node): string {
  const from = `it comes from ${node.tag}`;
  return node.tag === "!file" && node.is === "scalar"
    ? `${from} ${node.value}, so edit that file by hand`
    : `${from}, so change it there by hand`;
}

const lostComments =
  "the list has comments that would be lost, so edit the list by hand, or remove the comments";

const describeLostSource = (source: string) =>
  `the edit would replace the part of the list that comes from ${source}, so edit the list by hand`;

type KeyPath = readonly (string | number)[];

/** Explains which comments, aliases or tags a write would delete. Returns undefined if nothing would be lost. */
export function findLoss(
  findItem: FindItem,
  root: Node,
  path: KeyPath,
  value: Value | ListEdit,
): string | undefined {
  if (value instanceof ListEdit) return findLossInList(findItem(path), root, path, value);
  if (Array.isArray(value)) {
    const list = findNodeAt(root, path);
    if (list?.is !== "list") return undefined;
    const source = findSource(list);
    if (source !== undefined) return describeLostSource(source);
    return doesLoseComments(findItem(path), value) ? lostComments : undefined;
  }
  if (typeof value !== "object") return undefined;
  for (const [key, part] of Object.entries(value)) {
    const loss = findLoss(findItem, root, [...path, key], part as Value);
    if (loss !== undefined) return loss;
  }
  return undefined;
}

/** Computes the changes to a list's entries. Returns undefined if the list must be replaced as a whole. */
export function findListEdit(
  findItem: FindItem,
  root: Node,
  path: KeyPath,
  before: Value | undefined,
  after: Value,
): ListEdit | undefined {
  const list = findNodeAt(root, path);
  if (list?.is !== "list" || list.tag || list.shared || !Array.isArray(before) || !Array.isArray(after))
    return undefined;
  if (list.items.length !== before.length || after.length === 0) return undefined;
  const edit = new ListEdit(before, after);
  const { type } = findItem(path)?.value ?? {};
  return type === "block-seq" || (type === "flow-collection" && !edit.isRestructured) ? edit : undefined;
}

/** Explains why an entry cannot be removed or edited. */
function findLossInList(
  item: CST.CollectionItem | undefined,
  root: Node,
  path: KeyPath,
  edit: ListEdit,
): string | undefined {
  const { sep = [], value: list } = item ?? {};
  const aboveFirst = sep.slice(sep.findIndex(({ type }) => type === "newline") + 1);
  if (
    edit.entries[0]?.from !== 0 &&
    list?.type === "block-seq" &&
    aboveFirst.some(({ type }) => type === "comment")
  )
    return lostComments;
  for (const at of edit.removed) {
    const node = findNodeAt(root, [...path, at]);
    const source = node && findSource(node);
    if (source !== undefined) return describeLostSource(source);
    const entry = list && "items" in list ? list.items[at] : undefined;
    if (entry && list && hasComments({ ...list, items: [entry] } as CST.BlockSequence)) return lostComments;
  }
  const edited = edit.entries.flatMap(({ from, parts, value }): KeyPath[] => {
    if (from === undefined) return [];
    return [
      ...Object.keys(parts ?? {}).map((name) => [from, name]),
      ...(value === undefined ? [] : [[from]]),
    ];
  });
  const obstacles = edited.map((at) => findObstacle(root, [...path, ...at]));
  return obstacles.find((obstacle) => obstacle !== undefined);
}

/** Describes a tag, alias or merge key in a list, if there is one. */
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

/** Finds the tokens of an entry by its path. */
export type FindItem = (path: KeyPath) => CST.CollectionItem | undefined;

/**
 * Returns a function that finds entries by path. It parses the text on the first call and indexes the mappings, so that
 * further calls are fast.
 */
export function createItemFinder(text: string): FindItem {
  let document: CST.Document | undefined;
  const indexes = new Map<CST.Token, ReadonlyMap<string | number | undefined, CST.CollectionItem>>();
  const findIn = (token: CST.Token | undefined, key: string | number) => {
    if (!token || !("items" in token)) return undefined;
    const items: readonly CST.CollectionItem[] = token.items;
    const index = indexes.get(token) ?? new Map(items.map((item) => [readKey(item), item]));
    indexes.set(token, index);
    return index.get(key);
  };
  return (path) => {
    document ??= [...new Parser().parse(text)].find((token) => token.type === "document");
    let item: CST.CollectionItem | undefined;
    for (const [at, key] of path.entries()) item = findIn(at === 0 ? document?.value : item?.value, key);
    return item;
  };
}

/** Returns whether replacing a list loses comments. Comments on the key's line stay unless the new list is empty. */
function doesLoseComments(item: CST.CollectionItem | undefined, value: readonly unknown[]): boolean {
  const { sep = [], value: list } = item ?? {};
  const isBlock = list?.type === "block-seq";
  const lineEnd = value.length > 0 ? sep.findIndex(({ type }) => type === "newline") : 0;
  const below = isBlock && lineEnd >= 0 ? sep.slice(lineEnd) : [];
  return below.some(({ type }) => type === "comment") || (list ? hasComments(list) : false);
}

/** Returns whether a collection has comments. Ignores those after its closing bracket, which are kept. */
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

export function readKey({ key }: CST.CollectionItem): string | undefined {
  return CST.isScalar(key) ? CST.resolveAsScalar(key, false)?.value : undefined;
}
