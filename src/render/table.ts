import { cells } from "./cells.js";
import { type Line, type Style, styled } from "./span.js";

/** A column of a table. */
export interface Column {
  readonly title: string;
  readonly align?: "right";
  readonly style?: Style;
}

/** Rows under dim titles, columns two spaces apart; undefined if it does not fit the width. */
export function tableText(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): Line[] | undefined {
  const shown = rows.map((row) => row.map((text) => styled(text).text));
  const widths = columns.map(({ title }, at) =>
    shown.reduce((widest, row) => Math.max(widest, cells(row[at] ?? "")), cells(title)),
  );
  if (widths.reduce((sum, own) => sum + own + 2, 0) > width) return undefined;
  const line = (texts: readonly string[], style?: Style): Line =>
    columns.flatMap((column, at) => {
      const text = texts[at] ?? "";
      const fill = " ".repeat((widths[at] ?? 0) - cells(text));
      const aligned = column.align === "right" ? `${fill}${text}` : `${text}${fill}`;
      return [styled("  "), styled(aligned, style ?? column.style)];
    });
  return [
    line(
      columns.map(({ title }) => title),
      "dim",
    ),
    ...shown.map((row) => line(row)),
  ];
}
