import { exactSum, type ReportedDay, type SessionsReportDocument } from "../../documents/index.js";
import { type Html, html } from "../html.js";
import { count, number } from "../phrases.js";
import { clockHour, describeDay, weekdays } from "../session-facts.js";
import { barChart, heatMap } from "./charts.js";
import { asTable, plainTable, section } from "./tables.js";

const titles = { day: "Day", week: "Week", month: "Month" } as const;

/** Sessions and credits by day, as two charts and as a table. */
export function dayCharts({ days }: SessionsReportDocument): Html {
  const { unit, slots } = toSlots(days);
  const chart = (tone: "sessions" | "credits", title: string, valueIn: (slot: ChartSlot) => number) => {
    const bars = slots.map((slot) => {
      const amount = count(valueIn(slot), tone === "sessions" ? "session" : "credit");
      return { label: slot.label, name: slot.name, amount, value: valueIn(slot) };
    });
    const highest = findHighest(bars);
    return barChart({
      id: `${tone}-by-${unit}`,
      ...{ title, tone },
      description: highest ? `Most: ${highest.name}, ${highest.amount}` : `No ${tone}`,
      bars: bars.map(({ name, amount, ...bar }) => ({ ...bar, says: `${name}: ${amount}` })),
    });
  };
  return section(
    "over-time",
    `By ${unit}`,
    html`<div class="two">
      ${chart("sessions", "Sessions", ({ sessions }) => sessions)}
      ${chart("credits", "Credits", ({ credits_consumed }) => credits_consumed)}
    </div>`,
    asTable(
      "These charts as a table",
      plainTable(
        "over-time-table",
        `Sessions and credits by ${unit}`,
        [titles[unit], "Sessions", "Credits"],
        slots.map(({ name, sessions, credits_consumed }) => [
          ...[name, number(sessions), number(credits_consumed)],
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

/** The first of the highest values; undefined if all are 0. */
function findHighest<One extends { readonly value: number }>(all: readonly One[]): One | undefined {
  return all.reduce<One | undefined>((best, one) => (one.value > (best?.value ?? 0) ? one : best), undefined);
}

/** A bar's share of a period: a day, or a week or a month where days are too many to be told apart. */
interface ChartSlot extends Omit<ReportedDay, "partial"> {
  /** "2 Nov"; of a month, "Nov 2026" */
  readonly label: string;
  /** "Mon 2 Nov 2026", "Week from Mon 2 Nov 2026", "Nov 2026" */
  readonly name: string;
}

type ChartUnit = "day" | "week" | "month";

/** The days, put together to about a hundred slots at most. */
function toSlots(days: readonly ReportedDay[]): {
  readonly unit: ChartUnit;
  readonly slots: readonly ChartSlot[];
} {
  if (days.length <= 100) return { unit: "day", slots: days.map(toSlot) };
  if (days.length <= 732) return { unit: "week", slots: together(days, "week") };
  return { unit: "month", slots: together(days, "month") };
}

function toSlot({ day, sessions, credits_consumed, partial }: ReportedDay): ChartSlot {
  const { short, long } = describeDay(day);
  return { day, sessions, credits_consumed, label: short, name: `${long}${partial ? " (in part)" : ""}` };
}

/** One slot for the days from each that begins one; the first and the last may have fewer. */
function together(days: readonly ReportedDay[], unit: "week" | "month"): ChartSlot[] {
  const slots: ChartSlot[] = [];
  for (const { day, sessions, credits_consumed } of days) {
    const last = slots.at(-1);
    const { weekday, short, long, month } = describeDay(day);
    if (!last || (unit === "week" ? weekday === "Monday" : day.endsWith("-01"))) {
      const named =
        unit === "week" ? { label: short, name: `Week from ${long}` } : { label: month, name: month };
      slots.push({ day, sessions, credits_consumed, ...named });
    } else {
      slots[slots.length - 1] = {
        ...last,
        sessions: last.sessions + sessions,
        credits_consumed: exactSum([last.credits_consumed, credits_consumed]),
      };
    }
  }
  return slots;
}
