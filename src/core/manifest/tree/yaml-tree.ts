import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type ParsedNode,
  parseDocument,
  Scalar,
  type ScalarTag,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import type { SourceFile, SourceRange } from "../../../base/diagnostics/index.js";
import { findConflict, reportConflict } from "./conflicts.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import type { MapEntry, Node, Tag, Trail } from "./node.js";

/** The YAML part of a file: the whole file, or the front matter of a Markdown file. */
export interface YamlPart {
  readonly source: SourceFile;
  readonly at: "yaml" | "front-matter";
  readonly start: number;
  readonly end: number;
}

/** Maximum number of nodes that all aliases of a file may expand to, far above any real file. */
const maxAliasNodes = 100_000;

/**
 * Registers `!file`, because the parser creates a warning with a stack trace for each unknown tag, which is slow with
 * thousands of prompts.
 */
const fileTag: ScalarTag = { tag: "!file", resolve: (text) => text };

export interface YamlTree {
  readonly part: YamlPart;
  /** Root node, or undefined if the text is empty. */
  readonly root: Node | undefined;
  /** Whether the text has no syntax errors. If false, the tree can only be used for redaction. */
  readonly isWhole: boolean;
}

export function parseYamlTree(part: YamlPart, collector: DiagnosticsCollector): YamlTree {
  const text = part.source.text.slice(part.start, part.end);
  try {
    // Duplicate keys are reported below. `uniqueKeys` takes quadratic time, and reports only one of the two positions.
    const document = parseDocument(text, {
      ...{ uniqueKeys: false, prettyErrors: false, logLevel: "error" },
      customTags: [fileTag],
      // Tags such as `!!omap` would create nodes of other classes.
      resolveKnownTags: false,
    });
    const isWhole = document.errors.length === 0;
    // Searches the whole file, because a merge conflict may start in the front matter and end in the body.
    const conflict = isWhole ? undefined : findConflict({ ...part, end: part.source.text.length });
    // Most other errors follow from the first.
    const [error] = document.errors;
    if (error && /call stack/i.test(error.message)) throw new RangeError(error.message);
    if (conflict) reportConflict(conflict, collector);
    else if (error) reportSyntax(error, part, collector);
    const builder: Builder = { part, collector, isWhole, anchors: new Map(), budget: maxAliasNodes };
    const contents = document.contents as ParsedNode | null;
    const isEmpty = !contents || (isScalar(contents) && contents.source === "" && !contents.tag);
    return { part, root: isEmpty ? undefined : buildNode(contents, undefined, builder).node, isWhole };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    collector.error("yaml-syntax", `${part.source.file} is nested too deeply`, toRange(part, 0, 1));
    return { part, root: undefined, isWhole: false };
  }
}

interface Builder {
  readonly part: YamlPart;
  readonly collector: DiagnosticsCollector;
  readonly isWhole: boolean;
  /** Anchored nodes by name, or "open" while a node is being built. An alias inside an open node would be recursive. */
  readonly anchors: Map<string, BuiltNode | "open">;
  budget: number;
}

/** A node, and the number of nodes in it after alias expansion. */
interface BuiltNode {
  readonly node: Node;
  readonly size: number;
}

function buildNode(from: ParsedNode, trail: Trail | undefined, builder: Builder): BuiltNode {
  if (isAlias(from)) return resolveAlias(from, trail, builder);
  const { anchor } = from;
  if (anchor) builder.anchors.set(anchor, "open");
  const built = buildOwnNode(from, trail, builder);
  if (anchor) builder.anchors.set(anchor, built);
  return built;
}

function buildOwnNode(
  from: Exclude<ParsedNode, Alias.Parsed>,
  trail: Trail | undefined,
  builder: Builder,
): BuiltNode {
  const facts = { ...findRange(from, builder), at: builder.part.at, trail, ...readTag(from) };
  if (isMap(from)) {
    const { entries, size } = buildEntries(from, trail, builder);
    return { node: { ...facts, is: "map", entries, flow: from.flow === true }, size };
  }
  if (isSeq(from)) {
    const items = from.items.map((item, i) =>
      buildNode(item as ParsedNode, { parent: trail, key: i }, builder),
    );
    const size = items.reduce((sum, item) => sum + item.size, 1);
    return {
      node: { ...facts, is: "list", items: items.map(({ node }) => node), flow: from.flow === true },
      size,
    };
  }
  const value =
    typeof from.value === "bigint" ? Number(from.value) : (from.value as string | number | boolean | null);
  return { node: { ...facts, is: "scalar", value, style: from.type ?? Scalar.PLAIN }, size: 1 };
}

function buildEntries(map: YAMLMap.Parsed, trail: Trail | undefined, builder: Builder) {
  const explicit = new Map<string, MapEntry>();
  const merged: Node[] = [];
  let size = 1;
  for (const pair of map.items as Pair<ParsedNode, ParsedNode | null>[]) {
    const range = findRange(pair.key, builder);
    const key = readKey(pair.key, range, builder);
    if (key === undefined) continue;
    // A key without a colon has no value node, so an empty one is created.
    const nothing = Object.assign(new Scalar(null), {
      range: [pair.key.range[1], pair.key.range[1], pair.key.range[1]],
    });
    const built = buildNode(pair.value ?? (nothing as ParsedNode), { parent: trail, key }, builder);
    size += built.size;
    const before = explicit.get(key);
    if (isMergeKey(pair.key)) merged.push(built.node);
    else if (!before) explicit.set(key, { range, value: built.node });
    else if (builder.isWhole) {
      const { line } = before.range.source.locate(before.range.start);
      const hint = `remove or rename one (the first is at ${range.source.file}:${line})`;
      builder.collector.error(
        "duplicate-name",
        `${JSON.stringify(key)} is used twice in one mapping`,
        range,
        hint,
      );
    }
  }
  return { entries: merged.length === 0 ? explicit : mergeEntries(explicit, merged, builder), size };
}

/** Merges mappings. Explicit keys override merged keys, and earlier mappings override later mappings. */
function mergeEntries(
  explicit: Map<string, MapEntry>,
  merged: readonly Node[],
  builder: Builder,
): Map<string, MapEntry> {
  const entries = new Map(explicit);
  for (const node of merged.flatMap((node) => (node.is === "list" ? node.items : [node]))) {
    if (node.is !== "map") {
      if (!node.broken)
        builder.collector.error("wrong-type", '"<<" can only merge mappings', node, "write <<: *anchor");
      continue;
    }
    for (const [key, entry] of node.entries) if (!entries.has(key)) entries.set(key, entry);
  }
  return entries;
}

function isMergeKey(key: ParsedNode): boolean {
  return isScalar(key) && key.value === "<<" && key.type === Scalar.PLAIN;
}

function readKey(key: ParsedNode, range: SourceRange, { collector, isWhole }: Builder): string | undefined {
  if (isScalar(key) && key.value !== null) return String(key.source ?? key.value);
  if (isWhole) collector.error("wrong-type", "a key must be a string", range);
  return undefined;
}

function resolveAlias(alias: Alias.Parsed, trail: Trail | undefined, builder: Builder): BuiltNode {
  const range = findRange(alias, builder);
  const known = builder.anchors.get(alias.source);
  const broken: Node = {
    ...range,
    at: builder.part.at,
    trail,
    is: "scalar",
    value: null,
    style: Scalar.PLAIN,
    broken: true,
  };
  if (known === undefined) {
    builder.collector.error("yaml-syntax", `there is no anchor &${alias.source} before this alias`, range);
    return { node: broken, size: 1 };
  }
  if (known === "open") {
    builder.collector.error("alias-expansion", `*${alias.source} contains itself`, range);
    return { node: broken, size: 1 };
  }
  builder.budget -= known.size;
  if (builder.budget < 0) {
    const message = `the aliases in ${range.source.file} expand to more than ${maxAliasNodes} values`;
    if (builder.budget + known.size >= 0) {
      builder.collector.error(
        "alias-expansion",
        message,
        range,
        "write the values out, or use fewer nested aliases",
      );
    }
    return { node: broken, size: 1 };
  }
  known.node.shared = true;
  return known;
}

const coreTag = /^(!|tag:yaml\.org,2002:(str|int|float|bool|null|map|seq))$/;

function readTag(from: ParsedNode): { tag?: Tag } {
  const { tag } = from;
  if (!tag || coreTag.test(tag)) return {};
  const short = tag.replace(/^tag:yaml\.org,2002:/, "!!");
  return { tag: short.startsWith("!") ? (short as Tag) : `!${short}` };
}

function findRange(node: ParsedNode, { part }: Builder): SourceRange {
  return toRange(part, node.range[0], node.range[1]);
}

function toRange(part: YamlPart, start: number, end: number): SourceRange {
  return { source: part.source, start: part.start + start, end: part.start + end };
}

function reportSyntax(error: YAMLError, part: YamlPart, collector: DiagnosticsCollector): void {
  // Removes quoted text, because it may contain a secret that the user pasted into the file.
  const text = error.message.replace(/(: )?"[^"]{4,}"/g, "").replace(/; please use .*/s, "");
  const sentence = text.charAt(0).toLowerCase() + text.slice(1);
  const isVariable = part.source.text.slice(0, part.start + error.pos[0]).endsWith("$");
  const hint = isVariable
    ? "write only the variable name, such as `!env KEY`, or put quotes around a string that contains ${…}"
    : sentence.startsWith("nested mappings")
      ? 'put quotes around a string that contains ": ", or align the next key with this one'
      : undefined;
  collector.error("yaml-syntax", `this is not valid YAML: ${sentence}`, toRange(part, ...error.pos), hint);
}
