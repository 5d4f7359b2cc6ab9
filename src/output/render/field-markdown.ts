import type { PlanDocument, ShownField } from "../documents/index.js";
import { clip } from "./cells.js";
import { html } from "./html.js";
import type { Hunk } from "./hunks.js";
import { diffEntries } from "./list-diff.js";
import { code, details, fenced, join, link, type Markdown, md, trusted } from "./markdown.js";
import { count, describeCause } from "./phrases.js";
import { compareField } from "./prose-changes.js";
import type { Segment } from "./prose-diff.js";
import { proseFacts } from "./prose-facts.js";
import { splitRows } from "./rows.js";
import { runningText } from "./running-text.js";
import { findObjectsWithEdit } from "./shared-edits.js";
import { canCompare, describeSize, entryInLine, sizeChange, toEntries, valueInLine } from "./value-text.js";

const longestValue = 300;
/** Of the differences of one text, where not all are asked for. */
const mostHunks = 40;
/** Of the places of one text that are linked. */
const mostLinks = 8;
const mostNames = 20;

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
  /** Says which rules a new text breaks, and which objects have the same edit. */
  readonly plan?: PlanDocument | undefined;
}

/** A difference of an object; only that of a plan needs the object's address. */
export function fieldMarkdown(field: ShownField, address = "", options: FieldMarkdownOptions): Markdown {
  const { detail, fileUrl, isWhole, wholeUrl, plan } = options;
  const cause = describeCause(field);
  const why = trusted<Markdown>(cause ? `(${cause})` : "");
  const { hunks = [], paragraphs = [] } = compareField(field) ?? {};
  const head = join(
    [md`**${code(field.field)}**`, describeChange(field), why, describePlace(field, hunks, fileUrl)],
    " ",
  );
  const blocks = [head, summary(field, address, options), join(listFacts(field), "\n")];
  if (detail === "none") return join(blocks, "\n\n");
  if (field.type === "list") blocks.push(listDiff(field));
  const most = isWhole ? Number.POSITIVE_INFINITY : mostHunks;
  blocks.push(...paragraphsMarkdown(field, address, paragraphs.slice(0, most), plan));
  const own = hunks.filter(
    ({ segments }) => (findObjectsWithEdit(plan, field, segments)[0] ?? address) === address,
  );
  if (detail === "lines" && own.length > 0) {
    const lines = hunksMarkdown(own, most, field.place);
    blocks.push(paragraphs.length > 0 ? details(html`By lines`, lines) : lines);
  }
  if (wholeUrl !== undefined && Math.max(own.length, paragraphs.length) > most)
    blocks.push(md`_${link(md`The summary of the run`, wholeUrl)} shows all changes of this text._`);
  return join(blocks, "\n\n");
}

/** What changed in a text, in one line. */
function summary(field: ShownField, address: string, { plan }: FieldMarkdownOptions): Markdown {
  const { before, after, limit } = field;
  const changes = compareField(field);
  if (!changes || typeof before !== "string" || typeof after !== "string") return md``;
  const { sections, wordsIn, wordsOut } = changes;
  const { placeholders } = proseFacts(before, after);
  const broken = plan?.policies?.filter((found) => found.address === address && found.field === field.field);
  const rules = codes([...new Set(broken?.map((found) => found.code))]);
  return join(
    [
      sections.length > 0 ? md`in ${codes(sections)}` : md``,
      wordsIn + wordsOut > 0 ? md`${trusted<Markdown>(count(wordsIn, "word"))} in, ${wordsOut} out` : md``,
      ...(placeholders?.added ?? []).map((name) => md`${code(name)} in`),
      ...(placeholders?.removed ?? []).map((name) => md`${code(name)} out`),
      rules === "" ? rules : md`rules: ${rules}`,
      limit === undefined ? md`` : md`${after.length} of ${limit} characters`,
    ],
    " · ",
  );
}

/** As running text. What several objects have is shown at the first of them, with the names of all. */
function paragraphsMarkdown(
  field: ShownField,
  address: string,
  paragraphs: readonly (readonly Segment[])[],
  plan: PlanDocument | undefined,
): Markdown[] {
  let last: Markdown | undefined;
  return paragraphs.flatMap((paragraph) => {
    const holders = findObjectsWithEdit(plan, field, paragraph);
    const [first = address] = holders;
    const names = holders.length > 1 ? codes(holders) : undefined;
    const isTold = names === undefined || names === last;
    last = names;
    if (first !== address) return isTold ? [] : [md`What it shares with ${code(first)} is shown there.`];
    const title = isTold ? md`` : md`The same in ${holders.length} objects, ${names ?? md``}:`;
    return [title, runningText(paragraph)];
  });
}

function codes(names: readonly string[]): Markdown {
  return join([...names.slice(0, mostNames).map(code), names.length > mostNames ? md`…` : md``], ", ");
}

/** Where to find it: of a text that is compared, the line of each change. */
function describePlace(
  { place, declared_at: at = place }: ShownField,
  hunks: readonly { readonly line: number }[],
  fileUrl?: FileUrl,
): Markdown {
  if (!at) return trusted("");
  const lines = place && hunks.length > 0 ? [...new Set(hunks.map(({ line }) => line))] : [at.line];
  const links = lines.slice(0, mostLinks).map((line) => link(md`${line}`, fileUrl?.(at.file, line)));
  const more = lines.length > mostLinks ? md`, …` : md``;
  return md`in ${code(at.file)}, ${trusted<Markdown>(lines.length === 1 ? "line" : "lines")} ${join(links, ", ")}${more}`;
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
function listFacts(field: ShownField): Markdown[] {
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
    ...accidents.map((accident) => md`- ⚠ ${trusted<Markdown>(capitalized(accident))}`),
    ...moved.map(({ where, text }) => {
      const how = trusted<Markdown>(capitalized(where));
      return text === undefined
        ? md`- ${how}.`
        : md`- ${how}, with the same words: ${code(clip(text, longestBeginning))}`;
    }),
    ...(placeholders?.added ?? []).map((name) =>
      isOurs
        ? md`- ${isNew} ${code(name)}: whoever starts a session has to pass it.`
        : md`- Placeholder ${code(name)}: only in the files.`,
    ),
    ...(placeholders?.removed ?? []).map((name) =>
      isOurs
        ? md`- Placeholder ${code(name)} is gone: nobody has to pass it any more.`
        : md`- Placeholder ${code(name)}: only in the account.`,
    ),
  ];
}

/** Of a moved paragraph, so much that it is recognised. */
const longestBeginning = 60;

function capitalized(sentence: string): string {
  return sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
}

function listDiff({ before, after }: ShownField): Markdown {
  const signs = { removed: "-", added: "+", moved: " " } as const;
  const lines = diffEntries(toEntries(before), toEntries(after)).map(
    ({ kind, entry }) => `${signs[kind]} ${entryInLine(entry)}${kind === "moved" ? "  (moved)" : ""}`,
  );
  return lines.length > 0 ? fenced(lines, "diff") : trusted("(empty)");
}

/** The differences of two texts as a fenced diff. */
function hunksMarkdown(hunks: readonly Hunk[], mostHunks: number, place?: ShownField["place"]): Markdown {
  const file = place ? `${place.file} ` : "";
  const lines = hunks
    .slice(0, mostHunks)
    .flatMap((hunk) => [`@@ ${file}line ${hunk.line} @@ ${hunk.place ?? ""}`.trimEnd(), ...hunkLines(hunk)]);
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
