import { diffArrays } from "diff";
import { type SourceFile, type SourceRange, toLocation } from "../../base/diagnostics/index.js";
import { abbreviate } from "../../base/text/index.js";
import {
  type ComposedSpan,
  type Composition,
  editSource,
  findPartRange,
  isSameFile,
  type SourceEdit,
} from "./compose.js";
import { findLine } from "./parse.js";

/*
 * Writes edits to a composed text back to its files. Each edit must fit into a single file. The user makes all other
 * edits by hand. Composing the edited files must give the edited text (PutGet), and without edits nothing is written
 * (GetPut).
 */

/** An edit that does not fit into a single file, with the text before and after. */
export interface UnplacedEdit {
  readonly before: string;
  readonly after: string;
  readonly range: SourceRange;
  /** Tag of the variable whose value the edit changes, if any. */
  readonly variable?: ComposedSpan | undefined;
}

/** A replacement in a file, with the tags that include that file. */
export interface PlacedEdit extends SourceEdit {
  readonly through: ComposedSpan["through"];
}

/** Returns the file edits that produce the edited text, or the first edit that the user must make by hand. */
export function placeEdits(
  composition: Composition,
  edited: string,
): { readonly edits: readonly PlacedEdit[] } | { readonly unplaced: UnplacedEdit } {
  const { text } = composition;
  const runs = findRuns(composition);
  // Tries to place everything as one edit, which is the usual case.
  const whole = trimCommonEnds(0, text, edited);
  const hunks = text === edited ? [] : findRun(runs, whole, text) ? [whole] : findHunks(text, edited);
  const byRun = new Map<EditRun, EditHunk[]>();
  for (const hunk of hunks) {
    const run = findRun(runs, hunk, text);
    if (!run) return { unplaced: toUnplacedEdit(composition, hunk) };
    byRun.set(run, [...(byRun.get(run) ?? []), hunk]);
  }
  const edits = Array.from(byRun).flatMap(([run, own]) => toEdits(run, own, text));
  if (composition.withEdits(edits).text === edited) return { edits };
  return { unplaced: toUnplacedEdit(composition, hunks[0] ?? whole) };
}

/**
 * Inlines the edited partials into the main file and makes the edits there, so that no other text changes. Project
 * variables are not inlined. Returns undefined if the result would differ from the edited text.
 */
export function placeInlined(
  composition: Composition,
  edited: string,
  elsewhere: readonly PlacedEdit[],
): readonly SourceEdit[] | undefined {
  const { main, stretches } = composition;
  const tags = new Set(elsewhere.flatMap(({ through }) => through.slice(0, 1)));
  const written = Array.from(tags, (tag): SourceEdit => {
    const { start, end } = findLine(main.text, tag, 0) ?? tag;
    const own = stretches.filter(
      ({ is, through: [outer], range }) =>
        outer === tag || (!outer && is === "indent" && range.start === start),
    );
    const text = own.map(({ isFromProject, range, text: finished }) =>
      isFromProject ? range.source.text.slice(range.start, range.end) : toFileText(finished, main),
    );
    const inlined = text.join("");
    // Keeps the file's final line ending, which is not part of the text.
    const [lineEnd = ""] =
      end === main.text.length && !inlined.endsWith("\n") ? (/\r?\n$/.exec(main.text) ?? []) : [];
    return { range: { source: main, start, end }, text: inlined + lineEnd };
  });
  const inlined = composition.withEdits(written);
  const put = inlined.text === composition.text ? placeEdits(inlined, edited) : undefined;
  if (!put || !("edits" in put)) return undefined;
  const after = editSource(inlined.main, put.edits) ?? "";
  const edits = [
    ...toReplacements({ source: main, start: 0, end: main.text.length }, after),
    ...put.edits.filter(({ range }) => range.source !== inlined.main),
  ];
  return composition.withEdits(edits).text === edited ? edits : undefined;
}

/** A composed text with a unique name. */
export interface ComposedText {
  readonly name: string;
  readonly composition: Composition;
}

/** The edits for one text, and the other texts that they change. */
interface PutText extends ComposedText {
  readonly edits: readonly SourceEdit[];
  readonly others: readonly ComposedText[];
}

/**
 * Writes the edits to several texts back to the files that they share.
 *
 * @param wanted Edited texts by name.
 * @param texts All composed texts, including the edited ones.
 * @param onlyThisObject Whether to inline a shared partial into the edited text.
 * @returns The texts whose edits were placed. For each other text, a sentence that explains why not.
 */
export function placeAllEdits(
  wanted: ReadonlyMap<string, string>,
  texts: readonly ComposedText[],
  onlyThisObject: boolean,
): { readonly placed: readonly PutText[]; readonly refused: ReadonlyMap<string, string> } {
  const refused = new Map<string, string>();
  const byFile = new Map<string, ComposedText[]>();
  for (const text of texts)
    for (const file of text.composition.targets) byFile.set(file, [...(byFile.get(file) ?? []), text]);
  /**
   * Returns the texts, except `own`, that `edits` would change. Omits texts that match their wanted version once `all`
   * edits are applied.
   */
  const findOthers = (own: ComposedText, edits: readonly SourceEdit[], all: readonly SourceEdit[]) => {
    const near = new Set(edits.flatMap(({ range }) => byFile.get(range.source.target) ?? []));
    return [...near].filter(
      ({ name, composition }) =>
        name !== own.name &&
        composition.withEdits(edits).text !== composition.text &&
        composition.withEdits(all).text !== wanted.get(name),
    );
  };
  const put = texts.flatMap((text) => {
    const edited = wanted.get(text.name);
    if (edited === undefined) return [];
    const found = placeEdits(text.composition, edited);
    if ("edits" in found) return { ...text, edited, edits: found.edits };
    refused.set(text.name, describeUnplaced(text.composition, found.unplaced));
    return [];
  });
  const elsewhere = put.flatMap(({ edits }) => edits);
  let placed = put.map((text): PutText => {
    const { composition, edited, edits } = text;
    if (!onlyThisObject) return { ...text, others: [] };
    // Texts of the same main file, in other environments, change even if the partial is inlined.
    const shared = edits.filter((edit) =>
      findOthers(text, [edit], elsewhere).some(
        ({ composition: { main } }) => !isSameFile(main, composition.main),
      ),
    );
    return { ...text, edits: placeInlined(composition, edited, shared) ?? edits, others: [] };
  });
  // Repeats until nothing changes, because each rejected edit can affect the others.
  for (;;) {
    const all = placed.flatMap(({ name, edits }) => edits.map((edit) => ({ ...edit, name })));
    const found = placed.map((text) => ({ ...text, others: findOthers(text, text.edits, all) }));
    placed = found.filter((text) => {
      const reason = text.others.length > 0 ? findClash(text, all) : undefined;
      if (reason !== undefined) refused.set(text.name, reason);
      return reason === undefined;
    });
    if (placed.length === found.length) return { placed, refused };
  }
}

function describeUnplaced({ input }: Composition, { before, after, range, variable }: UnplacedEdit): string {
  const formatLocation = (at: SourceRange) => `${toLocation(at).file}:${toLocation(at).line}`;
  const sides = `At ${formatLocation(range)}, the files have ${quote(before)} and the account has ${quote(after)}.`;
  if (!variable) return `${sides} The edit spans several files, so make it by hand.`;
  const { source, start, end } = variable.range;
  const name = source.text.slice(start, end).replace(/[{}\s]/g, "");
  const given = variable.isFromProject ? input.findVariable?.(name) : variable.through.at(-1);
  const where = given ? `, written at ${formatLocation(given)}` : "";
  return `${sides} The edit is in the value of ${name}${where}. Change the value, or replace {{${name}}} with the text.`;
}

/** Finds an edit to another text at the same location, and describes both edits. */
function findClash({ name, edits }: PutText, all: readonly (SourceEdit & { readonly name: string })[]) {
  const others = all.filter((other) => other.name !== name);
  const clashes = edits.flatMap(({ range: { source, start, end }, text }) =>
    others
      .filter(({ range }) => isSameFile(range.source, source) && range.start <= end && range.end >= start)
      .filter(({ range, text: put }) => range.start !== start || range.end !== end || put !== text)
      .map((other) => {
        const { file, line } = toLocation(other.range);
        return `At ${file}:${line}, this edit writes ${quote(text)}, but the edit to ${other.name} writes ${quote(other.text)}. Make both edits by hand.`;
      }),
  );
  return clashes[0];
}

function quote(text: string): string {
  return JSON.stringify(abbreviate(text, 60));
}

function toUnplacedEdit(composition: Composition, { start, end, text }: EditHunk): UnplacedEdit {
  const at = Math.max(0, Math.min(start, composition.text.length - 1));
  const range = findPartRange(composition, { start: at, end: Math.max(end, at + 1) });
  let from = 0;
  const variable = composition.stretches.find((stretch) => {
    const to = from + stretch.text.length;
    const isTouched = stretch.is === "variable" && from <= end && to >= start;
    from = to;
    return isTouched;
  });
  return { before: composition.text.slice(start, end), after: text, range, variable };
}

/** Consecutive stretches of one file, including their indentation. An edit within a run belongs to that file. */
interface EditRun {
  /** Offset in the composed text. */
  readonly start: number;
  end: number;
  readonly first: ComposedSpan;
  last: ComposedSpan;
}

function findRuns({ stretches }: Composition): readonly EditRun[] {
  const runs: EditRun[] = [];
  let run: EditRun | undefined;
  let start = 0;
  for (const stretch of stretches) {
    const { is, text, range, through } = stretch;
    const end = start + text.length;
    if (is === "variable") run = undefined;
    if (is === "text") {
      // Only characters that are not part of the text may lie between stretches (see `parse.ts`).
      const gap = range.source.text.slice(run?.last.range.end, range.start);
      if (run?.last.through === through && /^[\\\r]?$/.test(gap)) Object.assign(run, { end, last: stretch });
      else {
        run = { start, end, first: stretch, last: stretch };
        runs.push(run);
      }
    }
    start = end;
  }
  return runs;
}

/** Matches two adjacent characters of the same number, or of the same word in scripts with spaces between words. */
const sameWordPattern = /^(?:\p{LC}{2}|\p{N}{2})$/u;

/**
 * Finds the run of stretches that contains a whole edit without splitting a word. At a boundary, prefers the outer
 * file.
 */
function findRun(
  runs: readonly EditRun[],
  { start, end, text: put }: EditHunk,
  text: string,
): EditRun | undefined {
  const isOfBefore = sameWordPattern.test(text.charAt(start - 1) + put.charAt(0));
  const isOfNext = sameWordPattern.test(put.slice(-1) + text.charAt(end));
  return runs
    .filter((run) => (isOfBefore ? run.start < start : run.start <= start))
    .filter((run) => (isOfNext ? run.end > end : run.end >= end))
    .toSorted((one, other) => one.first.through.length - other.first.through.length)[0];
}

/**
 * Converts edits to file content: with the file's line endings, without the indentation of tags, and with `\` before
 * braces.
 */
function toEdits(
  { start, end, first, last }: EditRun,
  hunks: readonly EditHunk[],
  text: string,
): PlacedEdit[] {
  const { source, start: from } = first.range;
  const { text: file } = source;
  const hasDropped = /^(?:\r\n|\\\{\{)/.test(file.slice(from - 1, from + 2));
  const to = last.range.end + (file.startsWith("\\{{", last.range.end) ? 1 : 0);
  let edited = text.slice(start, end);
  for (const hunk of hunks.toReversed())
    edited = edited.slice(0, hunk.start - start) + hunk.text + edited.slice(hunk.end - start);
  edited = edited.replaceAll(`\n${first.indent}`, "\n");
  const isBeforeTag = edited.endsWith("\\") && file.startsWith("{{", to);
  const written = `${toFileText(edited, source)}${isBeforeTag ? "\\" : ""}`;
  const range = { source, start: hasDropped ? from - 1 : from, end: to };
  return toReplacements(range, written).map((edit) => ({ ...edit, through: first.through }));
}

/** Returns the smallest replacements that turn a part of a file into other text. */
function toReplacements({ source, start, end }: SourceRange, after: string): SourceEdit[] {
  return findHunks(source.text.slice(start, end), after).map((hunk) => {
    return { range: { source, start: start + hunk.start, end: start + hunk.end }, text: hunk.text };
  });
}

/** Converts text to file content: with the file's line endings, and with `\` before braces. */
function toFileText(text: string, { text: file }: SourceFile): string {
  return escapeTags(text.replaceAll("\n", /\r?\n/.exec(file)?.[0] ?? "\n"));
}

/** Puts `\` before braces, so that a template contains them as plain text. */
export function escapeTags(text: string): string {
  return text.replaceAll("{{", "\\{{");
}

interface EditHunk {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const maxEdits = 3_000;

/** Returns the smallest replacements between two texts, word by word. */
export function findHunks(before: string, after: string): readonly EditHunk[] {
  const changes = diffArrays(toWords(before), toWords(after), { maxEditLength: maxEdits });
  if (!changes) return [trimCommonEnds(0, before, after)];
  const hunks: EditHunk[] = [];
  let at = 0;
  let removed = "";
  let added = "";
  const flush = () => {
    if (removed !== added) hunks.push(trimCommonEnds(at - removed.length, removed, added));
    removed = "";
    added = "";
  };
  for (const { value, removed: isRemoved, added: isAdded } of changes) {
    const text = value.join("");
    if (isAdded) added += text;
    else {
      if (!isRemoved) flush();
      at += text.length;
      if (isRemoved) removed += text;
    }
  }
  flush();
  return hunks;
}

function toWords(text: string): string[] {
  return text.match(/\p{L}+|\p{N}+|\n|[^\S\n]+|[^\p{L}\p{N}\s]/gu) ?? [];
}

function trimCommonEnds(start: number, removed: string, added: string): EditHunk {
  let head = 0;
  while (head < Math.min(removed.length, added.length) && removed[head] === added[head]) head += 1;
  let tail = 0;
  const most = Math.min(removed.length, added.length) - head;
  while (tail < most && removed.at(-1 - tail) === added.at(-1 - tail)) tail += 1;
  return {
    start: start + head,
    end: start + removed.length - tail,
    text: added.slice(head, added.length - tail),
  };
}
