import type { SourceFile, SourceRange } from "../../../base/diagnostics/index.js";
import type { Composition } from "../../templates/index.js";

/**
 * The content of the files as a tree in which each node knows its place. It is built from the parser's tree,
 * which is then freed, and is small: no tokens, no comments. Merging two trees keeps all places right,
 * because it combines the nodes themselves.
 */
export type Node = ScalarNode | MapNode | ListNode;

interface NodeFacts extends SourceRange {
  /** The part of its file it is in. */
  readonly at: "yaml" | "front-matter" | "body" | "typescript";
  /** The keys from the file's root. */
  readonly trail: Trail | undefined;
  /** Names a kind of source: `!env`. */
  readonly tag?: Tag;
  /** Part of it was invalid and has been reported: report nothing more about it. */
  broken?: true;
  /** An alias or a merge key refers to it, so it stands for several values. */
  shared?: true;
}

/** A tag that YAML itself does not define. */
export type Tag = `!${string}`;

export interface ScalarNode extends NodeFacts {
  readonly is: "scalar";
  readonly value: string | number | boolean | null;
  /** It is the body of a file that says it is a template. */
  readonly template?: boolean;
  /** In the names of the `yaml` package: PLAIN, QUOTE_DOUBLE, BLOCK_LITERAL… */
  readonly style: string;
}

/** A mapping, in the order written, with merge keys resolved. */
export interface MapNode extends NodeFacts {
  readonly is: "map";
  readonly entries: ReadonlyMap<string, Entry>;
  readonly flow: boolean;
}

export interface ListNode extends NodeFacts {
  readonly is: "list";
  readonly items: readonly Node[];
  readonly flow: boolean;
}

export interface Entry {
  readonly range: SourceRange;
  readonly value: Node;
}

/** A path of keys, linked from its end, so that thousands of paths share their beginnings. */
export interface Trail {
  readonly parent: Trail | undefined;
  readonly key: string | number;
}

/** Where a value is written in the files. */
export type Origin =
  /** A node of a YAML file, by its path of keys. */
  | { readonly at: "yaml"; readonly file: string; readonly path: readonly (string | number)[] }
  | { readonly at: "front-matter"; readonly file: string; readonly path: readonly (string | number)[] }
  | { readonly at: "body"; readonly file: string }
  /** The whole of a text file named with `!file`. */
  | { readonly at: "file"; readonly file: string }
  /** A text that is made of partials and variables; `file` is the one that names the others. */
  | { readonly at: "template"; readonly file: string; readonly composition: Composition }
  /** A literal in code, which avatarops does not edit. */
  | {
      readonly at: "typescript";
      readonly file: string;
      readonly path: readonly (string | number)[];
      readonly range: SourceRange;
    };

/** The keys of a trail, outermost first. */
function toPath(trail: Trail | undefined): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = trail; at; at = at.parent) path.push(at.key);
  return path.reverse();
}

export function toOrigin(node: Node): Origin {
  const { file } = node.source;
  if (node.at === "body") return { at: "body", file };
  const path = toPath(node.trail);
  return node.at === "typescript"
    ? { at: "typescript", file, path, range: node }
    : { at: node.at, file, path };
}

/** The items of a list node, the values of a map node; none for a scalar. */
export function listChildren(node: Node): Node[] {
  if (node.is === "list") return [...node.items];
  return node.is === "map" ? Array.from(node.entries.values(), (entry) => entry.value) : [];
}

/** The entries of a mapping; none if there is no node, or another one. */
export function entriesIn(node: Node | undefined): ReadonlyMap<string, Entry> {
  return node?.is === "map" ? node.entries : new Map();
}

/** Whether it is a key without a value: `contexts:`. */
export function isNothing(node: Node): boolean {
  return node.is === "scalar" && node.value === null && !node.tag && !node.broken;
}

export function nodeAt(node: Node | undefined, path: readonly (string | number)[]): Node | undefined {
  return path.reduce<Node | undefined>((at, key) => {
    if (at?.is === "map") return at.entries.get(String(key))?.value;
    return at?.is === "list" ? at.items[Number(key)] : undefined;
  }, node);
}

/** Like assignment, but treats a key named `__proto__` like any other. */
export function setOwn(record: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The deepest node or key along `path`: where to report a problem with that path. */
export function rangeAt(from: SourceRange, node: Node, path: readonly (string | number)[]): SourceRange {
  let range = from;
  let at: Node | undefined = node;
  for (const [i, key] of path.entries()) {
    const last = i === path.length - 1;
    if (at?.is === "map") {
      const entry: Entry | undefined = at.entries.get(String(key));
      if (!entry) return range;
      range = last && isWritten(entry.value) ? entry.value : entry.range;
      at = entry.value;
    } else if (at?.is === "list") {
      at = at.items[key as number];
      if (at) range = at;
    } else return range;
  }
  return range;
}

/** Whether there is any text to point at: there is none after `key:` without a value. */
function isWritten(node: Node): boolean {
  return node.end > node.start;
}

/** Merges `over` into `base`: mappings key by key; everything else is replaced. */
export function overlay(base: Node, over: Node): Node {
  if (base.is !== "map" || base.tag) return over;
  if (over.is === "scalar" && over.value === null && !over.tag) return base;
  if (over.is !== "map" || over.tag) return over;
  const entries = new Map(base.entries);
  for (const [key, entry] of over.entries) {
    const below = entries.get(key);
    entries.set(key, below ? { range: below.range, value: overlay(below.value, entry.value) } : entry);
  }
  return { ...base, entries };
}

/** A mapping without a place, combined from several files. */
export function emptyMap(source: SourceFile): MapNode {
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
