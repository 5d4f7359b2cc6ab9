import type { ShownDiagnostic, ShownLocation } from "../documents/index.js";
import type { Block, Facts, Items, ListItem, Piece, Table } from "./blocks.js";
import { clip, countCells, padTo } from "./cells.js";
import { cutExcerpt } from "./excerpt.js";
import { formatField, formatNewText } from "./field-text.js";
import { findLargest } from "./phrases.js";
import { repeatOptions } from "./repeat-options.js";
import { createSpan, fillLines, type Line, type Span, type TextOptions, toTerminal, wrap } from "./span.js";
import { renderGroupedTable, renderParagraphs, renderTableText } from "./table.js";
import { makeVisible } from "./visible.js";

export function renderBlocksText(blocks: readonly Block[], { color, width, repeated }: TextOptions): string {
  const page = { color, width: Math.max(width, 24) };
  return toTerminal(formatBlocks(repeatOptions(blocks, repeated), "  ", page), color);
}

function formatBlocks(
  blocks: readonly Block[],
  indent: string,
  page: TextOptions,
  lines: Line[] = [],
): Line[] {
  for (const block of blocks) {
    if (block.is === "gap") {
      if (lines.length > 0 && lines.at(-1)?.length !== 0) lines.push([]);
    } else if (block.is === "only") {
      if (block.in === "text") formatBlocks(block.blocks, indent, page, lines);
    } else for (const line of formatBlock(block, indent, page)) lines.push(line);
  }
  return lines;
}

function formatBlock(
  block: Exclude<Block, { is: "gap" | "only" }>,
  indent: string,
  page: TextOptions,
): Line[] {
  const { width } = page;
  const wrapBelow = (line: Line, hanging = 2, more = 0) => {
    const first = indent + " ".repeat(more);
    return wrap(line, { width, first: [createSpan(first)], rest: [createSpan(first + " ".repeat(hanging))] });
  };
  switch (block.is) {
    case "heading":
      return wrap(block.inline.map(toSpan), { width, first: [], rest: [createSpan("  ")] });
    case "paragraph":
      return wrapBelow(block.inline.map(toSpan), block.hanging, block.indent);
    case "list":
      return block.entries.flatMap((entry) => wrapBelow(entry.map(toSpan)));
    case "notes":
      return block.entries.flatMap((entry) =>
        wrapBelow([createSpan("note", "warning"), createSpan("  "), ...entry.map(toSpan)], 6),
      );
    case "indented":
      return formatBlocks(block.blocks, width < 60 ? indent : `${indent}    `, page);
    case "items":
      return formatItems(block, indent, page);
    case "facts":
      return formatFacts(block, indent, width);
    case "lines":
      return block.lines.map((line) => line.map(toSpan));
    case "table":
      return formatTable(block, width);
    case "findings":
      return formatDiagnostics([...block.diagnostics, ...block.policies], width);
    case "difference":
      return [...formatField(block.field, indent, page), ...formatNewText(block, indent, page)];
    case "declared":
      return [];
  }
}

function toSpan({ text, is, style }: Piece): Span {
  return createSpan(is === "command" ? `\`${text}\`` : text, style);
}

/** Maximum name column width. */
const maxNameWidth = 24;

/**
 * Prints each item's word and name in columns, followed by its label and other pieces. Pieces that do not fit go below.
 */
function formatItems({ items, width: column }: Items, indent: string, page: TextOptions): Line[] {
  const names = items.map(({ name }) => countCells(makeVisible(name.text)));
  const nameWidth = Math.min(maxNameWidth, findLargest(names, 0));
  // Details go below the name, or below the word in a narrow terminal.
  const inner = indent + " ".repeat(page.width < 60 ? 2 : column);
  return items.flatMap((item) => {
    const lead = `${indent.slice(2)}${(item.mark ?? "").padEnd(2)}${item.word.padEnd(Math.max(column, item.word.length + 1))}`;
    return formatItem(
      item,
      [createSpan(lead, item.style), createSpan(padTo(makeVisible(item.name.text), nameWidth), "strong")],
      inner,
      page,
    );
  });
}

function formatItem(item: ListItem, lead: Line, indent: string, page: TextOptions): Line[] {
  const { label = "", beside, remarks = [], below = [] } = item;
  const { width } = page;
  const parts: Line[] = [
    lead,
    ...(label === "" ? [] : [[createSpan(`"${label}"`)]]),
    ...beside.flatMap((piece) => (piece ? [[toSpan(piece)]] : [])),
  ];
  const margins = { width, first: [createSpan(indent)], rest: [createSpan(indent)] };
  return [
    ...fillLines(parts, width, indent),
    ...remarks.flatMap(({ text, code }) =>
      wrap(
        code === undefined ? [createSpan(text, "dim")] : [createSpan(text), createSpan(`  [${code}]`, "dim")],
        margins,
      ),
    ),
    ...formatBlocks(below, indent, page),
  ];
}

function formatFacts({ facts }: Facts, indent: string, width: number): Line[] {
  const names = facts.map(([name]) => countCells(makeVisible(name)));
  const column = findLargest(names, 0) + 2;
  return facts.flatMap(([name, value, style = "dim"]) =>
    wrap([createSpan(value)], {
      width,
      first: [createSpan(indent), createSpan(padTo(makeVisible(name), column), style)],
      rest: [createSpan(indent + " ".repeat(column))],
    }),
  );
}

function formatTable({ columns, rows, maxTextWidth, isGrouped = false }: Table, width: number): Line[] {
  if (rows.length === 0) return [];
  const shown = rows.map((row) =>
    row.map((text) => (maxTextWidth ? clip(makeVisible(text), maxTextWidth) : text)),
  );
  return (
    renderTableText(columns, shown, width) ??
    (isGrouped ? renderGroupedTable(columns, shown, width) : undefined) ??
    renderParagraphs(columns, shown, width)
  );
}

/** Prints diagnostics with an empty line after each. Line numbers are aligned across all of them. */
function formatDiagnostics(diagnostics: readonly ShownDiagnostic[], width: number): Line[] {
  const gutter = findLargest(
    diagnostics.map(({ location }) => String(location?.line ?? 0).length),
    1,
  );
  return diagnostics.flatMap((diagnostic) => [...formatDiagnostic(diagnostic, gutter, width), []]);
}

function formatDiagnostic(diagnostic: ShownDiagnostic, gutter: number, width: number): Line[] {
  const { severity, code, message, location, hint } = diagnostic;
  const title = [createSpan(`${severity}[${code}]`, severity), createSpan(` ${message}`, "strong")];
  const head = wrap(title, { width, first: [], rest: [createSpan("  ")] });
  if (location) return [...head, ...formatLocation(location, hint, severity, gutter, width)];
  if (hint === undefined) return head;
  return [
    ...head,
    ...wrap([createSpan(hint)], { width, first: [createSpan("  ")], rest: [createSpan("  ")] }),
  ];
}

/** Prints the source line, with carets under the marked range and the hint next to or below them. */
function formatLocation(
  location: ShownLocation,
  hint: string | undefined,
  severity: ShownDiagnostic["severity"],
  gutter: number,
  width: number,
): Line[] {
  const blank = " ".repeat(gutter);
  const bar = createSpan(`${blank}│ `, "dim");
  const { text, start, length } = cutExcerpt(location, width - gutter - 2);
  const carets = [bar, createSpan(" ".repeat(start)), createSpan("^".repeat(length), severity)];
  const lines: Line[] = [
    [createSpan(`${blank}╷`, "dim")],
    [createSpan(`${String(location.line).padStart(gutter)}│ `, "dim"), createSpan(text)],
  ];
  const beside = gutter + 2 + start + length + 1;
  if (hint === undefined) lines.push(carets);
  else if (beside + countCells(makeVisible(hint)) <= width)
    lines.push([...carets, createSpan(` ${hint}`, severity)]);
  else lines.push(carets, ...wrap([createSpan(hint, severity)], { width, first: [bar], rest: [bar] }));
  const where = `${location.file}:${location.line}:${location.column}`;
  lines.push(
    ...wrap([createSpan(where)], {
      width,
      first: [createSpan(`${blank}╵ `, "dim")],
      rest: [createSpan(`${blank}  `)],
    }),
  );
  return lines;
}
