import type { SessionsReportDocument } from "../../documents/index.js";
import { type HtmlElement, h } from "../html.js";
import { count, number } from "../phrases.js";
import { weekdays } from "../session-facts.js";
import { barChart } from "./bar-chart.js";
import { heatMap } from "./heat-map.js";
import { type ChartSlot, type ChartUnit, toSlots } from "./slots.js";
import { asTable, plainTable } from "./table.js";

const titles: Readonly<Record<ChartUnit, string>> = { day: "Day", week: "Week", month: "Month" };

/** Sessions and credits by day, as two charts and as a table. */
export function dayCharts({ days }: SessionsReportDocument): HtmlElement {
  const { unit, slots } = toSlots(days);
  const chart = (tone: "sessions" | "credits", title: string, of: (slot: ChartSlot) => number) =>
    barChart({
      id: `${tone}-by-${unit}`,
      ...{ title, tone },
      description: highest(slots, of, (value) => amountOf(tone, value)) ?? `No ${tone}`,
      bars: slots.map((slot) => ({
        label: slot.label,
        says: `${slot.name}: ${amountOf(tone, of(slot))}`,
        value: of(slot),
      })),
    });
  return h(
    "section",
    { "aria-labelledby": "over-time" },
    h("h2", { id: "over-time" }, `By ${unit}`),
    h(
      "div",
      { class: "two" },
      chart("sessions", "Sessions", ({ sessions }) => sessions),
      chart("credits", "Credits", ({ credits_consumed }) => credits_consumed),
    ),
    asTable(
      "These charts as a table",
      plainTable(
        "over-time-table",
        `Sessions and credits by ${unit}`,
        [titles[unit], "Sessions", "Credits"],
        slots.map(({ name, sessions, credits_consumed }) => [
          name,
          number(sessions),
          number(credits_consumed),
        ]),
      ),
    ),
  );
}

/** The hours of the week, as a chart and as a table. */
export function busiestHours({ hours, period }: SessionsReportDocument): HtmlElement {
  const all = hours.flatMap((row, day) => row.map((sessions, hour) => ({ day, hour, sessions })));
  const busiest = all.reduce((most, one) => (one.sessions > most.sessions ? one : most), {
    day: 0,
    hour: 0,
    sessions: 0,
  });
  const nameOfHour = (day: number, hour: number) =>
    `${weekdays[day]}, ${clockHour(hour)} to ${clockHour(hour + 1)}`;
  const says = (day: number, hour: number, sessions: number) =>
    `${nameOfHour(day, hour)}: ${count(sessions, "session")}`;
  return h(
    "section",
    { "aria-labelledby": "hours" },
    h("h2", { id: "hours" }, "Busiest hours"),
    heatMap({
      id: "busiest-hours",
      title: `Sessions by hour of the week, ${period.time_zone}`,
      description:
        busiest.sessions > 0 ? `Most on ${says(busiest.day, busiest.hour, busiest.sessions)}` : "No sessions",
      rows: weekdays.map((day) => day.slice(0, 3)),
      columns: Array.from({ length: 24 }, (_, hour) => (hour % 3 === 0 ? clockHour(hour) : "")),
      ...{ values: hours, says },
    }),
    asTable(
      "This chart as a table",
      plainTable(
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

/** "09:00" */
function clockHour(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}

/** "Most: Mon 2 Nov 2026, 45 sessions" */
function highest(
  slots: readonly ChartSlot[],
  of: (slot: ChartSlot) => number,
  shown: (value: number) => string,
): string | undefined {
  const most = slots.reduce<ChartSlot | undefined>(
    (best, slot) => (of(slot) > (best ? of(best) : 0) ? slot : best),
    undefined,
  );
  return most ? `Most: ${most.name}, ${shown(of(most))}` : undefined;
}

function amountOf(tone: "sessions" | "credits", value: number): string {
  return count(value, tone === "sessions" ? "session" : "credit");
}
