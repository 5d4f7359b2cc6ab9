import type { TableColumn } from "./blocks.js";
import { cells } from "./cells.js";
import { largest } from "./phrases.js";
import { flow, type Line, type Style, styled } from "./span.js";

/** Prints a table with dim titles, or returns undefined if it does not fit the width. */
export function tableText(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): Line[] | undefined {
  const widths = columns.map(({ title }, at) =>
    largest(
      rows.map((row) => cells(styled(row[at] ?? "").text)),
      cells(title),
    ),
  );
  if (widths.reduce((sum, own) => sum + own + 2, 0) > width) return undefined;
  const line = (texts: readonly string[], style?: Style): Line =>
    columns.flatMap((column, at) => {
      const { text } = styled(texts[at] ?? "");
      const fill = " ".repeat(Math.max(0, (widths[at] ?? 0) - cells(text)));
      const aligned = column.is === "number" ? `${fill}${text}` : `${text}${fill}`;
      return [styled("  "), styled(aligned, style)];
    });
  return [
    line(
      columns.map(({ title }) => title),
      "dim",
    ),
    ...rows.map((row) => line(row)),
  ];
}

/** Prints each row as a paragraph: its first text, then the others with their titles. */
export function paragraphs(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): Line[] {
  return rows.flatMap((row) => {
    const things = row.map((text, at): Line => {
      if (at === 0) return [styled("  "), styled(text, "strong")];
      return [styled(`${columns[at]?.title} `, "dim"), styled(text)];
    });
    return flow(things, width, "    ");
  });
}
