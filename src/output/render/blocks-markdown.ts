import type { ShownDiagnostic } from "../documents/index.js";
import type { Block, Findings, Inline, Items, List, ListItem, Piece, Table } from "./blocks.js";
import { clip } from "./cells.js";
import { cutExcerpt } from "./excerpt.js";
import { type FieldMarkdownOptions, renderField, renderOnlyField } from "./field-markdown.js";
import { html, toHtmlCode } from "./html.js";
import {
  type Cell,
  cutToLimit,
  fenceLines,
  join,
  link,
  type Markdown,
  type MarkdownOptions,
  md,
  measureBytes,
  renderDetails,
  renderTable,
  toCode,
  toCodeCell,
  toSentence,
  trustText,
} from "./markdown.js";
import { renderPartials } from "./partials-markdown.js";
import { formatCount } from "./phrases.js";

/** Options for Markdown on a code host. */
export interface PlanMarkdownOptions extends MarkdownOptions, Omit<FieldMarkdownOptions, "isShort"> {}

const newline = trustText<Markdown>("\n");

/** Limits on the size of the output. */
interface SizeBudget extends FieldMarkdownOptions {
  /** Number of items and diagnostics to show. */
  readonly rows: number;
  /** Whether to print only the table. */
  readonly isTable?: boolean;
  /** Maximum size of the sections, in bytes. Printing stops there, because a larger page would be discarded anyway. */
  readonly maxBytes?: number;
}

/**
 * Prints blocks as Markdown of up to `limit` bytes. To fit, drops the differences first, then the sections, then rows
 * and diagnostics. `finish` is applied before the page is measured.
 */
export function renderBlocksMarkdown(
  blocks: readonly Block[],
  { limit = 60_000, ...shown }: PlanMarkdownOptions,
  finish = (page: Markdown) => page,
): string {
  const page = (room: SizeBudget) => finish(md`${joinBlocks(blocks, { ...shown, ...room })}${newline}`);
  for (const isShort of [false, true]) {
    const whole = page({ rows: Number.POSITIVE_INFINITY, isShort, maxBytes: limit * 2 });
    if (measureBytes(whole) <= limit) return whole;
  }
  return cutToLimit(countRows(blocks), limit, (rows) => page({ rows, isTable: true }));
}

/** Counts the rows that can be dropped. */
function countRows(blocks: readonly Block[]): number {
  const counts = blocks.map((block) => {
    if (block.is === "items") return block.items.length + (block.partials?.partials.length ?? 0);
    if (block.is === "table") return block.isCut ? block.rows.length : 0;
    return block.is === "findings" ? block.diagnostics.length + block.policies.length : 0;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function joinBlocks(blocks: readonly Block[], room: SizeBudget): Markdown {
  return join(
    blocks.map((block) => printBlock(block, room)),
    "\n\n",
  );
}

function printBlock(block: Block, room: SizeBudget): Markdown {
  switch (block.is) {
    case "gap":
      return md``;
    case "heading":
      return md`### ${renderInline(block.inline)}`;
    case "paragraph":
      return renderInline(block.inline);
    case "list":
    case "notes":
      return listMarkdown(block);
    case "indented":
      return joinBlocks(block.blocks, room);
    case "items":
      return renderItems(block, room);
    case "facts":
      return join(
        block.facts.map(
          ([title, value]) => md`- ${title === "" ? md`` : md`${toCode(title)}: `}${toSentence(value)}`,
        ),
        "\n",
      );
    case "lines":
      return fenceLines(
        block.lines.map((line) => line.map(({ text }) => text).join("")),
        "",
      );
    case "table":
      return printTable(block, room);
    case "findings":
      return renderFindings(block, room);
    case "difference":
      return renderField(block, room);
    case "declared": {
      const { file, line } = block.at;
      return md`Declared in ${toCode(file)}, line ${link(md`${line}`, room.fileUrl?.(file, line))}.`;
    }
    case "only":
      return block.in === "markdown" ? joinBlocks(block.blocks, room) : md``;
  }
}

function printTable({ columns, rows, isCut }: Table, room: SizeBudget): Markdown {
  if (rows.length === 0) return md``;
  const shown = isCut ? rows.slice(0, room.rows) : rows;
  const table = renderTable(
    columns.map(({ title }) => title),
    shown.map((row) =>
      row.map((text, at) => (columns[at]?.is === "untrusted" ? toCodeCell(text) : trustText<Cell>(text))),
    ),
  );
  return join([table, describeOmitted(rows.length - shown.length, "more row")], "\n\n");
}

function renderInline(line: Inline): Markdown {
  return join(
    line.map(({ text, is, style }) => {
      if (is === "sentence") return toSentence(text);
      return is === "own" ? trustText(style === "strong" ? `**${text}**` : text) : toCode(text);
    }),
    "",
  );
}

/** Maximum list entry width, in terminal columns. */
const maxEntryWidth = 500;

function listMarkdown({ entries, maxEntries, noun }: List): Markdown {
  const left = entries.length - maxEntries;
  const shortenPiece = (piece: Piece) => ({ ...piece, text: clip(piece.text, maxEntryWidth) });
  const lines = entries.slice(0, maxEntries).map((entry) => md`- ${renderInline(entry.map(shortenPiece))}`);
  return join(
    [...lines, left > 0 ? md`- ${trustText<Markdown>(formatCount(left, `more ${noun}`))}` : md``],
    "\n",
  );
}

function renderFindings(block: Findings, { rows }: SizeBudget): Markdown {
  const { diagnostics, policies, maxEntries = rows } = block;
  const all = [...diagnostics, ...policies];
  const shown = all.slice(0, maxEntries).map(renderDiagnostic);
  if (shown.length > diagnostics.length) shown.splice(diagnostics.length, 0, policiesTitle);
  return join([...shown, describeOmitted(all.length - maxEntries, "more")], "\n\n");
}

function describeOmitted(left: number, what: string): Markdown {
  return left > 0 ? md`_${trustText<Markdown>(formatCount(left, what))} not shown here._` : md``;
}

/** Prints the table of items, with the partials above it, and the remarks and sections below. */
function renderItems(block: Items, room: SizeBudget): Markdown {
  const { items, noun, titles, command, partials } = block;
  const above = partials ? renderPartials(partials, room) : md``;
  const [only, ...others] = items;
  if (only?.section && others.length === 0 && !room.isTable && !room.isShort)
    return join([above, renderOnlyItem(only, only.section, room, above === "")], "\n\n");
  // Rows are dropped from the end, so items that need attention come first.
  const sorted = items.toSorted((a, b) => Number(b.isOpen ?? false) - Number(a.isOpen ?? false));
  const shown = sorted.slice(0, room.rows);
  const remarks = shown.flatMap(({ name, remarks = [] }) =>
    remarks.map(({ text }) => md`- ${toCode(name.text)}: ${toSentence(text)}`),
  );
  return join(
    [
      above,
      items.length === 1 && only && shown.length === 1 ? renderLine(only) : renderRows(titles, shown),
      describeOmitted(items.length - shown.length, `more ${noun}`),
      join(remarks, "\n"),
      ...(command === undefined ? [] : renderSections(block, room)),
    ],
    "\n\n",
  );
}

/** Prints a single object without a table or folded sections. */
function renderOnlyItem(
  item: ListItem,
  section: readonly Block[],
  room: SizeBudget,
  isFirst: boolean,
): Markdown {
  const title = renderLine(item.isApart ? item : { ...item, cells: [] });
  const fields = section.flatMap((block) => (block.is === "difference" ? [block] : []));
  const rest = joinBlocks(
    section.filter(({ is }) => is !== "difference"),
    room,
  );
  const [field, ...more] = fields;
  if (isFirst && !item.isApart && field && more.length === 0)
    return join([renderOnlyField(title, field, room), rest], "\n\n");
  return join([fields.length > 0 ? title : renderLine(item), rest, joinBlocks(fields, room)], "\n\n");
}

function renderLine({ word, name, label = "", cells }: ListItem): Markdown {
  const parts = [
    md`**${trustText<Markdown>(word)}**`,
    toCode(name.text),
    label === "" ? md`` : toCode(label),
  ];
  const filled = cells.filter((cell) => cell.some(({ text }) => text !== ""));
  return join([...parts, ...filled.map(renderInline)], " ");
}

/** Prints a table, omitting empty columns. */
function renderRows(titles: readonly string[], items: readonly ListItem[]): Markdown {
  const rows = items.map(renderRow);
  const isFilled = (_: unknown, at: number) => rows.some((row) => (row[at] ?? "") !== "");
  return rows.length === 0
    ? md``
    : renderTable(
        titles.filter(isFilled),
        rows.map((row) => row.filter(isFilled)),
      );
}

function renderRow({ word, isOpen, name, label, cells }: ListItem): Cell[] {
  const toCell = (line: Inline): Cell =>
    join(
      line.map(({ text, is, style }) =>
        is === "own" ? trustText<Cell>(style === "strong" ? `**${text}**` : text) : toCodeCell(text),
      ),
      "",
    );
  return [
    trustText(isOpen ? `**${word}**` : word),
    toCell([name]),
    ...(label === undefined ? [] : [toCodeCell(label)]),
    ...cells.map(toCell),
  ];
}

/** Prints the sections. Those with `isApart` come last, under their own heading. */
function renderSections(
  { items, command = "", apart, maxOpenSections = 0, partials }: Items,
  room: SizeBudget,
): Markdown[] {
  const { isTable, isShort, wholeUrl, maxBytes = Number.POSITIVE_INFINITY } = room;
  const left = isTable ? "details" : "differences";
  const where =
    wholeUrl === undefined
      ? md`Run ${toCode(command)} to see`
      : md`${link(md`The summary of the run`, wholeUrl)} shows`;
  const shortened = md`_Too long for a comment: ${trustText<Markdown>(left)} left out. ${where} everything._`;
  const hasPartials = partials !== undefined && partials.partials.length > 0;
  if (isTable) return hasPartials || items.some(({ section = [] }) => section.length > 0) ? [shortened] : [];
  let bytes = 0;
  const printed = items.flatMap(({ word, name, label = "", section = [], isApart = false }) => {
    if (bytes > maxBytes) return [];
    const summary = html`${word} ${toHtmlCode(name.text)} ${toHtmlCode(label)}`;
    const content = joinBlocks(section, room);
    bytes += measureBytes(content);
    return content === "" ? [] : [{ summary, content, isApart }];
  });
  const renderFolded = (apart: boolean) =>
    printed
      .filter(({ isApart }) => isApart === apart)
      .map(({ summary, content }) => renderDetails(summary, content, printed.length <= maxOpenSections));
  const others = renderFolded(true);
  return [
    ...renderFolded(false),
    ...(others.length > 0 && apart
      ? [md`#### ${trustText<Markdown>(apart.heading)}`, trustText<Markdown>(apart.text)]
      : []),
    ...others,
    isShort && (hasPartials || printed.length > 0) ? shortened : md``,
  ];
}

const policiesTitle = md`#### Policies`;

/** Maximum source line width, in terminal columns. */
const maxLineWidth = 120;

/** Prints a diagnostic with its location and source line. */
function renderDiagnostic({ severity, code: name, message, location, hint }: ShownDiagnostic): Markdown {
  const where = location ? md` at ${toCode(`${location.file}:${location.line}:${location.column}`)}` : md``;
  const head = md`**${trustText<Markdown>(severity)}** ${toCode(name)}${where}: ${toSentence(message)}`;
  const source = location ? fenceLines([cutExcerpt(location, maxLineWidth).text], "") : md``;
  const advice = hint === undefined ? md`` : md`→ ${toSentence(hint)}`;
  return join([head, source, advice], "\n\n");
}
