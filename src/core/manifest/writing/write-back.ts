import { realpathSync } from "node:fs";
import path from "node:path";
import { type SourceFile, toLocation } from "../../../base/diagnostics/index.js";
import { readRegularSync } from "../../../base/files/index.js";
import { applySplices, type Splice } from "../../../base/text/index.js";
import { mapTexts, normalizeLineEnds, type Value } from "../../kinds/index.js";
import { findHunks, type SourceEdit, toSplice } from "../../templates/index.js";
import type { Declaration, Manifest } from "../reading/manifest.js";
import { createCollector } from "../tree/diagnostics-collector.js";
import { formatForFile, splitMarkdown } from "../tree/markdown.js";
import { type NodeOrigin, setOwn } from "../tree/node.js";
import { isCode, openProjectFiles, type ReadFile } from "../tree/project-files.js";
import { hasLoneSurrogate } from "../tree/yaml-text.js";
import { writeFiles } from "./write-files.js";
import { editYaml, type YamlChanges } from "./yaml-edit.js";
import { createItemFinder, findListEdit, findLoss, findObstacle, parseYaml } from "./yaml-loss.js";

export interface DeclarationEdit {
  readonly origin: NodeOrigin;
  /** New value, as written in the files. A mapping contains only the parts to change. */
  readonly value: Value;
  /** Declared value, used to write only the changed entries of a list. Without it, lists are replaced completely. */
  readonly before?: Value | undefined;
  /** Replacements in a template's files. */
  readonly replaced?: readonly SourceEdit[] | undefined;
}

/** A file whose text changes. Neither text includes the byte order mark. */
export interface EditedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

export interface WriteBackResult {
  readonly files: readonly EditedFile[];
  /** Edits that could not be written. `reason` completes a sentence. */
  readonly refused: readonly { readonly origin: NodeOrigin; readonly reason: string }[];
}

/**
 * Writes live values back to their files, and leaves all other bytes unchanged. Checks all files before writing the
 * first one, and refuses edits that would change other values.
 */
export async function writeBack(root: string, edits: readonly DeclarationEdit[]): Promise<WriteBackResult> {
  const edited = editFiles(root, edits);
  await writeFiles(root, edited.files);
  return edited;
}

/** Computes the result of {@link writeBack} without writing. */
export function editFiles(root: string, edits: readonly DeclarationEdit[]): WriteBackResult {
  const files = openProjectFiles(root, createCollector());
  const refused: { origin: NodeOrigin; reason: string }[] = [];
  const splices = new Map<string, readonly Splice[]>();
  const findTarget = (file: string) => files.open(file, undefined)?.target ?? file;
  const inValues = edits.filter(({ replaced }) => !replaced);
  for (const [file, own] of groupBy(inValues, ({ origin }) => findTarget(origin.file))) {
    const rejectEdit: RejectEdit = ({ origin }, reason) => refused.push({ origin, reason });
    splices.set(file, editFile(files.open(file, undefined), own, rejectEdit));
  }
  for (const { origin, replaced = [] } of edits) {
    const added = Array.from(
      groupBy(replaced, ({ range }) => range.source.target),
      ([file, own]) => {
        const all = [...(splices.get(file) ?? []), ...own.map(toSplice)];
        return { file, sources: own.map(({ range }) => range.source), all };
      },
    );
    const isPossible = added.every(({ file, sources, all }) => {
      const text = files.open(file, undefined)?.text;
      return sources.every((source) => source.text === text) && applySplices(text ?? "", all) !== undefined;
    });
    if (isPossible) for (const { file, all } of added) splices.set(file, all);
    else
      refused.push({
        origin,
        reason: "one of its files was edited during the run, so run the command again",
      });
  }
  const edited = Array.from(splices, ([file, own]) => {
    const before = files.open(file, undefined)?.text ?? "";
    return { file, before, after: applySplices(before, own) ?? before };
  });
  return { files: edited.filter(({ before, after }) => after !== before), refused };
}

/** Creates a function that reads files as if these edits had been written. */
export function createOverlay(root: string, files: readonly EditedFile[]): ReadFile {
  const realRoot = realpathSync.native(root);
  const edited = new Map(files.map(({ file, after }) => [path.join(realRoot, file), Buffer.from(after)]));
  return (file) => edited.get(realpathSync.native(file)) ?? readRegularSync(file);
}

/**
 * Finds the position of a field. An undeclared field gets a position next to the object's name. Returns undefined if
 * neither is in a file.
 */
export function findOrigin({ kind, origins }: Declaration, field: string): NodeOrigin | undefined {
  const own = origins[field];
  if (own) return own;
  const beside = origins[kind.label] ?? Object.values(origins).find((origin) => "path" in origin);
  if (!beside || !("path" in beside)) return undefined;
  return { ...beside, path: [...beside.path.slice(0, -1), field] };
}

/**
 * Creates a function that locates a field's override in the chosen environment. Returns undefined without an
 * environment, or if the project is code.
 */
export function createOverrideFinder({ environment, file }: Manifest) {
  if (environment === undefined || isCode(file)) return undefined;
  return ({ kind, key }: Declaration, field: string): NodeOrigin => {
    return { at: "yaml", file, path: ["environments", environment, kind.collection, key, field] };
  };
}

/** Returns a key for a location in the files, to compare the locations of two environments. */
export function toOriginKey(origin: Pick<NodeOrigin, "at" | "file">): string {
  return JSON.stringify([origin.at, origin.file, "path" in origin ? origin.path : []]);
}

function groupBy<Item>(items: readonly Item[], findKey: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = findKey(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

type RejectEdit = (edit: DeclarationEdit, reason: string) => void;

/** Computes the replacements in a file and refuses edits that it cannot make. */
function editFile(
  source: SourceFile | undefined,
  edits: readonly DeclarationEdit[],
  rejectEdit: RejectEdit,
): readonly Splice[] {
  const splices: Splice[] = [];
  const inYaml: DeclarationEdit[] = [];
  for (const edit of edits) {
    const splice = toTextSplice(source, edit);
    if (!splice) inYaml.push(edit);
    else if (typeof splice === "string") rejectEdit(edit, splice);
    else splices.push(splice);
  }
  const all = [...splices, ...(source ? editYamlPart(source, inYaml, rejectEdit) : [])];
  if (!source || applySplices(source.text, all) !== undefined) return all;
  for (const edit of edits)
    rejectEdit(edit, "several values overlap there, so make the edits by hand, or pull one object at a time");
  return [];
}

/**
 * Returns the splice that replaces a text file or a Markdown body, or the reason why that is impossible. Returns
 * undefined for a YAML value.
 */
function toTextSplice(
  source: SourceFile | undefined,
  { origin, value }: DeclarationEdit,
): Splice | string | undefined {
  if (origin.at === "typescript") {
    const advice = "write the live text there, or move it to a file and use `promptFile(…)`";
    return `it comes from line ${toLocation(origin.range).line} of the code, which avatarops does not edit: ${advice}`;
  }
  if (!source) return "the file cannot be read, so check its permissions";
  if (origin.at === "template")
    return "the edit affects more than one file of the template, so make it by hand";
  if (origin.at !== "file" && origin.at !== "body") return undefined;
  if (typeof value !== "string") return "a text file cannot contain this value, so declare it in YAML";
  if (hasLoneSurrogate(value)) return "it contains a lone surrogate, which UTF-8 cannot encode, so remove it";
  const { text } = source;
  const lineEnd = /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n";
  const start = origin.at === "file" ? 0 : splitMarkdown(source).bodyStart;
  const gap = start > 0 && text.charAt(start - 1) !== "\n" ? lineEnd : "";
  const before = text.slice(start);
  const written = formatForFile(normalizeLineEnds(value), "\n");
  // Adds no final newline to a file without one, unless the value itself ends with a newline.
  const isOpen = /[^\n]$/.test(before) && !value.endsWith("\n");
  const after = isOpen ? written.replace(/\n$/, "") : written;
  return { start, end: text.length, text: gap + keepLineEnds(before, after, lineEnd) };
}

/** Gives unchanged lines of `after` their line endings in `before`. Other lines get `lineEnd`. */
function keepLineEnds(before: string, after: string, lineEnd: string): string {
  const ends = (before.match(/\r+\n?|\n/g) ?? []).filter((end) => end.endsWith("\n"));
  if (new Set(ends).size < 2) return after.replaceAll("\n", lineEnd);
  const normalized = normalizeLineEnds(before);
  let kept = "";
  let at = 0;
  let line = 0;
  const keep = (end: number) => {
    kept += normalized.slice(at, end).replace(/\n/g, () => ends[line++] ?? lineEnd);
    at = end;
  };
  for (const { start, end, text } of findHunks(normalized, after)) {
    keep(start);
    line += normalized.slice(start, end).split("\n").length - 1;
    at = end;
    kept += text.replaceAll("\n", lineEnd);
  }
  keep(normalized.length);
  return kept;
}

/** Computes the new text of a file's YAML part. */
function editYamlPart(
  source: SourceFile,
  edits: readonly DeclarationEdit[],
  rejectEdit: RejectEdit,
): readonly Splice[] {
  if (edits.length === 0) return [];
  const { start, end } = edits.some(({ origin }) => origin.at === "front-matter")
    ? (splitMarkdown(source).frontMatter ?? { start: 0, end: 0 })
    : { start: 0, end: source.text.length };
  const before = source.text.slice(start, end);
  const root = parseYaml(before);
  const findItem = createItemFinder(before);
  const changes: NewChanges = {};
  const made = edits.filter((edit) => {
    const path = "path" in edit.origin ? edit.origin.path : [];
    const normalized = mapTexts(edit.value, normalizeLineEnds);
    const value = (root && findListEdit(findItem, root, path, edit.before, normalized)) ?? normalized;
    const reason = root
      ? (findObstacle(root, path) ?? findLoss(findItem, root, path, value))
      : "its file is not valid YAML, so correct it first";
    if (reason === undefined) setAt(changes, path, value);
    else rejectEdit(edit, reason);
    return reason === undefined;
  });
  const isJson = /\.json$/i.test(source.file);
  const text = made.length > 0 ? editYaml(before, changes, isJson) : before;
  if (text !== undefined) return [{ start, end, text }];
  const obstacle = isJson
    ? "avatarops cannot make this edit in JSON"
    : "avatarops cannot edit the surrounding text safely";
  for (const edit of made) rejectEdit(edit, `${obstacle}, so edit it by hand`);
  return [];
}

type NewChanges = Record<string, YamlChanges[string]>;

function setAt(changes: NewChanges, path: readonly (string | number)[], value: YamlChanges[string]): void {
  const owner = path.slice(0, -1).reduce<NewChanges>((at, key) => {
    // Objects may have the name of an inherited property, such as `constructor`.
    if (!Object.hasOwn(at, key)) setOwn(at, String(key), {});
    return at[key] as NewChanges;
  }, changes);
  setOwn(owner, String(path.at(-1) ?? ""), value);
}
