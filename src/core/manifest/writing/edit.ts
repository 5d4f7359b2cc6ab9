import { isDeepStrictEqual } from "node:util";
import { openSource, toPlace } from "../../../base/diagnostics/index.js";
import { applySplices, type Splice } from "../../../base/text/index.js";
import { kinds, type Value, withLineFeeds } from "../../kinds/index.js";
import { type SourceEdit, toSplice } from "../../templates/index.js";
import type { Declaration } from "../reading/manifest.js";
import { createCollector, type DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { inFile, markdownParts, textOfFile } from "../tree/markdown.js";
import type { Node, Origin } from "../tree/node.js";
import { projectFiles } from "../tree/project-files.js";
import { hasHalfCharacter } from "../tree/yaml-text.js";
import { yamlTree } from "../tree/yaml-tree.js";
import { toEntry } from "./entry-text.js";
import { writeFiles } from "./write-files.js";
import { spliceForEntries } from "./yaml-add.js";
import { spliceFor } from "./yaml-edit.js";

export interface Edit {
  readonly origin: Origin;
  readonly value: Value;
  /** What to replace in the files that the text is made of. */
  readonly replaced?: readonly SourceEdit[] | undefined;
  /** It is not there yet, and neither are, perhaps, the mappings around it. */
  readonly adds?: boolean;
}

/** A file whose text changes; both texts without a byte order mark. */
export interface EditedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

export interface WrittenBack {
  readonly files: readonly EditedFile[];
  /** The edits that could not be written, and why: the end of a sentence. */
  readonly refused: readonly { readonly origin: Origin; readonly reason: string }[];
}

/**
 * Writes live values back to their places in the files and keeps everything else byte for byte. Computes all
 * files and reads them again before it writes the first; refuses a file in which anything but the wanted
 * values would change.
 */
export async function writeBack(root: string, edits: readonly Edit[]): Promise<WrittenBack> {
  const edited = editFiles(root, edits);
  await writeFiles(root, edited.files);
  return edited;
}

/** What {@link writeBack} would do, without writing. */
export function editFiles(root: string, edits: readonly Edit[]): WrittenBack {
  const collector = createCollector();
  const files = projectFiles(root, collector);
  const refused: { origin: Origin; reason: string }[] = [];
  const splices = new Map<string, readonly Splice[]>();
  for (const [file, all] of groupByFile(edits.filter(({ replaced }) => !replaced))) {
    const own = all.filter((edit) => !refuseCode(edit, refused));
    if (own.length === 0) continue;
    const before = files.open(file, undefined)?.text;
    const refuse = (edit: Edit, reason: string) => refused.push({ origin: edit.origin, reason });
    if (before === undefined) {
      for (const edit of own) refuse(edit, "the file cannot be read");
      continue;
    }
    splices.set(file, edit(file, before, own.map(asDeclared), refuse));
  }
  for (const { origin, replaced = [] } of edits) {
    const added = Array.from(new Set(replaced.map(({ range }) => range.source)), (source) => {
      const own = replaced.filter(({ range }) => range.source === source).map(toSplice);
      return { source, all: [...(splices.get(source.file) ?? []), ...own] };
    });
    const isPossible = added.every(
      ({ source: { file, text }, all }) =>
        files.open(file, undefined)?.text === text && applySplices(text, all) !== undefined,
    );
    if (isPossible) for (const { source, all } of added) splices.set(source.file, all);
    else refused.push({ origin, reason: "a file that it is made of was edited, too: run the command again" });
  }
  const edited = Array.from(splices, ([file, own]) => {
    const before = files.open(file, undefined)?.text ?? "";
    return { file, before, after: applySplices(before, own) ?? before };
  });
  return { files: edited.filter(({ before, after }) => after !== before), refused };
}

/** Code is executed: which of its text makes a value is unknown, so it cannot be edited. */
function refuseCode({ origin }: Edit, refused: { origin: Origin; reason: string }[]): boolean {
  if (origin.at !== "typescript") return false;
  const { line } = toPlace(origin.range);
  const advice = "write the live text there, or move it to a file and use `promptFile(…)`";
  refused.push({
    origin,
    reason: `the code at line ${line} makes it, and avatarops does not edit code: ${advice}`,
  });
  return true;
}

/**
 * Where to write a field of an object that the object does not declare yet: beside its name field. Undefined
 * if the name is not in a file either.
 */
export function originFor({ kind, origins }: Declaration, field: string): Origin | undefined {
  const own = origins[field];
  if (own) return own;
  const beside = origins[kind.label] ?? Object.values(origins).find((origin) => "path" in origin);
  if (!beside || !("path" in beside)) return undefined;
  return { ...beside, path: [...beside.path.slice(0, -1), field] };
}

function groupByFile(edits: readonly Edit[]): Map<string, Edit[]> {
  const groups = new Map<string, Edit[]>();
  for (const edit of edits) {
    const { file } = edit.origin;
    const group = groups.get(file);
    if (group) group.push(edit);
    else groups.set(file, [edit]);
  }
  return groups;
}

type Refuse = (edit: Edit, reason: string) => void;

/** What to replace in a file; refused edits are left out. */
function edit(file: string, before: string, edits: readonly Edit[], refuse: Refuse): readonly Splice[] {
  const lineEnd = /\r?\n/.exec(before)?.[0] === "\r\n" ? "\r\n" : "\n";
  const splices: Splice[] = [];
  const made: Edit[] = [];
  let root: Node | undefined;
  // All that have a path are in the file's one part of YAML, which is parsed for the first of them.
  const rootAt = (at: "yaml" | "front-matter") => {
    root ??= parseTree(file, before, at);
    return root;
  };
  const added = edits.filter(({ adds }) => adds);
  for (const edit of edits.filter(({ adds }) => !adds)) {
    const splice = makeSplice(file, before, edit, lineEnd, rootAt);
    if (typeof splice === "string") refuse(edit, splice);
    else {
      splices.push(splice);
      made.push(edit);
    }
  }
  let after = applySplices(before, splices);
  for (const edit of added) {
    const splice = after === undefined ? "its file is not valid" : spliceToAdd(file, after, edit);
    if (typeof splice === "string") refuse(edit, splice);
    else {
      after = applySplices(after ?? "", [{ ...splice, text: splice.text.replaceAll("\n", lineEnd) }]);
      made.push(edit);
    }
  }
  if (after !== undefined && isAsWanted(file, before, after, made))
    return added.length > 0 ? [{ start: 0, end: before.length, text: after }] : splices;
  for (const edit of made) refuse(edit, "avatarops cannot edit the surrounding text safely");
  return [];
}

/** One after the other, because two of them may need the same mapping. */
function spliceToAdd(file: string, text: string, { origin, value }: Edit): Splice | string {
  const root = parseTree(file, text, "yaml");
  if (!root || !("path" in origin)) return "its file is not valid";
  const path = origin.path.map(String);
  return spliceForEntries(root, path.slice(0, -1), [toEntry(path.at(-1) ?? "", value)]);
}

function makeSplice(
  file: string,
  text: string,
  { origin, value }: Edit,
  lineEnd: "\n" | "\r\n",
  rootAt: (at: "yaml" | "front-matter") => Node | undefined,
): Splice | string {
  if (origin.at === "implied" || origin.at === "typescript") return "it has no text of its own in the files";
  if (origin.at === "template") return "it lies in no single file of those that it is made of";
  if (origin.at === "file" || origin.at === "body") {
    if (typeof value !== "string") return "this place cannot hold a list";
    if (hasHalfCharacter(value)) return "it has half of a surrogate pair, which UTF-8 cannot encode";
    const start = origin.at === "file" ? 0 : markdownParts(openSource(file, text)).bodyStart;
    const gap = start > 0 && text.charAt(start - 1) !== "\n" ? lineEnd : "";
    return { start, end: text.length, text: gap + inFile(value, lineEnd) };
  }
  const root = rootAt(origin.at);
  if (!root) return "its file is not valid";
  const splice = spliceFor(root, origin.path, value);
  if (typeof splice === "string") return splice;
  return { ...splice, text: splice.text.replaceAll("\n", lineEnd) };
}

/** The tree of a file, or of its front matter; undefined if it is not valid. */
export function parseTree(file: string, text: string, at: "yaml" | "front-matter"): Node | undefined {
  const source = openSource(file, text);
  const part = at === "yaml" ? { source, at, start: 0, end: text.length } : markdownParts(source).frontMatter;
  const collector: DiagnosticsCollector = createCollector();
  const tree = part && yamlTree(part, collector);
  return tree?.isWhole && !collector.hasErrors ? tree.root : undefined;
}

/** Parses both texts: they must be equal except for the edited values. */
function isAsWanted(file: string, before: string, after: string, edits: readonly Edit[]): boolean {
  const expected = readContent(file, before, edits);
  for (const { origin, value } of edits) {
    if (origin.at === "body") expected.body = value;
    else if (origin.at === "file") expected.whole = value;
    else if (origin.at !== "implied" && origin.at !== "template") setAt(expected.tree, origin.path, value);
  }
  return isDeepStrictEqual(readContent(file, after, edits), expected);
}

/** The content of a file, as far as these edits concern it. */
function readContent(file: string, text: string, edits: readonly Edit[]) {
  const at = new Set(edits.map(({ origin }) => origin.at));
  const { bodyStart } = markdownParts(openSource(file, text));
  const isMarkdown = at.has("body") || at.has("front-matter");
  const tree = at.has("file") ? undefined : parseTree(file, text, isMarkdown ? "front-matter" : "yaml");
  return {
    whole: at.has("file") ? (textOfFile(text) as Value) : undefined,
    body: isMarkdown ? (textOfFile(text, bodyStart) as Value) : undefined,
    tree: tree && plainTree(tree),
  };
}

/** A tree as plain values, without places. */
export function plainTree(node: Node): unknown {
  if (node.is === "scalar") return node.tag ? { [node.tag]: node.value } : node.value;
  if (node.is === "list") return node.items.map(plainTree);
  return new Map(Array.from(node.entries, ([key, entry]) => [key, plainTree(entry.value)]));
}

function setAt(tree: unknown, path: readonly (string | number)[], value: Value): void {
  const last = path.at(-1);
  const owner = path.slice(0, -1).reduce<unknown>((at, key) => {
    if (!(at instanceof Map)) return Array.isArray(at) ? at[Number(key)] : undefined;
    const next = at.get(key) ?? new Map();
    at.set(key, next);
    return next;
  }, tree);
  if (!(owner instanceof Map)) return;
  owner.set(last, plainValue(value));
}

/** As {@link plainTree} gives it. */
export function plainValue(value: Value): unknown {
  return typeof value === "object" ? value.map((item) => new Map(Object.entries(item))) : value;
}

/** In the form in which files declare it: with line feeds, and without the server-assigned keys of list entries. */
function asDeclared({ value, ...edit }: Edit): Edit {
  const { origin } = edit;
  if (typeof value !== "object")
    return { ...edit, value: typeof value === "string" ? withLineFeeds(value) : value };
  const name = "path" in origin ? origin.path.at(-1) : undefined;
  const assigned = kinds.flatMap(({ fields }) => {
    const field = fields[String(name)];
    return field?.type === "list" ? field.serverKeys : [];
  });
  const declared = value.map((item) =>
    Object.fromEntries(
      Object.entries(item).flatMap(([key, text]) =>
        assigned.includes(key) ? [] : [[key, withLineFeeds(text)]],
      ),
    ),
  );
  return { ...edit, value: declared };
}
