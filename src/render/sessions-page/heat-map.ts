import { type HtmlElement, h } from "../html.js";
import { largest } from "../largest.js";
import { percent } from "./bar-chart.js";

/** Values in rows and columns, the larger the darker. */
export interface HeatMap {
  /** Of the element; unique in the page. */
  readonly id: string;
  readonly title: string;
  /** What it shows, in a sentence, for who does not see it. */
  readonly description: string;
  /** Labels of the rows. */
  readonly rows: readonly string[];
  /** Labels of the columns; "" for those that have none. */
  readonly columns: readonly string[];
  readonly values: readonly (readonly number[])[];
  readonly says: (row: number, column: number, value: number) => string;
}

const rowHeight = 22;
const gap = 2;
const labelHeight = 22;
const axisWidth = 44;

/** The chart with its heading and a line for the cell that is pointed at. */
export function heatMap({ id, title, description, rows, columns, values, says }: HeatMap): HtmlElement {
  const most = largest(values.flat(), 0);
  const height = rows.length * rowHeight + labelHeight;
  const step = 100 / columns.length;
  return h(
    "figure",
    { class: "chart sessions" },
    h("figcaption", {}, h("h3", {}, title), h("p", { class: "readout", "data-readout": true }, description)),
    h(
      "div",
      { class: "plot" },
      h(
        "svg",
        { class: "axis", width: axisWidth, height, "aria-hidden": "true" },
        ...rows.map((row, at) => h("text", { x: axisWidth - 8, y: at * rowHeight + 15 }, row)),
      ),
      h(
        "svg",
        { class: "cells", id, height, role: "img", "aria-labelledby": `${id}-title ${id}-desc` },
        h("title", { id: `${id}-title` }, title),
        h("desc", { id: `${id}-desc` }, description),
        ...values.flatMap((row, y) =>
          row.map((value, x) => {
            const share = most > 0 ? value / most : 0;
            const place = { x: percent(x * step), width: percent(step * 0.92) };
            return h(
              "g",
              { class: "bar" },
              h("title", {}, says(y, x, value)),
              h("rect", { class: "none", ...place, y: y * rowHeight, height: rowHeight - gap }),
              value > 0
                ? h("rect", {
                    class: "value",
                    ...place,
                    y: y * rowHeight,
                    height: rowHeight - gap,
                    "fill-opacity": (0.15 + 0.85 * share).toFixed(2),
                  })
                : undefined,
            );
          }),
        ),
        ...columns.flatMap((label, at) =>
          label === ""
            ? []
            : h(
                "text",
                {
                  class: at % 2 === 0 ? "label" : "label wide",
                  x: percent((at + 0.46) * step),
                  y: height - 6,
                  "text-anchor": "middle",
                },
                label,
              ),
        ),
      ),
    ),
  );
}
