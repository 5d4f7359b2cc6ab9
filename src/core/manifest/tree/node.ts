import type { SourceFile, SourceRange } from "../../../base/diagnostics/index.js";
import type { Composition } from "../../templates/index.js";

/**
 * A value in a file, with its position but without the parser's tokens and comments. Merging two trees reuses their
 * nodes, so all positions stay correct.
 */
export type Node = ScalarNode | MapNode | ListNode;

interface NodeFacts extends SourceRange {
  /** Part of the file that contains the node. */
  readonly at: "yaml" | "front-matter" | "body" | "typescript";
  /** Key path from the file's root. */
  readonly trail: Trail | undefined;
  /** Tag before the value, such as `!env`. */
  readonly tag?: Tag;
  /** Whether an error in the node was already reported, so that no more errors follow. */
  broken?: true;
  /** Whether an alias or a merge key refers to the node, so that the node stands for several values. */
  shared?: true;
}

/** A custom tag, which YAML itself does not define. */
export type Tag = `!${string}`;

export interface ScalarNode extends NodeFacts {
  readonly is: "scalar";
  readonly value: string | number | boolean | null;
  /** Whether the file has `template: true` in its front matter. */
  readonly template?: boolean;
  /** Style name from the `yaml` package: PLAIN, QUOTE_DOUBLE, BLOCK_LITERAL… */
  readonly style: string;
}

/** A mapping in written order, with merge keys resolved. */
export interface MapNode extends NodeFacts {
  readonly is: "map";
  readonly entries: ReadonlyMap<string, MapEntry>;
  readonly flow: boolean;
}

export interface ListNode extends NodeFacts {
  readonly is: "list";
  readonly items: readonly Node[];
  readonly flow: boolean;
}

export interface MapEntry {
  readonly range: SourceRange;
  readonly value: Node;
}

/** A key path, stored as a linked list from its last key, so that thousands of paths share their prefixes. */
export interface Trail {
  readonly parent: Trail | undefined;
  readonly key: string | number;
}

/** The position of a value in the files. `file` is the target of symlinks, so that it identifies the file. */
export type NodeOrigin =
  /** A node in a YAML file, by its key path. */
  | { readonly at: "yaml"; readonly file: string; readonly path: readonly (string | number)[] }
  | { readonly at: "front-matter"; readonly file: string; readonly path: readonly (string | number)[] }
  | { readonly at: "body"; readonly file: string }
  /** The text of a whole file, from `!file`. */
  | { readonly at: "file"; readonly file: string }
  /** A template, whose top-level file is `file`. */
  | { readonly at: "template"; readonly file: string; readonly composition: Composition }
  /** A literal in code. avatarops does not edit code. */
  | {
      readonly at: "typescript";
      readonly file: string;
      readonly path: readonly (string | number)[];
      readonly range: SourceRange;
    };

/** Lists a trail's keys, outermost first. */
function toPath(trail: Trail | undefined): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = trail; at; at = at.parent) path.push(at.key);
  return path.reverse();
}

export function toOrigin(node: Node): NodeOrigin {
  const file = node.source.target;
  if (node.at === "body") return { at: "body", file };
  const path = toPath(node.trail);
  return node.at === "typescript"
    ? { at: "typescript", file, path, range: node }
    : { at: node.at, file, path };
}

/** Lists the items of a list or the values of a map. Returns an empty list for a scalar. */
export function listChildren(node: Node): Node[] {
  if (node.is === "list") return [...node.items];
  return node.is === "map" ? Array.from(node.entries.values(), (entry) => entry.value) : [];
}

/** Returns a mapping's entries, or an empty map for other nodes. */
export function listEntries(node: Node | undefined): ReadonlyMap<string, MapEntry> {
  return node?.is === "map" ? node.entries : new Map();
}

/** Returns whether a key has no value, as in `contexts:`. */
export function isEmptyValue(node: Node): boolean {
  return node.is === "scalar" && node.value === null && !node.tag && !node.broken;
}

export function findNodeAt(node: Node | undefined, path: readonly (string | number)[]): Node | undefined {
  return path.reduce<Node | undefined>((at, key) => {
    if (at?.is === "map") return at.entries.get(String(key))?.value;
    return at?.is === "list" ? at.items[Number(key)] : undefined;
  }, node);
}

/** Assigns a property, even one named `__proto__`. */
export function setOwn(record: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Finds the range to show in a diagnostic, which is the deepest node or key that exists on `path`. */
export function findRangeAt(from: SourceRange, node: Node, path: readonly (string | number)[]): SourceRange {
  let range = from;
  let at: Node | undefined = node;
  for (const [i, key] of path.entries()) {
    const last = i === path.length - 1;
    if (at?.is === "map") {
      const entry: MapEntry | undefined = at.entries.get(String(key));
      if (!entry) return range;
      range = last && hasText(entry.value) ? entry.value : entry.range;
      at = entry.value;
    } else if (at?.is === "list") {
      at = at.items[key as number];
      if (at) range = at;
    } else return range;
  }
  return range;
}

/** Returns whether a node has text in the file. The missing value of `key:` has none. */
function hasText(node: Node): boolean {
  return node.end > node.start;
}

/**
 * Merges `over` into `base`. Mappings are merged key by key, and other values are replaced together with their
 * positions.
 */
export function overlayNode(base: Node, over: Node): Node {
  if (base.is !== "map" || base.tag) return over;
  if (over.is === "scalar" && over.value === null && !over.tag) return base;
  if (over.is !== "map" || over.tag) return over;
  const entries = new Map(base.entries);
  for (const [key, entry] of over.entries) {
    const below = entries.get(key);
    const value = below ? overlayNode(below.value, entry.value) : entry.value;
    entries.set(key, below && value !== entry.value ? { range: below.range, value } : entry);
  }
  return { ...base, entries };
}

/** Creates a mapping without a position, for entries from several files. */
export function createMap(source: SourceFile): MapNode {
  return {
    is: "map",
    entries: new Map(),
    flow: false,
    source,
    start: 0,
    end: 0,
    at: "yaml",
    trail: undefined,
  };
}
