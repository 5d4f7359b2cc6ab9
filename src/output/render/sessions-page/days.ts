import type { SessionsReportDocument } from "../../documents/index.js";
import { type Html, html } from "../html.js";
import { count, number } from "../phrases.js";
import { clockHour, describeDay, weekdays } from "../session-facts.js";
import { barChart, heatMap } from "./charts.js";
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

/** The hours of the week, as a chart and as a table. */
export function busiestHours({ hours, period }: SessionsReportDocument): Html {
  const says = (day: number, hour: number, sessions: number) =>
    `${weekdays[day]}, ${clockHour(hour)} to ${clockHour(hour + 1)}: ${count(sessions, "session")}`;
  const all = hours.flatMap((row, day) => row.map((value, hour) => ({ day, hour, value })));
  const busiest = findHighest(all);
  return section(
    "hours",
    "Busiest hours",
    heatMap({
      id: "busiest-hours",
      title: `Sessions by hour of the week, ${period.time_zone}`,
      description: busiest ? `Most on ${says(busiest.day, busiest.hour, busiest.value)}` : "No sessions",
      rows: weekdays.map((day) => day.slice(0, 3)),
      columns: Array.from({ length: 24 }, (_, hour) => (hour % 3 === 0 ? clockHour(hour) : "")),
      ...{ values: hours, says },
    }),
    asTable(
      "This chart as a table",
      table(
        "hours-table",
        "Sessions by hour of the week",
        ["Hour", ...weekdays],
        Array.from({ length: 24 }, (_, hour) => [
          clockHour(hour),
          ...hours.map((row) => number(row[hour] ?? 0)),
        ]),
      ),
    ),
  );
}

/** The first of the highest values; undefined if all are 0. */
function findHighest<One extends { readonly value: number }>(all: readonly One[]): One | undefined {
  return all.reduce<One | undefined>((best, one) => (one.value > (best?.value ?? 0) ? one : best), undefined);
}
