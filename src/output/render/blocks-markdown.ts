import type { ShownDiagnostic } from "../documents/index.js";
import type { Block, Findings, Item, Items, List, Piece, Section, Table, Words } from "./blocks.js";
import { clip } from "./cells.js";
import {
  type FieldMarkdownOptions,
  fieldMarkdown,
  sharedInMarkdown,
  sharedMarkdown,
} from "./field-markdown.js";
import { type Html, type HtmlPart, html } from "./html.js";
import {
  type Cell,
  code,
  codeCell,
  details,
  fenced,
  fitting,
  join,
  link,
  type Markdown,
  type MarkdownOptions,
  md,
  sentence,
  sizeInBytes,
  tableMarkdown,
  trusted,
} from "./markdown.js";
import { count } from "./phrases.js";
import type { SharedEdit } from "./shared-edits.js";
import { visible } from "./visible.js";

/** What else a page on a code host can show. */
export interface PlanMarkdownOptions extends MarkdownOptions, Omit<FieldMarkdownOptions, "isShort"> {}

/** How much of the blocks is printed. */
interface Room extends FieldMarkdownOptions {
  /** Shown items and diagnostics. */
  readonly rows: number;
  /** The sections as printed; undefined: there is no room for any. */
  readonly sections?: ReadonlyMap<Section | SharedEdit, Markdown>;
  /** How many sections lack their differences. */
  readonly cut?: number;
}

/**
 * Blocks as Markdown of up to `limit` bytes. What is too long loses its longest differences first, then sections, then
 * rows and diagnostics, and says so. A page is finished before it is measured.
 */
export function blocksMarkdown(
  blocks: readonly Block[],
  { limit = 60_000, ...shown }: PlanMarkdownOptions,
  finish = (page: Markdown) => page,
): string {
  const page = (room: Omit<Room, keyof FieldMarkdownOptions>) =>
    finish(md`${joinBlocks(blocks, { ...shown, ...room })}
`);
  const printed = sectionsIn(blocks, shown);
  const longest = printed
    .filter(({ full, short }) => full !== short)
    .toSorted((a, b) => b.full.length - a.full.length);
  const withSections = fitting(longest.length, limit, (kept) => {
    const cut = new Set(longest.slice(0, longest.length - kept));
    const sections = new Map<Section | SharedEdit, Markdown>(
      printed.map((one) => [one.section, cut.has(one) ? one.short : one.full]),
    );
    return page({ rows: Number.POSITIVE_INFINITY, sections, cut: cut.size });
  });
  if (sizeInBytes(withSections) <= limit) return withSections;
  return fitting(rowsIn(blocks).length, limit, (rows) => page({ rows }));
}

/** What a section says, with its differences in full and without. */
interface PrintedSection {
  readonly section: Section | SharedEdit;
  readonly full: Markdown;
  readonly short: Markdown;
}

/** Each section that says something. */
function sectionsIn(blocks: readonly Block[], options: FieldMarkdownOptions): PrintedSection[] {
  const room = { ...options, rows: Number.POSITIVE_INFINITY };
  const shared = sharedIn(blocks).map((section) => ({
    section,
    full: sharedMarkdown(section, options),
    short: sharedMarkdown(section, { ...options, isShort: true }),
  }));
  const all = blocks.flatMap((block) => (block.is === "items" ? block.items : []));
  const mostOpen = blocks.reduce((most, block) => (block.is === "items" ? (block.mostOpen ?? 0) : most), 0);
  const own = all
    .flatMap(({ word, name, label = "", sections = [] }) =>
      sections.map((section) => ({
        section,
        summary: html`${word} ${htmlCode(name.text)} ${htmlCode(label)}`,
        full: joinBlocks(section.blocks, room),
        short: joinBlocks(section.blocks, { ...room, isShort: true }),
      })),
    )
    .filter(({ short }) => short !== "");
  const folded = (summary: Html, content: Markdown) => details(summary, content, own.length <= mostOpen);
  return [
    ...shared,
    ...own.map(({ section, summary, full, short }) => ({
      section,
      full: folded(summary, full),
      short: folded(summary, short),
    })),
  ];
}

function sharedIn(blocks: readonly Block[]): SharedEdit[] {
  return blocks.flatMap((block) => (block.is === "shared" ? sharedInMarkdown(block.plan) : []));
}

/** Foreign text in a summary. */
function htmlCode(text: string): HtmlPart {
  const shown = visible(clip(text, 200));
  return shown.trim() !== "" && html`<code>${shown}</code>`;
}

/** What can be cut, in rows. */
function rowsIn(blocks: readonly Block[]): readonly unknown[] {
  return blocks.flatMap((block): readonly unknown[] => {
    if (block.is === "items") return block.items;
    if (block.is === "table") return block.isCut ? block.rows : [];
    return block.is === "findings" ? [...block.diagnostics, ...block.policies] : [];
  });
}

function lines(entries: readonly Markdown[]): Markdown {
  return join(entries, "\n");
}

function joinBlocks(blocks: readonly Block[], room: Room): Markdown {
  return join(
    blocks.map((block) => printBlock(block, room)),
    "\n\n",
  );
}

function printBlock(block: Block, room: Room): Markdown {
  switch (block.is) {
    case "gap":
      return md``;
    case "heading":
      return md`### ${inline(block.words)}`;
    case "paragraph":
      return inline(block.words);
    case "list":
    case "notes":
      return listMarkdown(block);
    case "indented":
      return joinBlocks(block.blocks, room);
    case "items":
      return itemsMarkdown(block, room);
    case "facts":
      return lines(
        block.facts.map(
          ([title, value]) => md`- ${title === "" ? md`` : md`${code(title)}: `}${sentence(value)}`,
        ),
      );
    case "lines":
      return fenced(
        block.lines.map((line) => line.map(({ text }) => text).join("")),
        "",
      );
    case "table":
      return printTable(block, room);
    case "findings":
      return findingsMarkdown(block, room);
    case "difference":
      return fieldMarkdown(block, room);
    case "shared":
      return join(
        sharedIn([block]).map((edit) => room.sections?.get(edit) ?? md``),
        "\n\n",
      );
    case "declared": {
      const { file, line } = block.at;
      return md`Declared in ${code(file)}, line ${link(md`${line}`, room.fileUrl?.(file, line))}.`;
    }
    case "only":
      return block.in === "markdown" ? joinBlocks(block.blocks, room) : md``;
  }
}

function printTable({ columns, rows, isCut }: Table, room: Room): Markdown {
  if (rows.length === 0) return md``;
  const shown = isCut ? rows.slice(0, room.rows) : rows;
  const table = tableMarkdown(
    columns.map(({ title }) => title),
    shown.map((row) =>
      row.map((text, at) => (columns[at]?.is === "foreign" ? codeCell(text) : trusted<Cell>(text))),
    ),
  );
  return join([table, leftOut(rows.length - shown.length, "more row")], "\n\n");
}

function inline(line: Words): Markdown {
  return join(
    line.map(({ text, is, style }) => {
      if (is === "sentence") return sentence(text);
      return is === "ours" ? trusted(style === "strong" ? `**${text}**` : text) : code(text);
    }),
    "",
  );
}

const longestEntry = 500;

function listMarkdown({ entries, most, noun }: List): Markdown {
  const left = entries.length - most;
  const isCut = most < Number.POSITIVE_INFINITY;
  const shortened = (piece: Piece) => (isCut ? { ...piece, text: piece.text.slice(0, longestEntry) } : piece);
  const lines = entries.slice(0, most).map((entry) => md`- ${inline(entry.map(shortened))}`);
  return join([...lines, left > 0 ? md`- ${trusted<Markdown>(count(left, `more ${noun}`))}` : md``], "\n");
}

function findingsMarkdown(block: Findings, { rows }: Room): Markdown {
  const { diagnostics, policies, most = rows } = block;
  const all = [...diagnostics, ...policies];
  const shown = all.slice(0, most).map(diagnosticMarkdown);
  if (shown.length > diagnostics.length) shown.splice(diagnostics.length, 0, policiesTitle);
  return join([...shown, leftOut(all.length - most, "more")], "\n\n");
}

function leftOut(left: number, what: string): Markdown {
  return left > 0 ? md`_${trusted<Markdown>(count(left, what))} not shown here._` : md``;
}

/** The table, then why things are so, then the sections. */
function itemsMarkdown(block: Items, room: Room): Markdown {
  const { items, noun, titles, command } = block;
  // What needs attention comes first, so that it stays if rows must be dropped.
  const sorted = items.toSorted((a, b) => Number(b.isOpen ?? false) - Number(a.isOpen ?? false));
  const shown = sorted.slice(0, room.rows);
  const remarks = shown.flatMap(({ name, remarks = [] }) =>
    remarks.map(({ text }) => md`- ${sentence(`${name.text}: ${text}`)}`),
  );
  return join(
    [
      items.length === 0 ? md`` : tableMarkdown(titles, shown.map(rowMarkdown)),
      leftOut(items.length - shown.length, `more ${noun}`),
      join(remarks, "\n"),
      ...(command === undefined ? [] : sectionsMarkdown(block, room)),
    ],
    "\n\n",
  );
}

function rowMarkdown({ word, isOpen, name, label, cells }: Item): Cell[] {
  const cell = (line: Words): Cell =>
    join(
      line.map(({ text, is, style }) =>
        is === "ours" ? trusted<Cell>(style === "strong" ? `**${text}**` : text) : codeCell(text),
      ),
      "",
    );
  return [
    trusted(isOpen ? `**${word}**` : word),
    cell([name]),
    ...(label === undefined ? [] : [codeCell(label)]),
    ...cells.map(cell),
  ];
}

/** The sections, and then those that are apart, below their heading. */
function sectionsMarkdown({ items, command = "", apart }: Items, room: Room): Markdown[] {
  const { sections, cut = 0, wholeUrl } = room;
  const shortened = (what: string) => {
    const where =
      wholeUrl === undefined
        ? md`Run ${code(command)} to see`
        : md`${link(md`The summary of the run`, wholeUrl)} shows`;
    return md`_Too long for a comment: ${trusted<Markdown>(what)} left out. ${where} everything._`;
  };
  if (!sections) return [shortened("details")];
  const all = items.flatMap((item) => item.sections ?? []);
  const printed = (isApart: boolean) =>
    all
      .filter((section) => (section.isApart ?? false) === isApart)
      .map((section) => sections.get(section) ?? md``);
  const others = printed(true);
  return [
    ...printed(false),
    ...(others.length > 0 && apart
      ? [md`#### ${trusted<Markdown>(apart.heading)}`, trusted<Markdown>(apart.text)]
      : []),
    ...others,
    cut > 0 ? shortened(count(cut, "longer difference")) : md``,
  ];
}

const policiesTitle = md`#### Policies`;

/** One diagnostic, with its place and source line. */
function diagnosticMarkdown({ severity, code: name, message, place, hint }: ShownDiagnostic): Markdown {
  const where = place ? md` at ${code(`${place.file}:${place.line}:${place.column}`)}` : md``;
  const head = md`**${trusted<Markdown>(severity)}** ${code(name)}${where}: ${sentence(message)}`;
  const source = place ? fenced([excerpt(place)], "") : md``;
  const [lead, ...lines] = hint?.split("\n") ?? [];
  const advice = lead === undefined ? md`` : md`→ ${sentence(lead)}`;
  return join([head, source, advice, lines.length > 0 ? fenced(lines, "") : md``], "\n\n");
}

/** The part of a long source line around the marked range. */
function excerpt({ text, column, text_column = 1 }: NonNullable<ShownDiagnostic["place"]>): string {
  const meant = column - text_column;
  const start = text.length > longestLine ? Math.max(0, meant - longestLine / 2) : 0;
  const end = start + longestLine;
  return `${start + text_column > 1 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}

const longestLine = 120;
