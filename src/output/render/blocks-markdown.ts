import type { ShownDiagnostic } from "../documents/index.js";
import type { Block, Findings, Item, Items, List, Piece, Table, Words } from "./blocks.js";
import { clip } from "./cells.js";
import { excerpt } from "./excerpt.js";
import { type FieldMarkdownOptions, fieldMarkdown, onlyFieldMarkdown } from "./field-markdown.js";
import { html, htmlCode } from "./html.js";
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
import { partialsMarkdown } from "./partials-markdown.js";
import { count } from "./phrases.js";

/** Options for Markdown on a code host. */
export interface PlanMarkdownOptions extends MarkdownOptions, Omit<FieldMarkdownOptions, "isShort"> {}

const newline = trusted<Markdown>("\n");

/** Limits on the printed part of the blocks. */
interface Room extends FieldMarkdownOptions {
  /** Number of items and diagnostics to show. */
  readonly rows: number;
  /** Omits sections. */
  readonly isTable?: boolean;
  /** Stops printing after this many bytes of sections; the page will be discarded as too long. */
  readonly maxBytes?: number;
}

/**
 * Prints blocks as Markdown of up to `limit` bytes. A longer page drops its differences first, then its sections, then rows
 * and diagnostics, with a note. `finish` runs before the page is measured.
 */
export function blocksMarkdown(
  blocks: readonly Block[],
  { limit = 60_000, ...shown }: PlanMarkdownOptions,
  finish = (page: Markdown) => page,
): string {
  const page = (room: Room) => finish(md`${joinBlocks(blocks, { ...shown, ...room })}${newline}`);
  for (const isShort of [false, true]) {
    const whole = page({ rows: Number.POSITIVE_INFINITY, isShort, maxBytes: limit * 2 });
    if (sizeInBytes(whole) <= limit) return whole;
  }
  return fitting(countRows(blocks), limit, (rows) => page({ rows, isTable: true }));
}

/** Counts the rows that can be cut. */
function countRows(blocks: readonly Block[]): number {
  const counts = blocks.map((block) => {
    if (block.is === "items") return block.items.length + (block.partials?.partials.length ?? 0);
    if (block.is === "table") return block.isCut ? block.rows.length : 0;
    return block.is === "findings" ? block.diagnostics.length + block.policies.length : 0;
  });
  return counts.reduce((sum, count) => sum + count, 0);
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
      return join(
        block.facts.map(
          ([title, value]) => md`- ${title === "" ? md`` : md`${code(title)}: `}${sentence(value)}`,
        ),
        "\n",
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

/** In terminal columns. */
const maxEntryWidth = 500;

function listMarkdown({ entries, most, noun }: List): Markdown {
  const left = entries.length - most;
  const shortened = (piece: Piece) => ({ ...piece, text: clip(piece.text, maxEntryWidth) });
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

/** Prints the partials, the table, remarks, and the sections. */
function itemsMarkdown(block: Items, room: Room): Markdown {
  const { items, noun, titles, command, partials } = block;
  const above = partials ? partialsMarkdown(partials, room) : md``;
  const [only, ...others] = items;
  if (only?.section && others.length === 0 && !room.isTable && !room.isShort)
    return join([above, onlyItemMarkdown(only, only.section, room, above === "")], "\n\n");
  // Rows are dropped from the end, so items that need attention come first.
  const sorted = items.toSorted((a, b) => Number(b.isOpen ?? false) - Number(a.isOpen ?? false));
  const shown = sorted.slice(0, room.rows);
  const remarks = shown.flatMap(({ name, remarks = [] }) =>
    remarks.map(({ text }) => md`- ${code(name.text)}: ${sentence(text)}`),
  );
  return join(
    [
      above,
      items.length === 1 && only && shown.length === 1 ? lineMarkdown(only) : rowsMarkdown(titles, shown),
      leftOut(items.length - shown.length, `more ${noun}`),
      join(remarks, "\n"),
      ...(command === undefined ? [] : sectionsMarkdown(block, room)),
    ],
    "\n\n",
  );
}

/** Prints a single object without table and fold. */
function onlyItemMarkdown(item: Item, section: readonly Block[], room: Room, isFirst: boolean): Markdown {
  const title = lineMarkdown(item.isApart ? item : { ...item, cells: [] });
  const fields = section.flatMap((block) => (block.is === "difference" ? [block] : []));
  const rest = joinBlocks(
    section.filter(({ is }) => is !== "difference"),
    room,
  );
  const [field, ...more] = fields;
  if (isFirst && !item.isApart && field && more.length === 0)
    return join([onlyFieldMarkdown(title, field, room), rest], "\n\n");
  return join([fields.length > 0 ? title : lineMarkdown(item), rest, joinBlocks(fields, room)], "\n\n");
}

/** Prints an object as one line. */
function lineMarkdown({ word, name, label = "", cells }: Item): Markdown {
  const parts = [md`**${trusted<Markdown>(word)}**`, code(name.text), label === "" ? md`` : code(label)];
  const filled = cells.filter((cell) => cell.some(({ text }) => text !== ""));
  return join([...parts, ...filled.map(inline)], " ");
}

/** Prints a table without empty columns. */
function rowsMarkdown(titles: readonly string[], items: readonly Item[]): Markdown {
  const rows = items.map(rowMarkdown);
  const isFilled = (_: unknown, at: number) => rows.some((row) => (row[at] ?? "") !== "");
  return rows.length === 0
    ? md``
    : tableMarkdown(
        titles.filter(isFilled),
        rows.map((row) => row.filter(isFilled)),
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

/** Prints the sections, then those set apart under their own heading. */
function sectionsMarkdown(
  { items, command = "", apart, mostOpen = 0, partials }: Items,
  room: Room,
): Markdown[] {
  const { isTable, isShort, wholeUrl, maxBytes = Number.POSITIVE_INFINITY } = room;
  const left = isTable ? "details" : "differences";
  const where =
    wholeUrl === undefined
      ? md`Run ${code(command)} to see`
      : md`${link(md`The summary of the run`, wholeUrl)} shows`;
  const shortened = md`_Too long for a comment: ${trusted<Markdown>(left)} left out. ${where} everything._`;
  const hasPartials = partials !== undefined && partials.partials.length > 0;
  if (isTable) return hasPartials || items.some(({ section = [] }) => section.length > 0) ? [shortened] : [];
  let bytes = 0;
  const printed = items.flatMap(({ word, name, label = "", section = [], isApart = false }) => {
    if (bytes > maxBytes) return [];
    const summary = html`${word} ${htmlCode(name.text)} ${htmlCode(label)}`;
    const content = joinBlocks(section, room);
    bytes += sizeInBytes(content);
    return content === "" ? [] : [{ summary, content, isApart }];
  });
  const folded = (apart: boolean) =>
    printed
      .filter(({ isApart }) => isApart === apart)
      .map(({ summary, content }) => details(summary, content, printed.length <= mostOpen));
  const others = folded(true);
  return [
    ...folded(false),
    ...(others.length > 0 && apart
      ? [md`#### ${trusted<Markdown>(apart.heading)}`, trusted<Markdown>(apart.text)]
      : []),
    ...others,
    isShort && (hasPartials || printed.length > 0) ? shortened : md``,
  ];
}

const policiesTitle = md`#### Policies`;

/** In terminal columns. */
const maxLineWidth = 120;

/** Prints a diagnostic with its place and source line. */
function diagnosticMarkdown({ severity, code: name, message, place, hint }: ShownDiagnostic): Markdown {
  const where = place ? md` at ${code(`${place.file}:${place.line}:${place.column}`)}` : md``;
  const head = md`**${trusted<Markdown>(severity)}** ${code(name)}${where}: ${sentence(message)}`;
  const source = place ? fenced([excerpt(place, maxLineWidth).text], "") : md``;
  const advice = hint === undefined ? md`` : md`→ ${sentence(hint)}`;
  return join([head, source, advice], "\n\n");
}
