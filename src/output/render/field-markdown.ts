import { capitalise, type ShownField, type ShownLine } from "../documents/index.js";
import type { Difference } from "./blocks.js";
import { clip } from "./cells.js";
import { html } from "./html.js";
import type { Hunk } from "./hunks.js";
import { diffEntries } from "./list-diff.js";
import { code, details, fenced, join, link, type Markdown, md, named, trusted } from "./markdown.js";
import { count, describeCause } from "./phrases.js";
import { changedHunks, compareField, remembered } from "./prose-changes.js";
import type { Segment } from "./prose-diff.js";
import { proseFacts } from "./prose-facts.js";
import { splitRows } from "./rows.js";
import { runningText } from "./running-text.js";
import { findSharedEdits, notShared, type SharedEdit } from "./shared-edits.js";
import { canCompare, describeSize, entryInLine, sizeChange, toEntries, valueInLine } from "./value-text.js";

const longestValue = 300;
/** Shown differences of one text, unless all are asked for. */
const mostHunks = 40;
/** Linked places of one text. */
const mostLinks = 8;

/** The page of a line of a project's file. */
export type FileUrl = (file: string, line: number) => string;

export interface FieldMarkdownOptions {
  /** As much of the differences as there is room for: running text, and the diff of lines. */
  readonly detail: "none" | "text" | "lines";
  readonly fileUrl?: FileUrl | undefined;
  /** Shows every difference of a text, however many there are. */
  readonly isWhole?: boolean | undefined;
  /** Where the whole plan is. */
  readonly wholeUrl?: string | undefined;
}

/** The difference of a field; empty if nothing of it is left to say. */
export function fieldMarkdown(
  { field, shared: plans, rules = [] }: Omit<Difference, "is">,
  options: FieldMarkdownOptions,
): Markdown {
  const { detail, fileUrl } = options;
  const shared = plans && findSharedEdits(plans);
  const cause = describeCause(field);
  const why = trusted<Markdown>(cause ? `(${cause})` : "");
  const changes = changedHunks(field);
  const hunks = notShared(field, changes, shared);
  const paragraphs = notShared(field, compareField(field)?.paragraphs ?? [], shared);
  const said = shared?.edits.filter(({ texts }) => texts.includes(field)).flatMap(sharedFacts);
  const facts = listFacts(field).filter((fact) => !said?.includes(fact));
  if (shared?.parts.has(field) && hunks.length + paragraphs.length + facts.length === 0) return md``;
  const place = describePlace(field, field.place ? changes : hunks, fileUrl);
  const head = join([md`**${code(field.field)}**`, describeChange(field), why, place], " ");
  const blocks = [head, summary(field, rules), join(facts, "\n")];
  if (detail === "none") return join(blocks, "\n\n");
  if (field.type === "list") blocks.push(listDiff(field));
  return join([...blocks, ...differences({ hunks, paragraphs }, options, field.place)], "\n\n");
}

/** What several objects have alike, once for all of them. */
export function sharedMarkdown(edit: SharedEdit, options: FieldMarkdownOptions): Markdown {
  const { texts, places, holders } = edit;
  const where = places.length > 0 ? describePlaces(places, options.fileUrl) : md`The same`;
  const fields = named([...new Set(texts.map(({ field }) => field))]);
  const title = md`#### ${where}, in ${fields} of ${describeHolders(holders)}`;
  const names = md`In ${named([...new Set([...holders.values()].flat())])}.`;
  const shown = options.detail === "none" ? [] : differences(edit, options);
  return join([title, join(sharedFacts(edit), "\n"), ...shown, names], "\n\n");
}

/** "6 objects"; of several plans "6 objects of `staging` and `production`", or the number of each. */
function describeHolders(holders: SharedEdit["holders"]): Markdown {
  const groups = new Map<string, { many: number; environments: Markdown[] }>();
  for (const [{ environment = "" }, addresses] of holders) {
    const key = JSON.stringify(addresses);
    const { environments = [] } = groups.get(key) ?? {};
    groups.set(key, { many: addresses.length, environments: [...environments, code(environment)] });
  }
  const said = [...groups.values()].map(({ many, environments }) => {
    const objects = trusted<Markdown>(count(many, "object"));
    return holders.size === 1 ? objects : md`${objects} of ${join(environments, " and ")}`;
  });
  return join(said, ", ");
}

/** What is said once of all texts with an edit. */
const sharedFacts = remembered(({ texts: [first, ...others] }: SharedEdit): readonly Markdown[] =>
  listFacts(first).filter((fact) => others.every((text) => listFacts(text).includes(fact))),
);

/** Changes as running text, and by lines. */
function differences(
  { hunks, paragraphs }: Pick<SharedEdit, "hunks" | "paragraphs">,
  { detail, isWhole, wholeUrl }: FieldMarkdownOptions,
  place?: ShownLine,
): Markdown[] {
  const most = isWhole ? Number.POSITIVE_INFINITY : mostHunks;
  const shown = paragraphs.slice(0, most).map(runningText);
  if (detail === "lines" && hunks.length > 0) {
    const lines = hunksMarkdown(hunks, most, place);
    shown.push(shown.length > 0 ? details(html`By lines`, lines) : lines);
  }
  if (wholeUrl !== undefined && Math.max(hunks.length, paragraphs.length) > most)
    shown.push(md`_${link(md`The summary of the run`, wholeUrl)} shows all changes of this text._`);
  return shown;
}

/** What changed in a text, in one line. */
function summary(field: ShownField, rules: readonly string[]): Markdown {
  const { before, after, limit } = field;
  const changes = compareField(field);
  if (!changes || typeof before !== "string" || typeof after !== "string") return md``;
  const { sections, wordsIn, wordsOut } = changes;
  const { placeholders } = proseFacts(before, after);
  return join(
    [
      sections.length > 0 ? md`in ${named(sections)}` : md``,
      wordsIn + wordsOut > 0 ? md`${trusted<Markdown>(count(wordsIn, "word"))} in, ${wordsOut} out` : md``,
      ...placeholders.added.map((name) => md`${code(name)} in`),
      ...placeholders.removed.map((name) => md`${code(name)} out`),
      rules.length > 0 ? md`rules: ${named(rules)}` : md``,
      limit === undefined ? md`` : md`${after.length} of ${limit} characters`,
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
  if (type === "list") return trusted("");
  if (canCompare(field)) return trusted(sizeChange(field) ?? "");
  return before === undefined ? inLine(after) : md`${inLine(before)} → ${inLine(after)}`;
}

function inLine(value: NonNullable<ShownField["before"]>): Markdown {
  if (typeof value !== "string") return trusted(valueInLine(value));
  return value.length <= longestValue && !value.includes("\n") ? code(value) : trusted(describeSize(value));
}

/** What a diff does not make obvious, as a list. */
const listFacts = remembered((field: ShownField): readonly Markdown[] => {
  const { type, cause, before, after, place } = field;
  if (type !== "prose" || typeof after !== "string") return [];
  const { accidents, moved, placeholders } = proseFacts(
    typeof before === "string" ? before : undefined,
    after,
    place?.line,
  );
  const isOurs = cause === "configured";
  const isNew = trusted<Markdown>(before === undefined ? "Placeholder" : "New placeholder");
  return [
    ...accidents.map((accident) => md`- ⚠ ${trusted<Markdown>(capitalise(accident))}`),
    ...moved.map(({ where, text }) => {
      const how = trusted<Markdown>(capitalise(where));
      return text === undefined
        ? md`- ${how}.`
        : md`- ${how}, with the same words: ${code(clip(text, longestBeginning))}`;
    }),
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
});

/** So much of a moved paragraph that it is recognised. */
const longestBeginning = 60;

function listDiff({ before, after }: ShownField): Markdown {
  const signs = { removed: "-", added: "+", moved: " " } as const;
  const lines = diffEntries(toEntries(before), toEntries(after)).map(
    ({ kind, entry }) => `${signs[kind]} ${entryInLine(entry)}${kind === "moved" ? "  (moved)" : ""}`,
  );
  return lines.length > 0 ? fenced(lines, "diff") : trusted("(empty)");
}

/** The differences of two texts as a fenced diff. */
function hunksMarkdown(hunks: readonly Hunk[], mostHunks: number, place?: ShownField["place"]): Markdown {
  const lines = hunks.slice(0, mostHunks).flatMap((hunk) => {
    const { file, line } = hunk.place ?? { ...place, line: hunk.line };
    return [`@@ ${file === undefined ? "" : `${file} `}line ${line} @@`, ...hunkLines(hunk)];
  });
  const rest = hunks.length - mostHunks;
  return fenced(rest > 0 ? [...lines, `@@ ${count(rest, "more change")} not shown here @@`] : lines, "diff");
}

/** Lines of both versions come before and after; between them the old lines, then the new ones. */
function hunkLines(hunk: Hunk): string[] {
  const old = side(hunk, "removed");
  const now = side(hunk, "added");
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return [
    ...now.slice(0, head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+ ${line}`),
    ...now.slice(now.length - tail).map((line) => `  ${line}`),
  ];
}

/** The lines of one version: unchanged spans, and spans of this version. */
function side({ segments, cutBefore, cutAfter }: Hunk, kind: Segment["kind"]): string[] {
  const lines = [cutBefore ? "…" : ""];
  const own = segments.filter((segment) => segment.kind === "same" || segment.kind === kind);
  for (const [at, segment] of own.entries()) {
    const ends = /^\r?\n/.test(own[at + 1]?.text ?? "");
    for (const [row, text] of splitRows(segment, ends).entries()) {
      if (row > 0) lines.push("");
      lines.push(`${lines.pop() ?? ""}${text}`);
    }
  }
  if (cutAfter) lines.push(`${lines.pop() ?? ""}…`);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
