import { factsOf, type OutcomeDocument, type ShownResult } from "../documents/index.js";
import { cells, padTo } from "./cells.js";
import { largest } from "./largest.js";
import { isUndecided, outcomeCounts, requestCount } from "./phrases.js";
import { type SameResults, sameResults } from "./same-results.js";
import { flow, type Line, type Style, styled, type TextOptions, toTerminal, wrap } from "./span.js";
import { visible } from "./visible.js";

const doneColumn = 12;

const styles: Readonly<Record<ShownResult["status"], Style>> = {
  applied: "good",
  failed: "error",
  skipped: "warning",
  unknown: "error",
};

/** The word for the result of a change: "created", or "failed". */
export function outcomeWords({ action, status }: ShownResult): string {
  return status === "applied" || isUndecided(action) ? factsOf(action).done : status;
}

/** An outcome for a terminal: one line per change, followed by the reason if it was not applied. */
export function renderOutcomeText(outcome: OutcomeDocument, options: TextOptions): string {
  const width = Math.max(options.width, 24);
  const results = sameResults(outcome.results);
  const widest = largest(
    results.map(({ title }) => cells(visible(title))),
    0,
  );
  const lines = results.flatMap((result) => resultLines(result, Math.min(24, widest), width));
  const requests = requestCount(outcome.requests, outcome.throttled);
  const stopped = outcome.cancelled ? "Stopped: " : "";
  const counts = `${stopped}${outcomeCounts(outcome)}. ${requests}. State serial ${outcome.state_serial}.`;
  const ending = wrap([styled(counts, "strong")], { width, first: [styled("  ")], rest: [styled("  ")] });
  return toTerminal([...lines, ...(lines.length > 0 ? [[]] : []), ...ending], options.color);
}

function resultLines({ first, title, action, which }: SameResults, column: number, width: number): Line[] {
  const { status, id, problem, notes } = first;
  const indent = " ".repeat(width < 60 ? 4 : doneColumn + 2);
  const things: Line[] = [
    [
      styled(`  ${outcomeWords(first).padEnd(doneColumn)}`, styles[status]),
      styled(padTo(visible(title), column), "strong"),
    ],
  ];
  if (status !== "applied" && action && !isUndecided(action)) things.push([styled(`to ${action}`, "dim")]);
  if (id !== undefined) things.push([styled(id, "dim")]);
  const below = { width, first: [styled(indent)], rest: [styled(indent)] };
  return [
    ...flow(things, width, indent),
    ...(which === undefined ? [] : wrap([styled(which)], below)),
    ...(problem ? wrap([styled(problem.message), styled(`  [${problem.code}]`, "dim")], below) : []),
    ...notes.flatMap((note) => wrap([styled(note, "dim")], below)),
  ];
}
