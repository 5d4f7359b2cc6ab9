import { isForgotten, type ShownField } from "../documents/index.js";
import type { Difference } from "./blocks.js";
import type { Hunk } from "./hunks.js";
import { diffEntries } from "./list-diff.js";
import { describeCause, findLargest, splitSides } from "./phrases.js";
import { findChangedHunks } from "./prose-changes.js";
import type { Segment } from "./prose-diff.js";
import { findProseFacts, type ProseFacts } from "./prose-facts.js";
import { splitRows } from "./rows.js";
import {
  countLineCells,
  createSpan,
  type Line,
  type Margins,
  type Span,
  type TextOptions,
  wrap,
} from "./span.js";
import {
  canCompare,
  describeSize,
  formatEntryInLine,
  formatSizeChange,
  formatValueInLine,
  isShort,
  quoteText,
  toEntries,
} from "./value-text.js";

const nameColumnWidth = 14;

/** Prints the difference in one field, below the change that contains the field. */
export function formatField(field: ShownField, indent: string, options: TextOptions): Line[] {
  const name = createSpan(field.field.padEnd(nameColumnWidth - 1), "dim");
  const hanging = createSpan(`${indent}${" ".repeat(options.width < 60 ? 2 : nameColumnWidth)}`);
  const margins = {
    width: options.width,
    first: [createSpan(indent), name, createSpan(" ")],
    rest: [hanging],
  };
  const cause = describeCause(field);
  const sides = splitSides(field);
  if (sides) {
    const head = wrap([createSpan(`(${cause})`, "warning")], margins);
    return [...head, ...sides.flatMap((side) => formatField(side, `${indent}  `, options))];
  }
  const tail = cause ? [createSpan(`  (${cause})`, "warning")] : [];
  switch (field.type) {
    case "write-only":
      return wrap([...describeSources(field), ...tail, createSpan("; the value is never shown")], margins);
    case "list":
    case "object":
      // URLs are long, so in a narrow terminal, entries start below the field's name.
      if (options.width >= 60) return listLines(field, tail, margins);
      return [[createSpan(indent), name], ...listLines(field, tail, { ...margins, first: margins.rest })];
    case "prose":
      return formatProse(field, tail, margins, `${indent}  `, options);
    default:
      return wrap([...formatStringChange(field), ...tail], margins);
  }
}

function describeSources({ source_before: before, source }: ShownField): Span[] {
  if (source === undefined) return [createSpan("new value")];
  if (before === undefined) return [createSpan("new value from "), createSpan(source, "added")];
  return [createSpan(before, "removed"), createSpan(" → ", "dim"), createSpan(source, "added")];
}

function formatStringChange({ before, after, known_after }: ShownField): Span[] {
  const value =
    after === undefined ? createSpan("(deleted)", "removed") : createSpan(formatValueInLine(after), "added");
  const now =
    known_after === undefined ? value : createSpan(`(id of ${known_after}, known after apply)`, "added");
  if (before === undefined) return [now];
  return [createSpan(formatValueInLine(before), "removed"), createSpan(" → ", "dim"), now];
}

function listLines({ before, after }: ShownField, tail: readonly Span[], margins: Margins): Line[] {
  if (before !== undefined && isForgotten(before)) {
    return wrap([createSpan("earlier entries not recorded; new entries:"), ...tail], margins).concat(
      formatEntries(
        toEntries(after).map((entry) => ({ kind: "added", entry }) as const),
        { ...margins, first: margins.rest },
      ),
    );
  }
  const changes = diffEntries(toEntries(before), toEntries(after));
  const [head, ...lines] = formatEntries(changes, margins);
  if (!head) return wrap([createSpan("(empty)"), ...tail], margins);
  const first = [...head, ...tail];
  const fits = countLineCells(first) <= margins.width;
  return [...(fits ? [first] : [head, [...margins.rest, ...tail]]), ...lines];
}

function formatEntries(changes: ReturnType<typeof diffEntries>, margins: Margins): Line[] {
  return changes.flatMap(({ kind, entry }, at) => {
    return wrap([createSpan(`${kind === "removed" ? "−" : "+"} ${formatEntryInLine(entry)}`, kind)], {
      width: margins.width,
      first: at === 0 ? margins.first : margins.rest,
      rest: [...margins.rest, createSpan("  ")],
    });
  });
}

function formatProse(
  field: ShownField,
  tail: readonly Span[],
  margins: Margins,
  diffMargin: string,
  options: TextOptions,
): Line[] {
  const { before, after } = field;
  if (typeof after !== "string") {
    const live = typeof before === "string" && !isShort(before) ? describeSize(before) : undefined;
    const shown =
      live === undefined
        ? formatStringChange(field)
        : [createSpan(live), createSpan(" → (deleted)", "removed")];
    return wrap([...shown, ...tail], margins);
  }
  const facts = formatProseFacts(
    findProseFacts(typeof before === "string" ? before : undefined, after),
  ).flatMap((fact) => wrap([fact], { ...margins, first: margins.rest }));
  if (typeof before === "string" && canCompare(field)) {
    const file = field.location ? [createSpan(`  ${field.location.file}`, "dim")] : [];
    const hunks = findChangedHunks(field, calculateContextWidth(options.width));
    const head = wrap([createSpan(formatSizeChange(field) ?? ""), ...tail, ...file], margins);
    return [...head, ...facts, ...formatHunks(hunks, chooseMarks(before, after), diffMargin, options)];
  }
  const now = createSpan(isShort(after) ? quoteText(after) : describeSize(after), "added");
  const old =
    before === undefined ? [] : [createSpan(formatValueInLine(before), "dim"), createSpan(" → ", "dim")];
  return [...wrap([...old, now, ...tail], margins), ...facts];
}

/** Prints the first lines of a long new text, and the command that prints all of it. */
export function formatNewText(
  { field, newText }: Difference,
  indent: string,
  { width }: TextOptions,
): Line[] {
  if (!newText) return [];
  const rows = String(field.after).replace(/\n$/, "").split("\n");
  const digits = String(rows.length).length;
  const margin = `${indent}  `;
  const rest = [createSpan(`${margin}${" ".repeat(digits)} │ `, "dim")];
  const lines: Line[] = [];
  for (const [at, row] of rows.entries()) {
    if (lines.length > newText.lines) break;
    const first = [createSpan(`${margin}${String(at + 1).padStart(digits)} │ `, "dim")];
    lines.push(...wrap([createSpan(row)], { width, first, rest }));
  }
  if (lines.length <= newText.lines) return lines;
  const more = [createSpan("…", "dim"), createSpan(` \`${newText.command}\` prints all of it.`)];
  return [...lines.slice(0, newText.lines), ...wrap(more, { width, first: rest, rest })];
}

function formatProseFacts({ accidents, placeholders }: ProseFacts): Span[] {
  const signs = [
    ...placeholders.added.map((name) => `+ ${name}`),
    ...placeholders.removed.map((name) => `− ${name}`),
  ];
  return [
    ...accidents.map((accident) => createSpan(accident, "warning")),
    ...(signs.length > 0 ? [createSpan(`placeholders: ${signs.join(", ")}`, "changed")] : []),
  ];
}

/** Returns the number of unchanged characters to show on each side of a change: about half a line. */
const calculateContextWidth = (width: number) => Math.max(24, Math.floor(width / 2));

/** Opening and closing marks for removed and added spans. */
type Marks = Readonly<Record<"removed" | "added", readonly [open: string, close: string]>>;

/**
 * Chooses `[-…-]` and `{+…+}` marks longer than any in either version, so that the text itself cannot look like a
 * change.
 */
export function chooseMarks(before: string, after: string): Marks {
  const runs = [before, after].flatMap((text) => text.match(/\[-+|(?<!-)-+\]|\{\++|(?<!\+)\++\}/g) ?? []);
  const length = runs.reduce((longest, { length: own }) => Math.max(longest, own), 1);
  const [minus, plus] = ["-".repeat(length), "+".repeat(length)];
  return { removed: [`[${minus}`, `${minus}]`], added: [`{${plus}`, `${plus}}`] };
}

/**
 * Prints the differences between two texts, each with context and its line number or source location. Uses marks as
 * well as colors, because colors are lost when copied and not everyone can see them.
 */
function formatHunks(hunks: readonly Hunk[], marks: Marks, margin: string, { width }: TextOptions): Line[] {
  const digits = String(
    findLargest(
      hunks.map(({ line }) => line),
      1,
    ),
  ).length;
  return hunks.flatMap((hunk) => formatHunk(hunk, margin, digits, width, marks));
}

function formatHunk(hunk: Hunk, margin: string, digits: number, width: number, marks: Marks): Line[] {
  const rest = [createSpan(`${margin}${" ".repeat(digits)} │ `, "dim")];
  const lines = splitHunk(hunk, marks).flatMap((line, at) =>
    wrap(line, {
      width,
      first: at === 0 ? [createSpan(`${margin}${String(hunk.line).padStart(digits)} │ `, "dim")] : rest,
      rest,
    }),
  );
  if (!hunk.location) return lines;
  const location = createSpan(`${hunk.location.file}:${hunk.location.line}`, "dim");
  return [...wrap([location], { width, first: rest, rest }), ...lines];
}

function splitHunk({ segments, cutBefore, cutAfter }: Hunk, marks: Marks): Line[] {
  const lines: Span[][] = [cutBefore ? [createSpan("…", "dim")] : []];
  for (const [at, segment] of segments.entries()) {
    const startsLine = lines.at(-1)?.length === 0;
    const follows = segments[at + 1]?.text ?? "";
    const rows =
      segment.kind === "same"
        ? splitRows(segment, false).map((row) => (row === "" ? [] : [createSpan(row)]))
        : formatChangedLines(segment, startsLine, follows, marks);
    for (const [row, spans] of rows.entries()) {
      if (row > 0) lines.push([]);
      lines.at(-1)?.push(...spans);
    }
  }
  if (cutAfter) lines.at(-1)?.push(createSpan("…", "dim"));
  if (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

/**
 * Marks each line of a changed span separately, so that no mark or color crosses the margin. Shows a differing line
 * ending as ⏎, except where the entire line differs anyway.
 */
function formatChangedLines(segment: Segment, startsLine: boolean, follows: string, marks: Marks): Span[][] {
  const kind = segment.kind === "added" ? "added" : "removed";
  const [open, close] = marks[kind];
  const wholeLines = startsLine && segment.text.endsWith("\n") && segment.text.trim() !== "";
  return splitRows(segment, /^\r?\n/.test(follows)).map((row, at, rows) => {
    const ends = at < rows.length - 1 && (!wholeLines || row === "");
    const shown = ends ? `${row}⏎` : row;
    if (shown === "") return [];
    return [createSpan(`${open}${shown}${close}`, kind)];
  });
}
