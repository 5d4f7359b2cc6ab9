import { type Html, type HtmlPart, html } from "../html.js";
import { largest } from "../phrases.js";

/*
 * Charts are SVG that is made here, for three reasons: the page must work without JavaScript, which libraries that draw on a canvas or
 * into a live document cannot; a page with fifty rectangles must not carry a hundred kilobytes of library; and places in per cent
 * with letters in pixels let one chart fit a phone and a wide window, which a picture that is scaled as a whole does not.
 */

interface Chart {
  /** Id of the element; unique in the page. */
  readonly id: string;
  readonly title: string;
  /** What it shows, in a sentence, for who does not see it. */
  readonly description: string;
}

/** Bars side by side, such as one a day. */
interface BarChart extends Chart {
  readonly tone: "sessions" | "credits";
  readonly bars: readonly Bar[];
}

interface Bar {
  /** Below the axis, where there is room. */
  readonly label: string;
  /** All that the bar says: "Mon 2 Nov 2026: 45 sessions". */
  readonly says: string;
  readonly value: number;
}

/** Values in rows and columns, the larger the darker. */
interface HeatMap extends Chart {
  /** Labels of the rows. */
  readonly rows: readonly string[];
  /** Labels of the columns; "" for those that have none. */
  readonly columns: readonly string[];
  readonly values: readonly (readonly number[])[];
  readonly says: (row: number, column: number, value: number) => string;
}

const top = 14;
const plotHeight = 140;
const labelHeight = 22;
const axisWidth = 44;

export function barChart({ bars, tone, ...chart }: BarChart): Html {
  const values = bars.map(({ value }) => value);
  const scale = scaleTo(largest(values, 0), values.every(Number.isInteger));
  const toY = (value: number) => rounded(top + plotHeight * (1 - value / scale.end));
  const step = 100 / Math.max(1, bars.length);
  const height = top + plotHeight + labelHeight;
  const lines = scale.ticks.map((tick) => {
    const y = toY(tick);
    return html`<line class="${tick === 0 ? "zero" : "grid"}" x1="0" x2="100%" y1="${y}" y2="${y}"/>`;
  });
  const columns = bars.map(({ says, value }, at) =>
    mark(
      says,
      rect("column", [at * step, step], [top, plotHeight]),
      value > 0 &&
        rect(
          "value",
          [(at + 0.12) * step, step * 0.76],
          [toY(value), rounded(top + plotHeight - toY(value))],
        ),
    ),
  );
  // As many labels as fit into a wide window.
  const every = Math.max(1, Math.ceil(bars.length / 7));
  const labels = bars.flatMap(({ label }, at) => {
    if (at % every !== 0) return [];
    const middle = (at + 0.5) * step;
    const anchor = middle < 4 ? "start" : middle > 96 ? "end" : "middle";
    const x = anchor === "start" ? at * step : anchor === "end" ? (at + 1) * step : middle;
    return axisLabel(label, at / every, x, height, anchor);
  });
  const ticks = scale.ticks.map((tick) => [toY(tick) + 4, compact(tick)] as const);
  return figure({ ...chart, tone, kind: "bars", height }, ticks, [...lines, ...columns, ...labels]);
}

const rowHeight = 22;
const gap = 2;

export function heatMap({ rows, columns, values, says, ...chart }: HeatMap): Html {
  const most = largest(values.flat(), 0);
  const height = rows.length * rowHeight + labelHeight;
  const step = 100 / columns.length;
  const cells = values.flatMap((row, at) =>
    row.map((value, column) => {
      const place = [
        [column * step, step * 0.92],
        [at * rowHeight, rowHeight - gap],
      ] as const;
      const opacity = (0.15 + 0.85 * (value / most)).toFixed(2);
      return mark(
        says(at, column, value),
        rect("none", ...place),
        value > 0 && rect("value", ...place, html` fill-opacity="${opacity}"`),
      );
    }),
  );
  const labels = columns.flatMap((label, at) =>
    label === "" ? [] : axisLabel(label, at, (at + 0.46) * step, height, "middle"),
  );
  const names = rows.map((row, at) => [at * rowHeight + 15, row] as const);
  return figure({ ...chart, tone: "sessions", kind: "cells", height }, names, [...cells, ...labels]);
}

/** The chart with its heading, a line for the mark that is pointed at, and what its axis says at which height. */
function figure(
  {
    id,
    title,
    description,
    tone,
    kind,
    height,
  }: Chart & {
    readonly tone: BarChart["tone"];
    readonly kind: "bars" | "cells";
    readonly height: number;
  },
  axis: readonly (readonly [y: number, text: string])[],
  content: readonly Html[],
): Html {
  return html`
    <figure class="${`chart ${tone}`}">
      <figcaption><h3>${title}</h3><p class="readout">${description}</p></figcaption>
      <div class="plot">
        <svg class="axis" width="${axisWidth}" height="${height}" aria-hidden="true">
          ${axis.map(([y, text]) => html`<text x="${axisWidth - 8}" y="${y}">${text}</text>`)}
        </svg>
        <svg class="${kind}" id="${id}" height="${height}" role="img" aria-labelledby="${id}-title ${id}-desc">
          <title id="${id}-title">${title}</title>
          <desc id="${id}-desc">${description}</desc>
          ${content}
        </svg>
      </div>
    </figure>
  `;
}

/** What is pointed at, and in it the value, if there is any. */
function mark(says: string, area: Html, value: HtmlPart): Html {
  return html`<g class="bar"><title>${says}</title>${area}${value}</g>`;
}

type Extent = readonly [start: number, length: number];

/** In per cent from left to right, in pixels from top to bottom. */
function rect(kind: string, [x, width]: Extent, [y, height]: Extent, more?: Html): Html {
  return html`<rect class="${kind}" x="${percent(x)}" width="${percent(width)}" y="${y}" height="${height}"${more}/>`;
}

/** Every second one is left out in a narrow window. */
function axisLabel(text: string, nth: number, x: number, height: number, anchor: string): Html {
  const kind = nth % 2 === 0 ? "label" : "label wide";
  return html`<text class="${kind}" x="${percent(x)}" y="${height - 6}" text-anchor="${anchor}">${text}</text>`;
}

/** A bar for a share of a whole, from 0 to 1. */
export function shareBar(share: number, height: number, kind: "value" | "over" = "value"): Html {
  const shape = html`height="${height}" rx="${height / 2}"`;
  return html`
    <svg class="share" height="${height}" aria-hidden="true">
      <rect class="track" width="100%" ${shape}/>
      <rect class="${kind}" width="${percent(Math.min(100, 100 * share))}" ${shape}/>
    </svg>
  `;
}

/** From 0 to a round number that is not less than the largest value, in at most four steps. */
function scaleTo(most: number, whole: boolean): { readonly end: number; readonly ticks: readonly number[] } {
  if (!(most > 0)) return { end: 1, ticks: [0] };
  const magnitude = 10 ** Math.floor(Math.log10(most));
  const steps = [0.1, 0.2, 0.25, 0.5, 1, 2, 2.5, 5]
    .map((factor) => factor * magnitude)
    .filter((one) => !whole || Number.isInteger(one));
  const step = steps.find((one) => most / one <= 4) ?? most;
  const count = Math.ceil(most / step);
  return { end: step * count, ticks: Array.from({ length: count + 1 }, (_, at) => step * at) };
}

/** "1.2K": for an axis, where there is little room. */
function compact(value: number): string {
  return value.toLocaleString("en-US", { notation: "compact", maximumFractionDigits: 2 });
}

/** A place or a width of a chart. */
function percent(value: number): string {
  return `${rounded(value)}%`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
