import { capitalise, type ShownField, type ShownLine } from "../documents/index.js";
import type { Difference } from "./blocks.js";
import type { Hunk } from "./hunks.js";
import { diffEntries } from "./list-diff.js";
import { code, fenced, join, link, type Markdown, md, named, trusted } from "./markdown.js";
import { count, describeCause } from "./phrases.js";
import { changedHunks, summarizeField } from "./prose-changes.js";
import { proseFacts } from "./prose-facts.js";
import { runningText } from "./running-text.js";
import { findFirstWithEdit, markdownContext } from "./shared-edits.js";
import {
  canCompare,
  describeSize,
  entryInLine,
  hasEntries,
  sizeChange,
  toEntries,
  valueInLine,
} from "./value-text.js";

const longestValue = 300;
/** Linked places of one text. */
const mostLinks = 8;

/** The page of a line of a project's file. */
export type FileUrl = (file: string, line: number) => string;

export interface FieldMarkdownOptions {
  /** Says what differs without the differences, for which there is no room. */
  readonly isShort?: boolean;
  readonly fileUrl?: FileUrl | undefined;
  /** Where the whole plan is. */
  readonly wholeUrl?: string | undefined;
}

/** The difference of a field; of an edit that is shown with another object of the plan, the name of that. */
export function fieldMarkdown(
  { field, plan }: Omit<Difference, "is">,
  { isShort, fileUrl }: FieldMarkdownOptions,
): Markdown {
  const cause = describeCause(field);
  const why = trusted<Markdown>(cause ? `(${cause})` : "");
  const changes = changedHunks(field, markdownContext);
  const shownWith = (hunk: Hunk) => {
    const first = plan && !cause ? findFirstWithEdit(plan, hunk, field) : undefined;
    return first?.field === field ? undefined : first?.address;
  };
  const others = [...new Set(changes.flatMap((hunk) => shownWith(hunk) ?? []))];
  const place = describePlace(field, changes, fileUrl);
  const head = join([md`**${code(field.field)}**`, describeChange(field), why, place], " ");
  const blocks = [head, summary(field), join(listFacts(field), "\n")];
  if (isShort) return join(blocks, "\n\n");
  if (hasEntries(field)) blocks.push(listDiff(field));
  blocks.push(...changes.filter((hunk) => shownWith(hunk) === undefined).map(runningText));
  if (others.length > 0) blocks.push(md`The same edit as in ${named(others)}.`);
  return join(blocks, "\n\n");
}

/** What changed in a text, in one line. */
function summary(field: ShownField): Markdown {
  const changes = summarizeField(field);
  if (!changes) return md``;
  const { sections, wordsIn, wordsOut } = changes;
  return join(
    [
      sections.length > 0 ? md`in ${named(sections)}` : md``,
      wordsIn + wordsOut > 0 ? md`${trusted<Markdown>(count(wordsIn, "word"))} in, ${wordsOut} out` : md``,
    ],
    " · ",
  );
}

/** Where to find it: of a text that is compared, the line of each change. */
function describePlace(
  { place, composed, declared_at: at = place }: ShownField,
  hunks: readonly Hunk[],
  fileUrl: FileUrl | undefined,
): Markdown {
  const changed = hunks.flatMap(({ line, place: own = place && { file: place.file, line } }) => own ?? []);
  const places = changed.length > 0 || composed ? changed : at ? [at] : [];
  return places.length > 0 ? md`in ${describePlaces(places, fileUrl)}` : md``;
}

/** "`a.md`, lines 1, 3; `b.md`, line 2". */
function describePlaces(places: readonly ShownLine[], fileUrl: FileUrl | undefined): Markdown {
  const files = [...new Set(places.map(({ file }) => file))].map((file) => {
    const lines = [...new Set(places.filter((place) => place.file === file).map(({ line }) => line))];
    const links = lines.slice(0, mostLinks).map((line) => link(md`${line}`, fileUrl?.(file, line)));
    const more = lines.length > mostLinks ? md`, …` : md``;
    return md`${code(file)}, ${trusted<Markdown>(lines.length === 1 ? "line" : "lines")} ${join(links, ", ")}${more}`;
  });
  return join(files, "; ");
}

function describeChange(field: ShownField): Markdown {
  const { type, before, after, known_after } = field;
  if (known_after !== undefined) {
    const now = md`id of ${code(known_after)}, known after apply`;
    return before === undefined ? now : md`${inLine(before)} → ${now}`;
  }
  if (type === "write-only") return trusted("new value, never shown");
  if (after === undefined)
    return before === undefined ? trusted("(deleted)") : md`${inLine(before)} → (deleted)`;
  if (hasEntries(field)) return trusted("");
  if (canCompare(field)) return trusted(sizeChange(field) ?? "");
  return before === undefined ? inLine(after) : md`${inLine(before)} → ${inLine(after)}`;
}

function inLine(value: NonNullable<ShownField["before"]>): Markdown {
  if (typeof value !== "string") return trusted(valueInLine(value));
  return value.length <= longestValue && !value.includes("\n") ? code(value) : trusted(describeSize(value));
}

/** What a diff does not make obvious, as a list. */
function listFacts(field: ShownField): readonly Markdown[] {
  const { type, cause, before, after } = field;
  if (type !== "prose" || typeof after !== "string") return [];
  const { accidents, placeholders } = proseFacts(typeof before === "string" ? before : undefined, after);
  const isOurs = cause === "configured";
  const isNew = trusted<Markdown>(before === undefined ? "Placeholder" : "New placeholder");
  return [
    ...accidents.map((accident) => md`- ⚠ ${trusted<Markdown>(capitalise(accident))}`),
    ...placeholders.added.map((name) =>
      isOurs
        ? md`- ${isNew} ${code(name)}: whoever starts a session has to pass it.`
        : md`- Placeholder ${code(name)}: only in the files.`,
    ),
    ...placeholders.removed.map((name) =>
      isOurs
        ? md`- Placeholder ${code(name)} is gone: nobody has to pass it any more.`
        : md`- Placeholder ${code(name)}: only in the account.`,
    ),
  ];
}

function listDiff({ before, after }: ShownField): Markdown {
  const lines = diffEntries(toEntries(before), toEntries(after)).map(
    ({ kind, entry }) => `${kind === "removed" ? "-" : "+"} ${entryInLine(entry)}`,
  );
  return lines.length > 0 ? fenced(lines, "diff") : trusted("(empty)");
}
