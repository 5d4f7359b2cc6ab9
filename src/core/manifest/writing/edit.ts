import { isDeepStrictEqual } from "node:util";
import { openSource, toPlace } from "../../../base/diagnostics/index.js";
import { applySplices, type Splice } from "../../../base/text/index.js";
import { kinds, type Value, withLineFeeds } from "../../kinds/index.js";
import { editSource, putBack, type SourceEdit, type Unplaced } from "../../templates/index.js";
import type { Declaration } from "../reading/manifest.js";
import { createCollector, type DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { inFile, markdownParts, textOfFile } from "../tree/markdown.js";
import type { Node, Origin } from "../tree/node.js";
import { projectFiles } from "../tree/project-files.js";
import { hasHalfCharacter } from "../tree/yaml-text.js";
import { yamlTree } from "../tree/yaml-tree.js";
import { writeFiles } from "./write-files.js";
import { spliceFor } from "./yaml-edit.js";

export interface Edit {
  readonly origin: Origin;
  readonly value: Value;
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
  const isComposed = ({ origin }: Edit) => origin.at === "template";
  const byFile = groupByFile(edits.filter((edit) => !isComposed(edit)));
  const result: EditedFile[] = [];
  for (const [file, all] of byFile) {
    const own = all.filter((edit) => !refuseCode(edit, refused));
    if (own.length === 0) continue;
    const before = files.open(file, undefined)?.text;
    const refuse = (edit: Edit, reason: string) => refused.push({ origin: edit.origin, reason });
    if (before === undefined) {
      for (const edit of own) refuse(edit, "the file cannot be read");
      continue;
    }
    const after = edit(file, before, own.map(asDeclared), refuse);
    if (after !== before) result.push({ file, before, after });
  }
  const composed = editComposed(
    edits.filter(isComposed),
    result,
    (file) => files.open(file, undefined)?.text,
  );
  return { files: composed.files, refused: [...refused, ...composed.refused] };
}

/** The edits of texts that are made of several files, after the others: each lands in the file that it belongs to. */
function editComposed(
  edits: readonly Edit[],
  others: readonly EditedFile[],
  read: (file: string) => string | undefined,
): WrittenBack {
  const files = new Map(others.map((one) => [one.file, one]));
  const refused: WrittenBack["refused"][number][] = [];
  const made: SourceEdit[] = [];
  for (const { origin, value } of edits) {
    if (origin.at !== "template" || typeof value !== "string") continue;
    const put = putBack(origin.composition, value);
    if ("unplaced" in put) refused.push({ origin, reason: describeUnplaced(put.unplaced) });
    else if (
      put.edits.some(({ range: { source } }) => read(source.file) !== source.text || files.has(source.file))
    )
      refused.push({ origin, reason: "its file has other changes: run the command again" });
    else made.push(...put.edits);
  }
  for (const source of new Set(made.map(({ range }) => range.source))) {
    const { file, text: before } = source;
    files.set(file, { file, before, after: editSource(source, made) ?? before });
  }
  return { files: [...files.values()], refused };
}

/** The first part of an edit that has no place, with both sides. */
function describeUnplaced([first]: readonly Unplaced[]): string {
  if (!first) return "it is made of several files";
  const { file, line } = toPlace(first.range);
  const side = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  return `where the files make ${side(first.before)}, at ${file}:${line}, the account has ${side(first.after)}, which lies in no single file: place it by hand`;
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

/** The text of a file after the edits; refused edits are left out. */
function edit(file: string, before: string, edits: readonly Edit[], refuse: Refuse): string {
  const lineEnd = /\r?\n/.exec(before)?.[0] === "\r\n" ? "\r\n" : "\n";
  const splices: Splice[] = [];
  const made: Edit[] = [];
  let root: Node | undefined;
  // All that have a path are in the file's one part of YAML, which is parsed for the first of them.
  const rootAt = (at: "yaml" | "front-matter") => {
    root ??= parseTree(file, before, at);
    return root;
  };
  for (const edit of edits) {
    const splice = makeSplice(file, before, edit, lineEnd, rootAt);
    if (typeof splice === "string") refuse(edit, splice);
    else {
      splices.push(splice);
      made.push(edit);
    }
  }
  const after = applySplices(before, splices);
  if (after !== undefined && isAsWanted(file, before, after, made)) return after;
  for (const edit of made) refuse(edit, "avatarops cannot edit the surrounding text safely");
  return before;
}

function makeSplice(
  file: string,
  text: string,
  { origin, value }: Edit,
  lineEnd: "\n" | "\r\n",
  rootAt: (at: "yaml" | "front-matter") => Node | undefined,
): Splice | string {
  if (origin.at === "implied" || origin.at === "typescript") return "it has no text of its own in the files";
  if (origin.at === "template") throw new Error("Bug: a composed text has several files");
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
    return at instanceof Map ? at.get(key) : Array.isArray(at) ? at[Number(key)] : undefined;
  }, tree);
  if (!(owner instanceof Map)) return;
  owner.set(last, typeof value === "string" ? value : value.map((item) => new Map(Object.entries(item))));
}

/** In the form in which files declare it: with line feeds, and without the server-assigned keys of list entries. */
function asDeclared({ origin, value }: Edit): Edit {
  if (typeof value === "string") return { origin, value: withLineFeeds(value) };
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
  return { origin, value: declared };
}
