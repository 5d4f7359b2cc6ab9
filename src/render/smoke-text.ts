import type { ShownCheck, ShownSmoke } from "../documents/index.js";
import { cells, padTo } from "./cells.js";
import { largest } from "./largest.js";
import { smokeCounts } from "./phrases.js";
import { flow, type Line, type Style, styled, type TextOptions, toTerminal, wrap } from "./span.js";
import { visible } from "./visible.js";

const statusColumn = 9;

const styles: Readonly<Record<ShownCheck["status"], Style>> = {
  passed: "good",
  warned: "warning",
  failed: "error",
  skipped: "warning",
};

/** A smoke check for a terminal: one line per preset, followed by the reason if it did not pass. */
export function renderSmokeText(smoke: ShownSmoke, options: TextOptions): string {
  const { checks, advice } = smoke;
  const width = Math.max(options.width, 24);
  const widest = largest(
    checks.map(({ preset }) => cells(visible(preset))),
    0,
  );
  const lines = checks.flatMap((check) => checkLines(check, Math.min(24, widest), width));
  const margins = { width, first: [styled("  ")], rest: [styled("  ")] };
  const sentences = [
    ...wrap([styled(smokeCounts(smoke), "strong")], margins),
    ...(advice === undefined ? [] : wrap([styled(advice)], margins)),
  ];
  return toTerminal([...lines, ...(lines.length > 0 ? [[]] : []), ...sentences], options.color);
}

function checkLines(
  { preset, status, session_id, problem }: ShownCheck,
  column: number,
  width: number,
): Line[] {
  const indent = " ".repeat(width < 60 ? 4 : statusColumn + 2);
  const things: Line[] = [
    [
      styled(`  ${status.padEnd(statusColumn)}`, styles[status]),
      styled(padTo(visible(preset), column), "strong"),
    ],
  ];
  if (session_id !== undefined) things.push([styled(session_id, "dim")]);
  const below = { width, first: [styled(indent)], rest: [styled(indent)] };
  return [
    ...flow(things, width, indent),
    ...(problem ? wrap([styled(problem.message), styled(`  [${problem.code}]`, "dim")], below) : []),
  ];
}
