import type { SessionsReportDocument } from "../../documents/index.js";
import { type Html, html } from "../html.js";
import { count, number } from "../phrases.js";
import { describeDay } from "../session-facts.js";
import { barChart } from "./charts.js";
import { asTable, section, table } from "./tables.js";

/** Sessions and credits by day, as two charts and as a table. */
export function dayCharts({ days }: SessionsReportDocument): Html {
  const shown = days.map(({ day, partial, ...sums }) => {
    const { short, long } = describeDay(day);
    return { ...sums, label: short, name: `${long}${partial ? " (in part)" : ""}` };
  });
  const chart = (
    tone: "sessions" | "credits",
    title: string,
    amountOn: (day: (typeof shown)[number]) => number,
  ) => {
    const bars = shown.map((day) => {
      const value = amountOn(day);
      return { label: day.label, value, says: `${day.name}: ${count(value, tone.slice(0, -1))}` };
    });
    const highest = findHighest(bars);
    const description = highest ? `Most: ${highest.says}` : `No ${tone}`;
    return barChart({ id: `${tone}-by-day`, title, tone, description, bars });
  };
  return section(
    "over-time",
    "By day",
    html`<div class="two">
      ${chart("sessions", "Sessions", ({ sessions }) => sessions)}
      ${chart("credits", "Credits", ({ credits_consumed }) => credits_consumed)}
    </div>`,
    asTable(
      "These charts as a table",
      table(
        "over-time-table",
        "Sessions and credits by day",
        ["Day", "Sessions", "Credits"],
        shown.map(({ name, sessions, credits_consumed }) => [
          name,
          number(sessions),
          number(credits_consumed),
        ]),
      ),
    ),
  );
}

/** The first of the highest values; undefined if all are 0. */
function findHighest<One extends { readonly value: number }>(all: readonly One[]): One | undefined {
  return all.reduce<One | undefined>((best, one) => (one.value > (best?.value ?? 0) ? one : best), undefined);
}
