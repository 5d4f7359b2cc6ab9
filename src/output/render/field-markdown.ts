import { capitalize, type ShownField, type ShownLine } from "../documents/index.js";
import type { Difference } from "./blocks.js";
import type { Hunk } from "./hunks.js";
import { diffEntries } from "./list-diff.js";
import { fenceLines, join, link, listCodeNames, type Markdown, md, toCode, trustText } from "./markdown.js";
import { findPartialWithEdit } from "./partial-changes.js";
import { describeCause, formatCount, splitSides } from "./phrases.js";
import { findChangedHunks, summarizeField } from "./prose-changes.js";
import { findProseFacts } from "./prose-facts.js";
import { renderRunningText } from "./running-text.js";
import { findFirstWithEdit, markdownContextLength } from "./shared-edits.js";
import {
  canCompare,
  describeSize,
  formatEntryInLine,
  formatSizeChange,
  formatValueInLine,
  hasEntries,
  toEntries,
} from "./value-text.js";

/** Maximum length of a value, in UTF-16 code units. */
const maxValueLength = 300;
/** Start of a new text. Limited because the whole comment must fit into the 65,000 characters that hosts accept. */
const newTextStart = /^[\s\S]{0,8000}(?=\s|$)/u;
/** Maximum number of links per file. */
const maxLinks = 8;

/** Returns the code host's URL for a line in a project file. */
export type FileUrl = (file: string, line: number) => string;

export interface FieldMarkdownOptions {
  /** Whether to omit the differences and show only the names of changed fields. */
  readonly isShort?: boolean;
  readonly fileUrl?: FileUrl | undefined;
  /** URL of a page that shows the whole plan. */
  readonly wholeUrl?: string | undefined;
}

/** Prints the difference in a field. If another object already shows an edit, names that object instead. */
export function renderField(difference: Omit<Difference, "is">, options: FieldMarkdownOptions): Markdown {
  const { head, facts, changes } = renderFieldParts(difference, options);
  return join([head, ...facts, ...changes], "\n\n");
}

/** Prints the difference in a plan's only field. Changed sentences come first. */
export function renderOnlyField(
  title: Markdown,
  difference: Omit<Difference, "is">,
  options: FieldMarkdownOptions,
): Markdown {
  const { head, facts, changes } = renderFieldParts(difference, options);
  return join([...changes, md`${title}: ${head}`, ...facts], "\n\n");
}

interface FieldParts {
  /** Name, size and location. */
  readonly head: Markdown;
  readonly facts: readonly Markdown[];
  /** Changed passages or entries. */
  readonly changes: readonly Markdown[];
}

function renderFieldParts(
  { field, plan, partials = [] }: Omit<Difference, "is">,
  { isShort = false, fileUrl }: FieldMarkdownOptions,
): FieldParts {
  const cause = describeCause(field);
  const why = trustText<Markdown>(cause ? `(${cause})` : "");
  const sides = splitSides(field);
  if (sides) {
    const head = md`**${toCode(field.field)}** ${why}`;
    return {
      head,
      facts: [],
      changes: sides.map((side) => renderField({ field: side }, { isShort, fileUrl })),
    };
  }
  const changes = findChangedHunks(field, markdownContextLength);
  const findPartialOf = (hunk: Hunk) => {
    const partial = cause ? undefined : findPartialWithEdit(partials, hunk);
    if (partial) return partial.file;
    const first = plan && !cause ? findFirstWithEdit(plan, hunk, field) : undefined;
    return first?.field === field ? undefined : first?.address;
  };
  const others = [...new Set(changes.flatMap((hunk) => findPartialOf(hunk) ?? []))];
  const location = describeLocation(field, changes, fileUrl);
  const words = join([md`**${toCode(field.field)}**`, describeChange(field), why, location], " ");
  const head = field.type === "write-only" ? md`${words}; the value is never shown` : words;
  const facts = [renderSummary(field), join(listFacts(field), "\n")];
  if (isShort) return { head, facts, changes: [] };
  const shown = [
    ...(hasEntries(field) ? [listDiff(field)] : []),
    ...changes.filter((hunk) => findPartialOf(hunk) === undefined).map(renderRunningText),
    renderNewText(field),
    others.length > 0 ? md`The same edit as in ${listCodeNames(others)}.` : md``,
  ];
  return { head, facts, changes: shown };
}

/** Prints a new text that does not fit on its field's line. */
function renderNewText({ type, before, after }: ShownField): Markdown {
  if (type !== "prose" || before !== undefined || typeof after !== "string" || isShortLine(after))
    return md``;
  const text = newTextStart.exec(after)?.[0] ?? "";
  const whole = { line: 1, location: undefined, cutBefore: false, cutAfter: text.length < after.length };
  return renderRunningText({ ...whole, segments: [{ kind: "same", text }] });
}

function isShortLine(text: string): boolean {
  return text.length <= maxValueLength && !text.includes("\n");
}

/** Summarizes the changes to a text in one line. */
export function renderSummary(field: ShownField): Markdown {
  const changes = summarizeField(field);
  if (!changes) return md``;
  const { sections, wordsIn, wordsOut } = changes;
  return join(
    [
      sections.length > 0 ? md`in ${listCodeNames(sections)}` : md``,
      wordsIn + wordsOut > 0
        ? md`${trustText<Markdown>(formatCount(wordsIn, "word"))} in, ${wordsOut} out`
        : md``,
    ],
    " · ",
  );
}

/** Links to a field's location, or to each change of a compared text. */
function describeLocation(
  { before, location, composed, declared_at: at = location }: ShownField,
  hunks: readonly Hunk[],
  fileUrl: FileUrl | undefined,
): Markdown {
  const changed = hunks.flatMap(
    ({ line, location: own = location && { file: location.file, line } }) => own ?? [],
  );
  const isComposed = composed && before !== undefined;
  const locations = changed.length > 0 || isComposed ? changed : at ? [at] : [];
  return locations.length > 0 ? md`in ${describeLocations(locations, fileUrl)}` : md``;
}

/** Formats locations, such as "`a.md`, lines 1, 3; `b.md`, line 2". */
export function describeLocations(locations: readonly ShownLine[], fileUrl: FileUrl | undefined): Markdown {
  const files = [...new Set(locations.map(({ file }) => file))].map((file) => {
    const lines = [
      ...new Set(locations.filter((location) => location.file === file).map(({ line }) => line)),
    ];
    const links = lines.slice(0, maxLinks).map((line) => link(md`${line}`, fileUrl?.(file, line)));
    const more = lines.length > maxLinks ? md`, …` : md``;
    return md`${toCode(file)}, ${trustText<Markdown>(lines.length === 1 ? "line" : "lines")} ${join(links, ", ")}${more}`;
  });
  return join(files, "; ");
}

function describeChange(field: ShownField): Markdown {
  const { type, before, after, known_after } = field;
  if (known_after !== undefined) {
    const now = md`id of ${toCode(known_after)}, known after apply`;
    return before === undefined ? now : md`${renderInLine(before)} → ${now}`;
  }
  if (type === "write-only") return describeSources(field);
  if (after === undefined)
    return before === undefined ? trustText("(deleted)") : md`${renderInLine(before)} → (deleted)`;
  if (hasEntries(field)) return trustText("");
  if (canCompare(field)) return trustText(formatSizeChange(field) ?? "");
  return before === undefined ? renderInLine(after) : md`${renderInLine(before)} → ${renderInLine(after)}`;
}

function describeSources({ source_before: before, source }: ShownField): Markdown {
  if (source === undefined) return trustText("new value");
  return before === undefined
    ? md`new value from ${toCode(source)}`
    : md`${toCode(before)} → ${toCode(source)}`;
}

function renderInLine(value: NonNullable<ShownField["before"]>): Markdown {
  if (typeof value !== "string") return trustText(formatValueInLine(value));
  return isShortLine(value) ? toCode(value) : trustText(describeSize(value));
}

/** Lists facts that a diff does not make obvious. */
export function listFacts(field: ShownField): readonly Markdown[] {
  const { type, cause, before, after } = field;
  if (type !== "prose" || typeof after !== "string") return [];
  const { accidents, placeholders } = findProseFacts(typeof before === "string" ? before : undefined, after);
  const isOurs = cause === "configured";
  const isNew = trustText<Markdown>(before === undefined ? "Placeholder" : "New placeholder");
  return [
    ...accidents.map((accident) => md`- ⚠ ${trustText<Markdown>(capitalize(accident))}`),
    ...placeholders.added.map((name) =>
      isOurs
        ? md`- ${isNew} ${toCode(name)}: callers must pass it when they start a session.`
        : md`- Placeholder ${toCode(name)}: only in the files.`,
    ),
    ...placeholders.removed.map((name) =>
      isOurs
        ? md`- Placeholder ${toCode(name)} was removed: callers no longer need to pass it.`
        : md`- Placeholder ${toCode(name)}: only in the account.`,
    ),
  ];
}

function listDiff({ before, after }: ShownField): Markdown {
  const lines = diffEntries(toEntries(before), toEntries(after)).map(
    ({ kind, entry }) => `${kind === "removed" ? "-" : "+"} ${formatEntryInLine(entry)}`,
  );
  return lines.length > 0 ? fenceLines(lines, "diff") : trustText("(empty)");
}
