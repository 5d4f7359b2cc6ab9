import { type HtmlContent, type HtmlElement, h } from "../html.js";
import { largest } from "../largest.js";

/*
 * Charts are SVG that is made here, for three reasons: the page must work without JavaScript, which libraries that draw on a canvas or
 * into a live document cannot; a page with fifty rectangles must not carry a hundred kilobytes of library; and places in per cent
 * with letters in pixels let one chart fit a phone and a wide window, which a picture that is scaled as a whole does not.
 */

/** Bars side by side, such as one a day. */
export interface BarChart {
  /** Of the element; unique in the page. */
  readonly id: string;
  readonly title: string;
  /** What it shows, in a sentence, for who does not see it. */
  readonly description: string;
  readonly tone: "sessions" | "credits";
  readonly bars: readonly Bar[];
}

export interface Bar {
  /** Below the axis, where there is room. */
  readonly label: string;
  /** All that the bar says: "Mon 2 Nov 2026: 45 sessions". */
  readonly says: string;
  readonly value: number;
}

const plotHeight = 140;
const top = 14;
const labelHeight = 22;
const height = top + plotHeight + labelHeight;
const axisWidth = 44;

/** The chart with its heading and a line for the bar that is pointed at. */
export function barChart({ id, title, description, tone, bars }: BarChart): HtmlElement {
  const values = bars.map(({ value }) => value);
  const scale = scaleTo(largest(values, 0), values.every(Number.isInteger));
  const yOf = (value: number) => rounded(top + plotHeight * (1 - value / scale.end));
  const step = 100 / Math.max(1, bars.length);
  return h(
    "figure",
    { class: `chart ${tone}` },
    h("figcaption", {}, h("h3", {}, title), h("p", { class: "readout", "data-readout": true }, description)),
    h(
      "div",
      { class: "plot" },
      h(
        "svg",
        { class: "axis", width: axisWidth, height, "aria-hidden": "true" },
        ...scale.ticks.map((tick) => h("text", { x: axisWidth - 8, y: yOf(tick) + 4 }, compact(tick))),
      ),
      h(
        "svg",
        { class: "bars", id, height, role: "img", "aria-labelledby": `${id}-title ${id}-desc` },
        h("title", { id: `${id}-title` }, title),
        h("desc", { id: `${id}-desc` }, description),
        ...scale.ticks.map((tick) =>
          h("line", {
            class: tick === 0 ? "zero" : "grid",
            x1: "0",
            x2: "100%",
            y1: yOf(tick),
            y2: yOf(tick),
          }),
        ),
        ...bars.map((bar, at) =>
          h(
            "g",
            { class: "bar" },
            h("title", {}, bar.says),
            h("rect", {
              class: "column",
              x: percent(at * step),
              width: percent(step),
              y: top,
              height: plotHeight,
            }),
            bar.value > 0
              ? h("rect", {
                  class: "value",
                  x: percent((at + 0.12) * step),
                  width: percent(step * 0.76),
                  y: yOf(bar.value),
                  height: rounded(top + plotHeight - yOf(bar.value)),
                })
              : undefined,
          ),
        ),
        ...labels(bars, step),
      ),
    ),
  );
}

/** As many labels as fit into a wide window; every second one is left out in a narrow one. */
function labels(bars: readonly Bar[], step: number): HtmlContent[] {
  const every = Math.max(1, Math.ceil(bars.length / 7));
  return bars.flatMap(({ label }, at) => {
    if (at % every !== 0) return [];
    const nth = at / every;
    const middle = (at + 0.5) * step;
    const anchor = middle < 4 ? "start" : middle > 96 ? "end" : "middle";
    const x = anchor === "start" ? at * step : anchor === "end" ? (at + 1) * step : middle;
    return h(
      "text",
      { class: nth % 2 === 0 ? "label" : "label wide", x: percent(x), y: height - 6, "text-anchor": anchor },
      label,
    );
  });
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
export function percent(value: number): string {
  return `${rounded(value)}%`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
