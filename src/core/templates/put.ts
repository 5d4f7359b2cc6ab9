import { diffArrays } from "diff";
import { type SourceFile, type SourceRange, toPlace } from "../../base/diagnostics/index.js";
import { abbreviate } from "../../base/text/index.js";
import {
  type Composition,
  editSource,
  placeInComposition,
  type SourceEdit,
  type Stretch,
} from "./compose.js";
import { findLine } from "./parse.js";

/*
 * The way back: a composed text that somebody has edited, put into the files that it is made of. Each edit lies in one
 * stretch, and so in one file, or it is placed by hand. The result is composed once more, and must be the edited text: so
 * that nothing is ever written that does not read back (PutGet), and nothing is written where nothing was edited (GetPut).
 */

/** A part of an edited text that belongs to no single file: what the files make, what is there now, and where. */
export interface UnplacedEdit {
  readonly before: string;
  readonly after: string;
  readonly range: SourceRange;
  /** The tag of the variable whose value it touches. */
  readonly variable?: Stretch | undefined;
}

/** A replacement in a file, and the tags through which the file is part of the text. */
export interface PlacedEdit extends SourceEdit {
  readonly through: Stretch["through"];
}

/** What to replace in the files, so that they compose to the edited text; or what has to be placed by hand. */
export function putBack(
  composition: Composition,
  edited: string,
): { readonly edits: readonly PlacedEdit[] } | { readonly unplaced: UnplacedEdit } {
  const { text } = composition;
  const runs = findRuns(composition);
  // Mostly somebody has edited one place.
  const whole = trimmed(0, text, edited);
  const hunks = text === edited ? [] : findRun(runs, whole, text) ? [whole] : findHunks(text, edited);
  const byRun = new Map<Run, Hunk[]>();
  for (const hunk of hunks) {
    const run = findRun(runs, hunk, text);
    if (!run) return { unplaced: atPlace(composition, hunk) };
    byRun.set(run, [...(byRun.get(run) ?? []), hunk]);
  }
  const edits = Array.from(byRun).flatMap(([run, own]) => toEdits(run, own, text));
  if (composition.withEdits(edits).text === edited) return { edits };
  return { unplaced: atPlace(composition, hunks[0] ?? whole) };
}

/**
 * The same, with the partials that some of its edits lie in written out in the file that names them, so that no other text
 * changes. Variables of the project stay variables. Undefined where that would not compose to the edited text.
 */
export function putHere(
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
    const text = own.map(({ ofProject, range, text: finished }) =>
      ofProject ? range.source.text.slice(range.start, range.end) : escaped(finished, main),
    );
    const inlined = text.join("");
    // The final line end is part of the file, but not of the text.
    const [lineEnd = ""] =
      end === main.text.length && !inlined.endsWith("\n") ? (/\r?\n$/.exec(main.text) ?? []) : [];
    return { range: { source: main, start, end }, text: inlined + lineEnd };
  });
  const inlined = composition.withEdits(written);
  const put = inlined.text === composition.text ? putBack(inlined, edited) : undefined;
  if (!put || !("edits" in put)) return undefined;
  const after = editSource(inlined.main, put.edits) ?? "";
  const edits = [
    ...toReplacements({ source: main, start: 0, end: main.text.length }, after),
    ...put.edits.filter(({ range }) => range.source !== inlined.main),
  ];
  return composition.withEdits(edits).text === edited ? edits : undefined;
}

/** A composed text, by a name that no other has. */
export interface ComposedText {
  readonly name: string;
  readonly composition: Composition;
}

/** What to replace for an edited text, and the other texts that this changes. */
interface PutText extends ComposedText {
  readonly edits: readonly SourceEdit[];
  readonly others: readonly ComposedText[];
}

/**
 * Puts edited texts back into their files, together.
 *
 * @param wanted what each edited text is to become, by its name.
 * @param texts all that are made of files, those among them.
 * @param here whether what other texts share is written out where it is edited.
 * @returns what is written, and sentences why the rest is not, by name.
 */
export function putAllBack(
  wanted: ReadonlyMap<string, string>,
  texts: readonly ComposedText[],
  here: boolean,
): { readonly placed: readonly PutText[]; readonly refused: ReadonlyMap<string, string> } {
  const refused = new Map<string, string>();
  const byFile = new Map<string, ComposedText[]>();
  for (const text of texts)
    for (const file of text.composition.files) byFile.set(file, [...(byFile.get(file) ?? []), text]);
  /** The other texts that edits change, unless all edits make of them what is wanted. */
  const findOthers = (own: ComposedText, edits: readonly SourceEdit[], all: readonly SourceEdit[]) => {
    const near = new Set(edits.flatMap(({ range }) => byFile.get(range.source.file) ?? []));
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
    const found = putBack(text.composition, edited);
    if ("edits" in found) return { ...text, edited, edits: found.edits };
    refused.set(text.name, describeUnplaced(text.composition, found.unplaced));
    return [];
  });
  const elsewhere = put.flatMap(({ edits }) => edits);
  let placed = put.map((text): PutText => {
    const { composition, edited, edits } = text;
    if (!here) return { ...text, others: [] };
    // Written out or not, it is the same file in other environments.
    const shared = edits.filter((edit) =>
      findOthers(text, [edit], elsewhere).some(({ composition: { main } }) => main !== composition.main),
    );
    return { ...text, edits: putHere(composition, edited, shared) ?? edits, others: [] };
  });
  // An edit that is not written changes what the rest comes to.
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
  const at = (place: SourceRange) => `${toPlace(place).file}:${toPlace(place).line}`;
  const sides = `Where the files make ${quoted(before)}, at ${at(range)}, the account has ${quoted(after)}, which`;
  if (!variable) return `${sides} lies in no single file: place it by hand.`;
  const { source, start, end } = variable.range;
  const name = source.text.slice(start, end).replace(/[{}\s]/g, "");
  const given = variable.ofProject ? input.placeOf?.(name) : variable.through.at(-1);
  const where = given ? `, written at ${at(given)}` : "";
  return `${sides} is an edit of the value of ${name}${where}: change it there, or write the text in place of {{${name}}}.`;
}

/** Says where an edit touches one of another text, and differs from it; with both sides. */
function findClash({ name, edits }: PutText, all: readonly (SourceEdit & { readonly name: string })[]) {
  const others = all.filter((other) => other.name !== name);
  const clashes = edits.flatMap(({ range: { source, start, end }, text }) =>
    others
      .filter(({ range }) => range.source === source && range.start <= end && range.end >= start)
      .filter(({ range, text: put }) => range.start !== start || range.end !== end || put !== text)
      .map((other) => {
        const { file, line } = toPlace(other.range);
        return `At ${file}:${line} it has ${quoted(text)}, and ${other.name} has ${quoted(other.text)}: place them by hand.`;
      }),
  );
  return clashes[0];
}

function quoted(text: string): string {
  return JSON.stringify(abbreviate(text, 60));
}

function atPlace(composition: Composition, { start, end, text }: Hunk): UnplacedEdit {
  const at = Math.max(0, Math.min(start, composition.text.length - 1));
  const range = placeInComposition(composition, { start: at, end: Math.max(end, at + 1) });
  let from = 0;
  const variable = composition.stretches.find((stretch) => {
    const to = from + stretch.text.length;
    const isTouched = stretch.is === "variable" && from <= end && to >= start;
    from = to;
    return isTouched;
  });
  return { before: composition.text.slice(start, end), after: text, range, variable };
}

/** Stretches that follow each other in a file, with the indentation between them: an edit in it is one of that file. */
interface Run {
  /** In the composed text. */
  readonly start: number;
  end: number;
  readonly first: Stretch;
  last: Stretch;
}

function findRuns({ stretches }: Composition): readonly Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  let start = 0;
  for (const stretch of stretches) {
    const { is, text, range, through } = stretch;
    const end = start + text.length;
    if (is === "variable") run = undefined;
    if (is === "text") {
      // Between them, only what is no part of the text: see `parse.ts`.
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

/** Two characters of one word, in scripts with spaces between words, or of one number. */
const sameWord = /^(?:\p{LC}{2}|\p{N}{2})$/u;

/** The run in which all of an edit lies, and no word of another; for what is between two, the one of the outer file. */
function findRun(runs: readonly Run[], { start, end, text: put }: Hunk, text: string): Run | undefined {
  const isOfBefore = sameWord.test(text.charAt(start - 1) + put.charAt(0));
  const isOfNext = sameWord.test(put.slice(-1) + text.charAt(end));
  return runs
    .filter((run) => (isOfBefore ? run.start < start : run.start <= start))
    .filter((run) => (isOfNext ? run.end > end : run.end >= end))
    .toSorted((one, other) => one.first.through.length - other.first.through.length)[0];
}

/** Edits as they are written in the file: with its line ends, without the indentation of tags, with `\` before braces. */
function toEdits({ start, end, first, last }: Run, hunks: readonly Hunk[], text: string): PlacedEdit[] {
  const { source, start: from } = first.range;
  const { text: file } = source;
  const hasDropped = /^(?:\r\n|\\\{\{)/.test(file.slice(from - 1, from + 2));
  const to = last.range.end + (file.startsWith("\\{{", last.range.end) ? 1 : 0);
  let edited = text.slice(start, end);
  for (const hunk of hunks.toReversed())
    edited = edited.slice(0, hunk.start - start) + hunk.text + edited.slice(hunk.end - start);
  edited = edited.replaceAll(`\n${first.indent}`, "\n");
  const isBeforeTag = edited.endsWith("\\") && file.startsWith("{{", to);
  const written = `${escaped(edited, source)}${isBeforeTag ? "\\" : ""}`;
  const range = { source, start: hasDropped ? from - 1 : from, end: to };
  return toReplacements(range, written).map((edit) => ({ ...edit, through: first.through }));
}

/** No more than is needed to make another text of a part of a file. */
function toReplacements({ source, start, end }: SourceRange, after: string): SourceEdit[] {
  return findHunks(source.text.slice(start, end), after).map((hunk) => {
    return { range: { source, start: start + hunk.start, end: start + hunk.end }, text: hunk.text };
  });
}

/** A text as a file has it. */
function escaped(text: string, { text: file }: SourceFile): string {
  return text.replaceAll("\n", /\r?\n/.exec(file)?.[0] ?? "\n").replaceAll("{{", "\\{{");
}

interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const maxEdits = 3_000;

/** What was replaced, word by word and no more than needed. */
export function findHunks(before: string, after: string): readonly Hunk[] {
  const changes = diffArrays(toWords(before), toWords(after), { maxEditLength: maxEdits });
  if (!changes) return [trimmed(0, before, after)];
  const hunks: Hunk[] = [];
  let at = 0;
  let removed = "";
  let added = "";
  const flush = () => {
    if (removed !== added) hunks.push(trimmed(at - removed.length, removed, added));
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

/** Without what both have in common at their ends. */
function trimmed(start: number, removed: string, added: string): Hunk {
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
