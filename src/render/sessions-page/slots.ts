import { exactSum, type ReportedDay } from "../../documents/index.js";
import { longDay, monthOf, shortDay, weekdayOf } from "../session-facts.js";

/** A bar's share of a period: a day, or a week or a month where days are too many to be told apart. */
export interface ChartSlot extends Omit<ReportedDay, "partial"> {
  /** "2 Nov"; of a month, "Nov 2026" */
  readonly label: string;
  /** "Mon 2 Nov 2026", "Week from Mon 2 Nov 2026", "Nov 2026" */
  readonly name: string;
}

export type ChartUnit = "day" | "week" | "month";

/** The days, put together to about a hundred slots at most. */
export function toSlots(days: readonly ReportedDay[]): {
  readonly unit: ChartUnit;
  readonly slots: readonly ChartSlot[];
} {
  if (days.length <= 100) return { unit: "day", slots: days.map(toSlot) };
  if (days.length <= 732)
    return { unit: "week", slots: together(days, (day) => weekdayOf(day) === "Monday", weekLabel) };
  return { unit: "month", slots: together(days, (day) => day.endsWith("-01"), monthLabel) };
}

function toSlot({ day, sessions, credits_consumed, partial }: ReportedDay): ChartSlot {
  const name = `${longDay(day)}${partial ? " (in part)" : ""}`;
  return { day, sessions, credits_consumed, label: shortDay(day), name };
}

/** One slot for the days from each that begins one; the first and the last may have fewer. */
function together(
  days: readonly ReportedDay[],
  begins: (day: string) => boolean,
  named: (day: string) => Pick<ChartSlot, "label" | "name">,
): ChartSlot[] {
  const slots: ChartSlot[] = [];
  for (const { day, sessions, credits_consumed } of days) {
    const last = slots.at(-1);
    if (!last || begins(day)) slots.push({ day, sessions, credits_consumed, ...named(day) });
    else {
      const sums = {
        sessions: last.sessions + sessions,
        credits_consumed: exactSum([last.credits_consumed, credits_consumed]),
      };
      slots[slots.length - 1] = { ...last, ...sums };
    }
  }
  return slots;
}

function weekLabel(day: string): Pick<ChartSlot, "label" | "name"> {
  return { label: shortDay(day), name: `Week from ${longDay(day)}` };
}

function monthLabel(day: string): Pick<ChartSlot, "label" | "name"> {
  return { label: monthOf(day), name: monthOf(day) };
}
