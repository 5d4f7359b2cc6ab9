import { type SourceFile, toPlace } from "../../../base/diagnostics/index.js";
import { applySplices, type Splice } from "../../../base/text/index.js";
import { mapTexts, type Value, withLineFeeds } from "../../kinds/index.js";
import { type SourceEdit, toSplice } from "../../templates/index.js";
import type { Declaration } from "../reading/manifest.js";
import { createCollector } from "../tree/diagnostics-collector.js";
import { inFile, markdownParts } from "../tree/markdown.js";
import type { Origin } from "../tree/node.js";
import { projectFiles } from "../tree/project-files.js";
import { hasHalfCharacter } from "../tree/yaml-text.js";
import { writeFiles } from "./write-files.js";
import { editYaml, findLoss, findObstacle, parseYaml } from "./yaml-edit.js";

export interface Edit {
  readonly origin: Origin;
  /** In the form in which files declare it; of an object, the parts to change. */
  readonly value: Value;
  /** What to replace in the files that the text is made of. */
  readonly replaced?: readonly SourceEdit[] | undefined;
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
  const files = projectFiles(root, createCollector());
  const refused: { origin: Origin; reason: string }[] = [];
  const splices = new Map<string, readonly Splice[]>();
  for (const [file, own] of groupByFile(edits.filter(({ replaced }) => !replaced))) {
    const refuse: Refuse = ({ origin }, reason) => refused.push({ origin, reason });
    splices.set(file, editFile(files.open(file, undefined), own, refuse));
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
function editFile(source: SourceFile | undefined, edits: readonly Edit[], refuse: Refuse): readonly Splice[] {
  const splices: Splice[] = [];
  const inYaml: Edit[] = [];
  for (const edit of edits) {
    const splice = spliceOfText(source, edit);
    if (!splice) inYaml.push(edit);
    else if (typeof splice === "string") refuse(edit, splice);
    else splices.push(splice);
  }
  return [...splices, ...(source ? editYamlPart(source, inYaml, refuse) : [])];
}

/** The edit of a text that is the rest of a file; why there is none; or undefined for a value of YAML. */
function spliceOfText(source: SourceFile | undefined, { origin, value }: Edit): Splice | string | undefined {
  if (origin.at === "typescript") {
    const advice = "write the live text there, or move it to a file and use `promptFile(…)`";
    return `the code at line ${toPlace(origin.range).line} makes it, and avatarops does not edit code: ${advice}`;
  }
  if (!source) return "the file cannot be read";
  if (origin.at === "template") return "it lies in no single file of those that it is made of";
  if (origin.at !== "file" && origin.at !== "body") return undefined;
  if (typeof value !== "string") return "this place cannot hold it";
  if (hasHalfCharacter(value)) return "it has half of a surrogate pair, which UTF-8 cannot encode";
  const { text } = source;
  const lineEnd = /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n";
  const start = origin.at === "file" ? 0 : markdownParts(source).bodyStart;
  const gap = start > 0 && text.charAt(start - 1) !== "\n" ? lineEnd : "";
  return { start, end: text.length, text: gap + inFile(withLineFeeds(value), lineEnd) };
}

/** All edits of values are in the one part of a file that is YAML. */
function editYamlPart(source: SourceFile, edits: readonly Edit[], refuse: Refuse): readonly Splice[] {
  if (edits.length === 0) return [];
  const { start, end } = edits.some(({ origin }) => origin.at === "front-matter")
    ? (markdownParts(source).frontMatter ?? { start: 0, end: 0 })
    : { start: 0, end: source.text.length };
  const before = source.text.slice(start, end);
  const root = parseYaml(before);
  const changes: Changes = {};
  const made = edits.filter((edit) => {
    const path = "path" in edit.origin ? edit.origin.path : [];
    const reason = root
      ? (findObstacle(root, path) ?? findLoss(before, root, path, edit.value))
      : "its file is not valid";
    if (reason === undefined) setAt(changes, path, mapTexts(edit.value, withLineFeeds));
    else refuse(edit, reason);
    return reason === undefined;
  });
  const text = made.length > 0 ? editYaml(before, changes) : before;
  if (text !== undefined) return [{ start, end, text }];
  for (const edit of made) refuse(edit, "avatarops cannot edit the surrounding text safely");
  return [];
}

interface Changes {
  [key: string]: Value | Changes;
}

function setAt(changes: Changes, path: readonly (string | number)[], value: Value): void {
  const last = path.at(-1) ?? "";
  const owner = path.slice(0, -1).reduce<Changes>((at, key) => {
    at[key] ??= {};
    return at[key] as Changes;
  }, changes);
  owner[last] = value;
}
