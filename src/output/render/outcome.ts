import { actionFacts, type OutcomeDocument, type ShownResult } from "../documents/index.js";
import { type Block, gap, heading, type Item, inMarkdown, inText, name, ours, paragraph } from "./blocks.js";
import { isUndecided, outcomeCounts, requestCount } from "./phrases.js";
import { type SameResults, sameResults } from "./same-results.js";
import type { Style } from "./span.js";

const styles: Readonly<Record<ShownResult["status"], Style>> = {
  applied: "good",
  failed: "error",
  skipped: "warning",
  unknown: "error",
};

/** The word for the result of a change: "created", or "failed". */
export function outcomeWords({ action, status }: ShownResult): string {
  return status === "applied" || isUndecided(action) ? actionFacts[action].done : status;
}

/** The counts, a line for each change, and why it was not applied. */
export function outcomeBlocks(outcome: OutcomeDocument): Block[] {
  const counts = `${outcome.cancelled ? "Stopped: " : ""}${outcomeCounts(outcome)}`;
  const requests = requestCount(outcome.requests, outcome.throttled);
  const serial = outcome.state_serial;
  const items = sameResults(outcome.results).map(resultItem);
  const titles = ["Result", "Object", "Id", "Problem"];
  return [
    inMarkdown(heading(ours(counts)), paragraph([ours(`${requests} · state serial ${serial}`)])),
    { is: "items", items, noun: "result", titles, width: 12 },
    gap,
    inText(paragraph([ours(`${counts}. ${requests}. State serial ${serial}.`, "strong")])),
  ];
}

function resultItem({ first, title, action, which }: SameResults): Item {
  const { status, id, problem, notes } = first;
  const isOpen = status !== "applied";
  return {
    word: outcomeWords(first),
    style: styles[status],
    isOpen,
    name: which === undefined ? name(title) : ours(title),
    beside: [
      isOpen && action && !isUndecided(action) ? ours(`to ${action}`, "dim") : undefined,
      id === undefined ? undefined : name(id, "dim"),
    ],
    cells: [[name(id ?? "")], [name(problem?.code ?? "")]],
    about: which,
    remarks: [
      ...(problem ? [{ text: problem.message, code: problem.code }] : []),
      ...notes.map((text) => ({ text })),
    ],
  };
}
