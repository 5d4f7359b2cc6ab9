import type { TableColumn } from "./blocks.js";
import { countCells } from "./cells.js";
import { findLargest } from "./phrases.js";
import { countLineCells, createSpan, fillLines, type Line, type Style, wrap } from "./span.js";

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

/** Minimum width of a column with wrapped text. */
const minWrappedWidth = 12;

/**
 * Prints the first column above the others, once for adjacent rows with the same value. The other columns stay aligned,
 * and the longest are wrapped. Returns undefined if they do not fit the width even then.
 */
export function renderGroupedTable(
  [{ title: groupTitle = "" } = {}, ...columns]: readonly Partial<TableColumn>[],
  rows: readonly (readonly string[])[],
  width: number,
): Line[] | undefined {
  const widths = columns.map(({ title = "" }, at) => {
    const own = rows.map((row) => countCells(createSpan(row[at + 1] ?? "").text));
    return Math.min(width, findLargest(own, countCells(title)));
  });
  while (widths.reduce((sum, own) => sum + own + 2, 2) > width) {
    const widest = findLargest(widths, 0);
    if (widest <= minWrappedWidth) return undefined;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  const printRow = (texts: readonly string[], style?: Style): Line[] => {
    const cells = texts.map((text, at) => {
      return wrap([createSpan(text, style)], { width: widths[at] ?? 0, first: [], rest: [] });
    });
    const height = findLargest(
      cells.map(({ length }) => length),
      1,
    );
    return Array.from({ length: height }, (_, row) => [
      createSpan("  "),
      ...cells.flatMap((cell, at) => {
        const part = cell[row] ?? [];
        const fill = Math.max(0, (widths[at] ?? 0) - countLineCells(part));
        return [createSpan("  "), ...part, createSpan(" ".repeat(fill))];
      }),
    ]);
  };
  const printGroup = (text: string, style: Style): Line[] =>
    wrap([createSpan(text, style)], { width, first: [createSpan("  ")], rest: [createSpan("  ")] });
  return [
    ...printGroup(groupTitle, "dim"),
    ...printRow(
      columns.map(({ title = "" }) => title),
      "dim",
    ),
    ...rows.flatMap(([group = "", ...texts], at) => [
      ...(group === rows[at - 1]?.[0] ? [] : printGroup(group, "strong")),
      ...printRow(texts),
    ]),
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
    return fillLines(texts, width, "    ");
  });
}
