import type { TableColumn } from "./blocks.js";
import { countCells } from "./cells.js";
import { findLargest } from "./phrases.js";
import { createSpan, flowLines, type Line, type Style } from "./span.js";

/** Prints a table with dim titles, or returns undefined if it does not fit the width. */
export function renderTableText(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): Line[] | undefined {
  const widths = columns.map(({ title }, at) =>
    findLargest(
      rows.map((row) => countCells(createSpan(row[at] ?? "").text)),
      countCells(title),
    ),
  );
  if (widths.reduce((sum, own) => sum + own + 2, 0) > width) return undefined;
  const line = (texts: readonly string[], style?: Style): Line =>
    columns.flatMap((column, at) => {
      const { text } = createSpan(texts[at] ?? "");
      const fill = " ".repeat(Math.max(0, (widths[at] ?? 0) - countCells(text)));
      const aligned = column.is === "number" ? `${fill}${text}` : `${text}${fill}`;
      return [createSpan("  "), createSpan(aligned, style)];
    });
  return [
    line(
      columns.map(({ title }) => title),
      "dim",
    ),
    ...rows.map((row) => line(row)),
  ];
}

/** Prints each row as a paragraph: the first cell, then the other cells with their titles. */
export function renderParagraphs(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): Line[] {
  return rows.flatMap((row) => {
    const texts = row.map((text, at): Line => {
      if (at === 0) return [createSpan("  "), createSpan(text, "strong")];
      return [createSpan(`${columns[at]?.title} `, "dim"), createSpan(text)];
    });
    return flowLines(texts, width, "    ");
  });
}
