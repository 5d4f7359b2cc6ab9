import {
  type Block,
  type Charts,
  type Facts,
  type FoldedTable,
  type Item,
  type Items,
  joined,
  type Piece,
  type Table,
} from "./blocks.js";
import { cells, clip, padTo } from "./cells.js";
import { diagnosticsLines } from "./diagnostics-text.js";
import { fieldText } from "./field-text.js";
import { largest } from "./largest.js";
import { number } from "./phrases.js";
import { flow, type Line, type Span, styled, type TextOptions, toTerminal, wrap } from "./span.js";
import { drawChart } from "./sparkline.js";
import { fittingTable, paragraphs, tableText } from "./table.js";
import { visible } from "./visible.js";

export function blocksText(blocks: readonly Block[], { color, width }: TextOptions): string {
  return toTerminal(blockLines(blocks, "  ", { color, width: Math.max(width, 24) }), color);
}

function blockLines(blocks: readonly Block[], indent: string, page: TextOptions, lines: Line[] = []): Line[] {
  for (const block of blocks) {
    if (block.is === "gap") {
      if (lines.length > 0 && lines.at(-1)?.length !== 0) lines.push([]);
    } else if (block.is === "only") {
      if (block.in === "text") blockLines(block.blocks, indent, page, lines);
    } else for (const line of linesOfBlock(block, indent, page)) lines.push(line);
  }
  return lines;
}

function linesOfBlock(
  block: Exclude<Block, { is: "gap" | "only" }>,
  indent: string,
  page: TextOptions,
): Line[] {
  const { width } = page;
  const below = (line: Line, hanging = 2, more = 0) => {
    const first = indent + " ".repeat(more);
    return wrap(line, { width, first: [styled(first)], rest: [styled(first + " ".repeat(hanging))] });
  };
  switch (block.is) {
    case "heading":
      return wrap(block.words.map(span), { width, first: [], rest: [styled("  ")] });
    case "paragraph":
      return below(block.words.map(span), block.hanging, block.indent);
    case "list":
      return block.entries.flatMap((entry) => below(entry.map(span)));
    case "notes":
      return block.entries.flatMap((entry) =>
        below([styled("note", "warning"), styled("  "), ...entry.map(span)], 6),
      );
    case "indented":
      return blockLines(block.blocks, width < 60 ? indent : `${indent}    `, page);
    case "choices":
      return block.choices.flatMap(({ about, run }) => [
        ...below([styled("• "), ...joined(about, "  ").map(span)]),
        ...below([styled(`  ${run}`, "dim")]),
      ]);
    case "items":
      return itemsLines(block, indent, page);
    case "row":
      return flow(
        block.parts.map((part) => part.map(span)),
        width,
        `${indent}  `,
      );
    case "facts":
      return factLines(block, indent, width);
    case "lines":
      return block.lines.map((line) => line.map(span));
    case "table":
      return tableLines(block, width) ?? blockLines(block.narrow ?? [], indent, page);
    case "charts":
      return chartsLines(block, width);
    case "folded":
      return foldedLines(block, width);
    case "findings":
      return diagnosticsLines([...block.diagnostics, ...block.policies], width);
    case "difference":
      return fieldText(block.field, indent, page);
    case "declared":
      return [];
  }
}

function span({ text, is, style }: Piece): Span {
  return styled(is === "quoted" ? `"${text}"` : is === "command" ? `\`${text}\`` : text, style);
}

/** The widest column of names. */
const mostCells = 24;

/** What is done, name and label in columns; what else there is beside them as far as it fits, all else below. */
function itemsLines(
  { items, width: column, isLoose = false }: Items,
  indent: string,
  page: TextOptions,
): Line[] {
  const names = isLoose ? [] : items.map(({ name }) => cells(visible(name.text)));
  const widest = Math.min(mostCells, largest(names, 0));
  // Details go below the name, or below what is done if there is little room.
  const inner = indent + " ".repeat(page.width < 60 ? 2 : column);
  return items.flatMap((item) => {
    const lead = `${indent.slice(2)}${(item.mark ?? "").padEnd(2)}${item.word.padEnd(column)}`;
    return itemLines(
      item,
      [styled(lead, item.style), styled(padTo(visible(item.name.text), widest), "strong")],
      inner,
      page,
    );
  });
}

function itemLines(item: Item, lead: Line, indent: string, page: TextOptions): Line[] {
  const { label = "", beside, about, remarks = [], below = [] } = item;
  const { width } = page;
  const things: Line[] = [
    lead,
    ...(label === "" ? [] : [[styled(`"${label}"`)]]),
    ...beside.flatMap((piece) => (piece ? [[span(piece)]] : [])),
  ];
  const margins = { width, first: [styled(indent)], rest: [styled(indent)] };
  return [
    ...flow(things, width, indent),
    ...(about === undefined ? [] : wrap([styled(about)], margins)),
    ...remarks.flatMap(({ text, code }) =>
      wrap(
        code === undefined ? [styled(text, "dim")] : [styled(text), styled(`  [${code}]`, "dim")],
        margins,
      ),
    ),
    ...blockLines(below, indent, page),
  ];
}

function factLines({ facts, indent: more }: Facts, indent: string, width: number): Line[] {
  const names = facts.map(([name]) => cells(visible(name)));
  const margin = indent + " ".repeat(more);
  const column = largest(names, 0) + 2;
  return facts.flatMap(([name, value, style = "dim"]) =>
    wrap([styled(value)], {
      width,
      first: [styled(margin), styled(padTo(visible(name), column), style)],
      rest: [styled(margin + " ".repeat(column))],
    }),
  );
}

function tableLines(
  { columns, rows, widest, dispensable = [], narrow }: Table,
  width: number,
): Line[] | undefined {
  if (rows.length === 0) return [];
  const aligned = columns.map(({ title, is }) => ({
    title,
    ...(is === "number" && { align: "right" as const }),
  }));
  const shown = rows.map((row) => row.map((text) => (widest ? clip(visible(text), widest) : text)));
  return (
    fittingTable(aligned, shown, width, dispensable) ??
    (narrow ? undefined : paragraphs(aligned, shown, width))
  );
}

/** The width of the names of rows. */
export const nameWidth = 18;

function chartsLines({ charts, busiest }: Charts, width: number): Line[] {
  const room = Math.max(20, Math.min(60, width - nameWidth - 20));
  const line = (name: string, ...things: readonly Line[]) =>
    flow([[styled(`  ${name.padEnd(nameWidth)}`, "dim")], ...things], width, "    ");
  return [
    ...charts.flatMap((chart) => {
      const { name, marks, most } = drawChart(chart, room);
      const scale = chart.isDaily ? `most: ${number(most)}` : "0 to 23 h";
      return line(name, [styled(marks, "changed")], [styled(scale, "dim")]);
    }),
    ...line("busiest hours", [styled(busiest)]),
  ];
}

/** The sentence, and the table, or a paragraph for each row if it does not fit. */
function foldedLines({ sentence, titles, rows, hint }: FoldedTable, width: number): Line[] {
  const below = { width, first: [styled("  ")], rest: [styled("    ")] };
  const columns = titles.map((title) => ({ title: title.toLowerCase() }));
  const narrow = () =>
    rows.flatMap(([first = "", ...more]) =>
      flow([[styled("  "), styled(first)], ...more.map((text): Line => [styled(text)])], width, "    "),
    );
  return [
    ...wrap([styled(sentence, "strong")], below),
    ...(rows.length === 0 ? [] : (tableText(columns, rows, width) ?? narrow())),
    ...(hint.length === 0 ? [] : wrap(hint.map(span), below)),
    [],
  ];
}
