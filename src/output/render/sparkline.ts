import type { Chart } from "./blocks.js";
import { largest } from "./phrases.js";

const marks = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** A chart of one line, with the name of what it shows and the number of its highest mark. */
export function drawChart({ name, values, isDaily }: Chart, room: number) {
  if (!isDaily) return { name, marks: sparkline(values), most: largest(values, 0) };
  // As few neighbours together as needed for at most `room` values.
  const each = Math.max(1, Math.ceil(values.length / Math.max(1, room)));
  const shown = Array.from({ length: Math.ceil(values.length / each) }, (_, at) =>
    values.slice(at * each, (at + 1) * each).reduce((sum, value) => sum + value, 0),
  );
  const per = each === 1 ? "day" : `${each} days`;
  return { name: `${name} per ${per}`, marks: sparkline(shown), most: largest(shown, 0) };
}

/** A chart of one line. The lowest mark is nothing: however small, everything else is seen. */
function sparkline(values: readonly number[]): string {
  const most = largest(values, 0);
  const mark = (value: number) =>
    value > 0 ? marks[Math.max(1, Math.round((value / most) * (marks.length - 1)))] : marks[0];
  return values.map(mark).join("");
}
