import { diffArrays } from "diff";
import type { SourceRange } from "../../base/diagnostics/index.js";
import { type Composition, placeInComposition, type SourceEdit, type Stretch } from "./compose.js";

/*
 * The way back: a composed text that somebody has edited, put into the files that it is made of. Each edit lies in one
 * stretch, and so in one file, or it is placed by hand. The result is composed once more, and must be the edited text: so
 * that nothing is ever written that does not read back (PutGet), and nothing is written where nothing was edited (GetPut).
 */

/** A part of an edited text that belongs to no single file: what the files make, what is there now, and where. */
export interface Unplaced {
  readonly before: string;
  readonly after: string;
  readonly range: SourceRange;
}

/** What to replace in the files, so that they compose to the edited text; or what has to be placed by hand. */
export function putBack(
  composition: Composition,
  edited: string,
): { readonly edits: readonly SourceEdit[] } | { readonly unplaced: readonly Unplaced[] } {
  const { text, stretches } = composition;
  const placed = withStarts(stretches);
  // Mostly somebody has edited one place.
  const whole = trimmed(0, text, edited);
  const hunks = text === edited ? [] : findStretch(placed, whole) ? [whole] : findHunks(text, edited);
  const byStretch = new Map<Placed, Hunk[]>();
  const unplaced: Unplaced[] = [];
  for (const hunk of hunks) {
    const found = findStretch(placed, hunk);
    if (found) byStretch.set(found, [...(byStretch.get(found) ?? []), hunk]);
    else unplaced.push(atPlace(composition, hunk));
  }
  if (unplaced.length > 0) return { unplaced };
  const edits = Array.from(byStretch, ([stretch, own]) => rewrite(stretch, own));
  if (hunks.length === 0 || composition.withEdits(edits) === edited) return { edits };
  return { unplaced: hunks.map((hunk) => atPlace(composition, hunk)) };
}

function atPlace(composition: Composition, { start, end, text }: Hunk): Unplaced {
  const at = Math.max(0, Math.min(start, composition.text.length - 1));
  const range = placeInComposition(composition, { start: at, end: Math.max(end, at + 1) });
  return { before: composition.text.slice(start, end), after: text, range };
}

type Placed = Stretch & { readonly start: number };

function withStarts(stretches: readonly Stretch[]): readonly Placed[] {
  let start = 0;
  return stretches.map((stretch) => {
    const placed = { ...stretch, start };
    start += stretch.text.length;
    return placed;
  });
}

/** The stretch of a file in which all of it lies; for what is between two, the one of the outer file. */
function findStretch(stretches: readonly Placed[], { start, end }: Hunk): Placed | undefined {
  return stretches
    .filter((one) => one.is === "text" && one.start <= start && one.start + one.text.length >= end)
    .toSorted((one, other) => one.through.length - other.through.length)[0];
}

/** A stretch with what was replaced in it, as it is written in its file: with its line ends, and with `\` before braces. */
function rewrite({ start: origin, text, range }: Placed, hunks: readonly Hunk[]): SourceEdit {
  const { source } = range;
  const lineEnd = /\r?\n/.exec(source.text)?.[0] ?? "\n";
  // The characters around it that are no part of the text: see `parse.ts`.
  const before = source.text.slice(range.start - 1, range.start + 2);
  const isEscaped = before === "\\{{";
  const hasReturn = before.startsWith("\r\n");
  const isDoubled = text.endsWith("\\") && source.text.startsWith("\\{{", range.end);
  const start = range.start - (isEscaped || (hasReturn && hunks[0]?.start === origin) ? 1 : 0);
  const end = range.end + (isDoubled ? 1 : 0);
  let written = "";
  let copied = 0;
  for (const hunk of hunks) {
    written += text.slice(copied, hunk.start - origin) + hunk.text.replaceAll("\n", lineEnd);
    copied = hunk.end - origin;
    // What is put in before a line end comes before all of it.
    if (hasReturn && copied === 0) written += "\r";
  }
  written += text.slice(copied);
  const isBeforeTag = written.endsWith("\\") && source.text.startsWith("{{", end);
  return {
    range: { source, start, end },
    text: `${written.replaceAll("{{", "\\{{")}${isBeforeTag ? "\\" : ""}`,
  };
}

interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const maxEdits = 3_000;

/** What was replaced, word by word and no more than needed. */
function findHunks(before: string, after: string): readonly Hunk[] {
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
  return text.match(/[\p{L}\p{N}]+|\n|[^\S\n]+|[^\p{L}\p{N}\s]/gu) ?? [];
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
