import type { Source, SourceRange } from "../diagnostics/index.js";
import type { Origin } from "./manifest.js";

/**
 * What the files say, as a tree in which each node knows where it stands. It is built from YAML's own tree, which is
 * then let go, and is small: no tokens, no comments. Overlaying one tree with another keeps all places right, because
 * the nodes themselves are combined.
 */
export type Node = ScalarNode | MapNode | ListNode;

interface NodeFacts extends SourceRange {
  /** In which part of its file. */
  readonly at: "yaml" | "front-matter" | "body" | "typescript";
  /** The keys from the file's root. */
  readonly trail: Trail | undefined;
  /** `!env`, `!file` or `!exec`. */
  readonly tag?: Tag;
  /** Something in it could not be understood and was reported: say nothing more about it. */
  readonly broken?: true;
  /** An alias or a merge key refers to it, so that it stands for several values. */
  shared?: true;
}

/** A tag with a meaning of our own. */
export type Tag = "!env" | "!file" | "!exec";

/** A text, number, truth value or nothing. */
export interface ScalarNode extends NodeFacts {
  readonly is: "scalar";
  readonly value: string | number | boolean | null;
  /** As `yaml` names styles: PLAIN, QUOTE_DOUBLE, BLOCK_LITERAL… */
  readonly style: string;
}

/** A mapping, in the order written; merge keys are resolved. */
export interface MapNode extends NodeFacts {
  readonly is: "map";
  readonly entries: ReadonlyMap<string, Entry>;
  readonly flow: boolean;
}

/** A list. */
export interface ListNode extends NodeFacts {
  readonly is: "list";
  readonly items: readonly Node[];
  readonly flow: boolean;
}

/** One key of a mapping. */
export interface Entry {
  /** Where the key stands. */
  readonly range: SourceRange;
  readonly value: Node;
}

/** A path of keys, linked from its end, so that thousands share their beginnings. */
export interface Trail {
  readonly parent: Trail | undefined;
  readonly key: string | number;
}

/** The keys of a trail, outermost first. */
function pathOf(trail: Trail | undefined): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = trail; at; at = at.parent) path.push(at.key);
  return path.reverse();
}

/** Where a node's value stands, for writing it back. */
export function originOf(node: Node): Origin {
  const { file } = node.source;
  if (node.at === "body") return { at: "body", file };
  const path = pathOf(node.trail);
  return node.at === "typescript"
    ? { at: "typescript", file, path, range: node }
    : { at: node.at, file, path };
}

/** A list node's items, a map's values; nothing of a scalar. */
export function childrenOf(node: Node): Node[] {
  if (node.is === "list") return [...node.items];
  return node.is === "map" ? Array.from(node.entries.values(), (entry) => entry.value) : [];
}

/** The deepest node or key on the way along `path`: where to point at for a problem with that path. */
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

/** Whether there is any text to point at: not for `key:` with nothing behind it. */
function isWritten(node: Node): boolean {
  return node.end > node.start;
}

/** `over` laid on `base`: mappings are merged key by key, everything else is replaced. */
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

/** A mapping that stands nowhere: what several files make together. */
export function emptyMap(source: Source): MapNode {
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
