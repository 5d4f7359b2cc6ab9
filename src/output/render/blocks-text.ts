import type { ShownDiagnostic, ShownPlace } from "../documents/index.js";
import type { Block, Facts, Item, Items, Piece, Table } from "./blocks.js";
import { cells, clip, padTo } from "./cells.js";
import { excerpt } from "./excerpt.js";
import { fieldText, newTextLines } from "./field-text.js";
import { largest } from "./phrases.js";
import { repeatOptions } from "./repeat-options.js";
import { flow, type Line, type Span, styled, type TextOptions, toTerminal, wrap } from "./span.js";
import { paragraphs, tableText } from "./table.js";
import { visible } from "./visible.js";

export function blocksText(blocks: readonly Block[], { color, width, repeated }: TextOptions): string {
  const page = { color, width: Math.max(width, 24) };
  return toTerminal(blockLines(repeatOptions(blocks, repeated), "  ", page), color);
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
    case "items":
      return itemsLines(block, indent, page);
    case "facts":
      return factLines(block, indent, width);
    case "lines":
      return block.lines.map((line) => line.map(span));
    case "table":
      return tableLines(block, width);
    case "findings":
      return diagnosticsLines([...block.diagnostics, ...block.policies], width);
    case "difference":
      return [...fieldText(block.field, indent, page), ...newTextLines(block, indent, page)];
    case "declared":
      return [];
  }
}

function span({ text, is, style }: Piece): Span {
  return styled(is === "command" ? `\`${text}\`` : text, style);
}

/** Maximum width of the name column. */
const maxNameWidth = 24;

/** Prints word, name and label in columns, then facts beside them as far as they fit, and the rest below. */
function itemsLines({ items, width: column }: Items, indent: string, page: TextOptions): Line[] {
  const names = items.map(({ name }) => cells(visible(name.text)));
  const widest = Math.min(maxNameWidth, largest(names, 0));
  // Details go below the name; in a narrow terminal, below the word.
  const inner = indent + " ".repeat(page.width < 60 ? 2 : column);
  return items.flatMap((item) => {
    const lead = `${indent.slice(2)}${(item.mark ?? "").padEnd(2)}${item.word.padEnd(Math.max(column, item.word.length + 1))}`;
    return itemLines(
      item,
      [styled(lead, item.style), styled(padTo(visible(item.name.text), widest), "strong")],
      inner,
      page,
    );
  });
}

function itemLines(item: Item, lead: Line, indent: string, page: TextOptions): Line[] {
  const { label = "", beside, remarks = [], below = [] } = item;
  const { width } = page;
  const things: Line[] = [
    lead,
    ...(label === "" ? [] : [[styled(`"${label}"`)]]),
    ...beside.flatMap((piece) => (piece ? [[span(piece)]] : [])),
  ];
  const margins = { width, first: [styled(indent)], rest: [styled(indent)] };
  return [
    ...flow(things, width, indent),
    ...remarks.flatMap(({ text, code }) =>
      wrap(
        code === undefined ? [styled(text, "dim")] : [styled(text), styled(`  [${code}]`, "dim")],
        margins,
      ),
    ),
    ...blockLines(below, indent, page),
  ];
}

function factLines({ facts }: Facts, indent: string, width: number): Line[] {
  const names = facts.map(([name]) => cells(visible(name)));
  const column = largest(names, 0) + 2;
  return facts.flatMap(([name, value, style = "dim"]) =>
    wrap([styled(value)], {
      width,
      first: [styled(indent), styled(padTo(visible(name), column), style)],
      rest: [styled(indent + " ".repeat(column))],
    }),
  );
}

function tableLines({ columns, rows, widest }: Table, width: number): Line[] {
  if (rows.length === 0) return [];
  const shown = rows.map((row) => row.map((text) => (widest ? clip(visible(text), widest) : text)));
  return tableText(columns, shown, width) ?? paragraphs(columns, shown, width);
}

/** Prints each diagnostic with an empty line below it. All line numbers share one gutter. */
function diagnosticsLines(diagnostics: readonly ShownDiagnostic[], width: number): Line[] {
  const gutter = largest(
    diagnostics.map(({ place }) => String(place?.line ?? 0).length),
    1,
  );
  return diagnostics.flatMap((diagnostic) => [...diagnosticLines(diagnostic, gutter, width), []]);
}

function diagnosticLines(diagnostic: ShownDiagnostic, gutter: number, width: number): Line[] {
  const { severity, code, message, place, hint } = diagnostic;
  const title = [styled(`${severity}[${code}]`, severity), styled(` ${message}`, "strong")];
  const head = wrap(title, { width, first: [], rest: [styled("  ")] });
  if (place) return [...head, ...placeLines(place, hint, severity, gutter, width)];
  if (hint === undefined) return head;
  return [...head, ...wrap([styled(hint)], { width, first: [styled("  ")], rest: [styled("  ")] })];
}

/** Prints the source line, with carets under the marked range and the hint beside or below them. */
function placeLines(
  place: ShownPlace,
  hint: string | undefined,
  severity: ShownDiagnostic["severity"],
  gutter: number,
  width: number,
): Line[] {
  const blank = " ".repeat(gutter);
  const bar = styled(`${blank}│ `, "dim");
  const { text, start, length } = excerpt(place, width - gutter - 2);
  const carets = [bar, styled(" ".repeat(start)), styled("^".repeat(length), severity)];
  const lines: Line[] = [
    [styled(`${blank}╷`, "dim")],
    [styled(`${String(place.line).padStart(gutter)}│ `, "dim"), styled(text)],
  ];
  const beside = gutter + 2 + start + length + 1;
  if (hint === undefined) lines.push(carets);
  else if (beside + cells(visible(hint)) <= width) lines.push([...carets, styled(` ${hint}`, severity)]);
  else lines.push(carets, ...wrap([styled(hint, severity)], { width, first: [bar], rest: [bar] }));
  const where = `${place.file}:${place.line}:${place.column}`;
  lines.push(
    ...wrap([styled(where)], { width, first: [styled(`${blank}╵ `, "dim")], rest: [styled(`${blank}  `)] }),
  );
  return lines;
}
