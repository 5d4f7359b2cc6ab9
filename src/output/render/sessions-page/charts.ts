import { type Html, html } from "../html.js";
import { findLargest } from "../phrases.js";

/**
 * Chart with one column per day. Horizontal SVG positions are in percent, so that it fits any window without a script.
 */
export interface ColumnChart {
  /** Unique id in the page. */
  readonly id: string;
  readonly title: string;
  /** Text alternative for readers who cannot see the chart. */
  readonly description: string;
  readonly tone: "sessions" | "credits";
  readonly columns: readonly Column[];
}

interface Column {
  /** Label below the axis, shown if there is space. */
  readonly label: string;
  /** Tooltip, such as "Mon 2 Nov 2026: 45 sessions". */
  readonly tooltip: string;
  readonly value: number;
  /** Whether the report covers only a part of the day. */
  readonly isPartial: boolean;
}

/* Vertical sizes and the axis width, in px. */
const topMargin = 14;
const plotHeight = 140;
const labelHeight = 22;
const axisWidth = 52;
/** Maximum number of labels below the axis. */
const maxLabels = 7;
/**
 * Maximum number of columns with gaps between them. With more columns, a gap would be narrower than a pixel on a phone.
 */
const maxSeparateColumns = 100;

/** Renders a chart with both axes. */
export function renderColumnChart({ id, title, description, tone, columns }: ColumnChart): Html {
  const values = columns.map(({ value }) => value);
  const scale = createScale(findLargest(values, 0), values.every(Number.isInteger));
  const bottom = topMargin + plotHeight;
  const toY = (value: number) => round(bottom - (plotHeight * value) / scale.end);
  const step = 100 / Math.max(1, columns.length);
  const gap = columns.length > maxSeparateColumns ? 0 : step * 0.12;
  const lines = scale.ticks.map((tick) => {
    return html`<line class="${tick === 0 ? "zero" : "grid"}" x2="100%" y1="${toY(tick)}" y2="${toY(tick)}"/>`;
  });
  const drawn = columns.map(({ tooltip, value, isPartial }, at) => {
    const [x, width] = [at * step + gap, step - 2 * gap].map(toPercent);
    const y = toY(value);
    const column = html`<rect class="${isPartial ? "column part" : "column"}" x="${x}" width="${width}" y="${y}" height="${round(bottom - y)}"/>`;
    const hover = html`<rect class="hover" x="${toPercent(at * step)}" width="${toPercent(step)}" height="${bottom}"/>`;
    return html`<g><title>${tooltip}</title>${hover}${column}</g>`;
  });
  const ticks = scale.ticks.map(
    (tick) => html`<text x="${axisWidth - 8}" y="${toY(tick) + 4}">${formatTick(tick)}</text>`,
  );
  return html`
    <figure class="${`chart ${tone}`}">
      <figcaption><h3>${title}</h3><p class="soft">${description}</p></figcaption>
      <div class="plot">
        <svg class="axis" width="${axisWidth}" height="${bottom + labelHeight}" aria-hidden="true">${ticks}</svg>
        <svg class="columns" id="${id}" height="${bottom + labelHeight}" role="img" aria-labelledby="${id}-title">
          <title id="${id}-title">${`${title}. ${description}`}</title>
          ${lines}${drawn}${renderLabels(columns, step, bottom + labelHeight - 6)}
        </svg>
      </div>
    </figure>
  `;
}

/** Renders the labels below the axis. A narrow window shows every second label. */
function renderLabels(columns: readonly Column[], step: number, y: number): Html[] {
  const every = Math.max(1, Math.ceil(columns.length / maxLabels));
  return columns.flatMap(({ label }, at) => {
    if (at % every !== 0) return [];
    const middle = (at + 0.5) * step;
    const [anchor, x] =
      middle < 4 ? ["start", at * step] : middle > 96 ? ["end", (at + 1) * step] : ["middle", middle];
    const tone = (at / every) % 2 === 0 ? "label" : "label wide";
    return html`<text class="${tone}" x="${toPercent(x)}" y="${y}" text-anchor="${anchor}">${label}</text>`;
  });
}

/** Returns ticks from 0 to a round number at or above the largest value, with at most four steps. */
function createScale(largest: number, isWhole: boolean): { readonly end: number; readonly ticks: number[] } {
  if (!(largest > 0)) return { end: 1, ticks: [0] };
  const magnitude = 10 ** Math.floor(Math.log10(largest));
  const step = [0.1, 0.2, 0.25, 0.5, 1, 2, 2.5, 5]
    .map((factor) => Number((factor * magnitude).toPrecision(2)))
    .filter((one) => !isWhole || Number.isInteger(one))
    .find((one) => largest / one <= 4);
  if (step === undefined) return { end: largest, ticks: [0, largest] };
  const count = Math.ceil(largest / step);
  const ticks = Array.from({ length: count + 1 }, (_, at) => Number((step * at).toPrecision(3)));
  return { end: step * count, ticks };
}

/** Formats a number for the narrow axis, such as "1.2K". */
function formatTick(value: number): string {
  return value.toLocaleString("en-US", { notation: "compact", maximumFractionDigits: 2 });
}

function toPercent(value: number): string {
  return `${round(value)}%`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
