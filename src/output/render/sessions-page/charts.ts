import { type Html, html } from "../html.js";
import { largest } from "../phrases.js";

/*
 * Charts are SVG that is made here, for three reasons: the page must work without JavaScript, which libraries that draw on a canvas or
 * into a live document cannot; a page with fifty rectangles must not carry a hundred kilobytes of library; and places in per cent
 * with letters in pixels let one chart fit a phone and a wide window, which a picture that is scaled as a whole does not.
 */

/** Bars side by side, such as one a day. */
interface BarChart {
  /** Id of the element; unique in the page. */
  readonly id: string;
  readonly title: string;
  /** What it shows, in a sentence, for who does not see it. */
  readonly description: string;
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

const top = 14;
const plotHeight = 140;
const labelHeight = 22;
const axisWidth = 44;

export function barChart({ id, title, description, tone, bars }: BarChart): Html {
  const values = bars.map(({ value }) => value);
  const scale = scaleTo(largest(values, 0), values.every(Number.isInteger));
  const toY = (value: number) => rounded(top + plotHeight * (1 - value / scale.end));
  const step = 100 / Math.max(1, bars.length);
  const height = top + plotHeight + labelHeight;
  const lines = scale.ticks.map((tick) => {
    const y = toY(tick);
    return html`<line class="${tick === 0 ? "zero" : "grid"}" x1="0" x2="100%" y1="${y}" y2="${y}"/>`;
  });
  const columns = bars.map(({ says, value }, at) => {
    const y = toY(value);
    const column = rect("column", [at * step, step], [top, plotHeight]);
    const own = rect("value", [(at + 0.12) * step, step * 0.76], [y, rounded(top + plotHeight - y)]);
    return html`<g class="bar"><title>${says}</title>${column}${value > 0 && own}</g>`;
  });
  // As many labels as fit into a wide window.
  const every = Math.max(1, Math.ceil(bars.length / 7));
  const labels = bars.flatMap(({ label }, at) => {
    if (at % every !== 0) return [];
    const middle = (at + 0.5) * step;
    const anchor = middle < 4 ? "start" : middle > 96 ? "end" : "middle";
    const x = anchor === "start" ? at * step : anchor === "end" ? (at + 1) * step : middle;
    return axisLabel(label, at / every, x, height, anchor);
  });
  const axis = scale.ticks.map(
    (tick) => html`<text x="${axisWidth - 8}" y="${toY(tick) + 4}">${compact(tick)}</text>`,
  );
  return html`
    <figure class="${`chart ${tone}`}">
      <figcaption><h3>${title}</h3><p class="readout">${description}</p></figcaption>
      <div class="plot">
        <svg class="axis" width="${axisWidth}" height="${height}" aria-hidden="true">${axis}</svg>
        <svg class="bars" id="${id}" height="${height}" role="img" aria-labelledby="${id}-title ${id}-desc">
          <title id="${id}-title">${title}</title>
          <desc id="${id}-desc">${description}</desc>
          ${lines}${columns}${labels}
        </svg>
      </div>
    </figure>
  `;
}

type Extent = readonly [start: number, length: number];

/** In per cent from left to right, in pixels from top to bottom. */
function rect(kind: string, [x, width]: Extent, [y, height]: Extent): Html {
  return html`<rect class="${kind}" x="${percent(x)}" width="${percent(width)}" y="${y}" height="${height}"/>`;
}

/** Every second one is left out in a narrow window. */
function axisLabel(text: string, nth: number, x: number, height: number, anchor: string): Html {
  const kind = nth % 2 === 0 ? "label" : "label wide";
  return html`<text class="${kind}" x="${percent(x)}" y="${height - 6}" text-anchor="${anchor}">${text}</text>`;
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
