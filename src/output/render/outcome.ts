import { actionFacts, type OutcomeDocument, type ShownResult } from "../documents/index.js";
import { type Block, gap, heading, type Item, inMarkdown, inText, name, ours, paragraph } from "./blocks.js";
import { count, isUndecided, number, outcomeCounts, requestCount } from "./phrases.js";
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

/** Results with the same status for the same reason; usually one. */
interface SameResults {
  readonly first: ShownResult;
  /** The address, or the number of objects. */
  readonly title: string;
  /** The planned action, if all have the same. */
  readonly action?: ShownResult["action"];
  /** For more than one: the first addresses, and the number of others. */
  readonly which?: string;
}

/** Up to this many are shown one by one: a stopped apply of thousands prints its reason once. */
const mostApart = 3;

/** The results in order, with those grouped that failed for exactly the same reason. */
function sameResults(results: readonly ShownResult[]): SameResults[] {
  const groups = new Map<string, ShownResult[]>();
  for (const result of results) {
    const key = groupingKey(result);
    const group = groups.get(key);
    if (group) group.push(result);
    else groups.set(key, [result]);
  }
  return [...groups.values()].flatMap((group) =>
    group.length > mostApart ? [together(group)] : group.map(apart),
  );
}

function groupingKey({ address, status, problem, notes }: ShownResult): string {
  const isAlike = status !== "applied" && problem && notes.length === 0;
  return JSON.stringify(isAlike ? [status, problem.code, problem.message] : [address]);
}

function apart(first: ShownResult): SameResults {
  return { first, title: first.address, action: first.action };
}

function together(group: readonly ShownResult[]): SameResults {
  const [{ id: _one, ...first }] = group as [ShownResult];
  const names = group.slice(0, mostApart).map(({ address }) => address);
  const action = group.every((result) => result.action === first.action) ? { action: first.action } : {};
  const which = `${names.join(", ")} and ${number(group.length - mostApart)} more`;
  return { first, title: count(group.length, "object"), ...action, which };
}
