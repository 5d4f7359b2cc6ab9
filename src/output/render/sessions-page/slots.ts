import { exactSum, type ReportedDay } from "../../documents/index.js";
import { describeDay } from "../session-facts.js";

/** A bar's share of a period: a day, or a week or a month where days are too many to be told apart. */
export interface ChartSlot extends Omit<ReportedDay, "partial"> {
  /** "2 Nov"; of a month, "Nov 2026" */
  readonly label: string;
  /** "Mon 2 Nov 2026", "Week from Mon 2 Nov 2026", "Nov 2026" */
  readonly name: string;
}

type ChartUnit = "day" | "week" | "month";

/** The days, put together to about a hundred slots at most. */
export function toSlots(days: readonly ReportedDay[]): {
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
