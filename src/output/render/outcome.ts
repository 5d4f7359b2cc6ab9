import {
  actionFacts,
  type ErrorDocument,
  type OutcomeDocument,
  type ShownCheck,
  type ShownResult,
  type SmokeDocument,
} from "../documents/index.js";
import {
  type Block,
  command,
  gap,
  heading,
  type Item,
  inMarkdown,
  inText,
  name,
  ours,
  paragraph,
  sentence,
  type Words,
  words,
} from "./blocks.js";
import { commands } from "./commands.js";
import { causeBlocks } from "./diagnostics.js";
import { afterBreakingOff, afterOutcome, afterRefusal } from "./next-steps.js";
import { count, isUndecided, outcomeCounts, requestCount, smokeCounts } from "./phrases.js";
import type { Style } from "./span.js";

/** How far an apply has come. `hasBegun`: something may have been written before it failed. */
export type ApplyProgress =
  | { readonly is: "applying"; readonly changes: number }
  | { readonly is: "outcome"; readonly document: OutcomeDocument }
  | { readonly is: "failure"; readonly document: ErrorDocument; readonly hasBegun: boolean };

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
export function outcomeBlocks(outcome: OutcomeDocument, title: Words = []): Block[] {
  const counts = `${outcome.cancelled || outcome.stopped ? "Stopped: " : ""}${outcomeCounts(outcome)}`;
  const requests = requestCount(outcome.requests, outcome.throttled);
  const serial = outcome.state_serial;
  // A stopped apply of thousands says why once.
  const told = new Set<string | undefined>();
  const items = outcome.results.map((result) => {
    const isTold = told.has(result.problem?.message);
    told.add(result.problem?.message);
    return resultItem(result, isTold);
  });
  const titles = ["Result", "Object", "Problem"];
  return [
    inMarkdown(heading(...title, ours(counts)), paragraph([ours(`${requests} · state serial ${serial}`)])),
    { is: "items", items, noun: "result", titles, width: 12 },
    gap,
    inText(paragraph([ours(`${counts}. ${requests}. State serial ${serial}.`, "strong")])),
    ...stoppedBlocks(outcome),
  ];
}

/** Why the run stopped, and a command for each object whose id is recorded nowhere else. */
function stoppedBlocks({ stopped, unrecorded = [] }: OutcomeDocument): Block[] {
  const records = unrecorded.map(({ address, id }) =>
    paragraph(words`Created, but not recorded. Run: ${command(commands.adopt(address, id))}`),
  );
  const why = stopped
    ? [paragraph([sentence(stopped.message), ours(" ("), name(stopped.code), ours(")")])]
    : [];
  return [...why, ...records];
}

/**
 * How far an apply has come, for people who wait for it elsewhere; `title` is the name of what is applied. `triesAgain`: it does by
 * itself, so that nobody has to run a job.
 */
export function progressBlocks(
  progress: ApplyProgress,
  { name: title, triesAgain }: { readonly name: string; readonly triesAgain?: boolean | undefined },
): Block[] {
  const named = words`${name(title)}: `;
  if (progress.is === "outcome") {
    const { document } = progress;
    return [
      ...outcomeBlocks(document, named),
      ...afterOutcome(document, triesAgain),
      ...(document.smoke ? smokeBlocks({ format: "avatarops/smoke", version: 1, ...document.smoke }) : []),
    ];
  }
  if (progress.is === "applying")
    return [
      heading(...named, ours(`applying ${count(progress.changes, "change")}`)),
      paragraph([ours("If this is still here when the run has ended, it died.")]),
      afterBreakingOff(triesAgain),
    ];
  const { document, hasBegun } = progress;
  return [
    heading(...named, ours(hasBegun ? "broke off; a part may be applied" : "nothing was applied")),
    paragraph([sentence(document.message), ours(" ("), name(document.code), ours(")")]),
    ...causeBlocks(document.causes),
    { is: "findings", diagnostics: [], policies: document.policies ?? [], most: 10 },
    ...(hasBegun ? [afterBreakingOff(triesAgain)] : afterRefusal(document.code, triesAgain)),
  ];
}

/** `isTold`: why is said above already, of another object. */
function resultItem(result: ShownResult, isTold: boolean): Item {
  const { status, action, id, label, address, problem, notes } = result;
  const isOpen = status !== "applied";
  return {
    word: outcomeWords(result),
    style: styles[status],
    isOpen,
    name: name(address),
    beside: [
      isOpen && !isUndecided(action) ? ours(`to ${action}`, "dim") : undefined,
      // The address of what no file declares ends with its id.
      id === undefined ? undefined : name(label && address.endsWith(id) ? JSON.stringify(label) : id, "dim"),
      isTold && problem ? name(`[${problem.code}]`, "dim") : undefined,
    ],
    cells: [[name(problem?.code ?? "")]],
    remarks: [
      ...(problem && !isTold ? [{ text: problem.message, code: problem.code }] : []),
      ...notes.map((text) => ({ text })),
    ],
  };
}

const checkStyles: Readonly<Record<ShownCheck["status"], Style>> = {
  passed: "good",
  warned: "warning",
  failed: "error",
  skipped: "warning",
};

/** The counts, a line for each preset, and why it did not pass. */
export function smokeBlocks(smoke: SmokeDocument): Block[] {
  const counts = smokeCounts(smoke);
  const advice = smoke.advice === undefined ? [] : [paragraph([sentence(smoke.advice)])];
  const items = smoke.checks.map(checkItem);
  const titles = ["Result", "Preset", "Session", "Problem"];
  const isEmpty = items.length === 0;
  return [
    inMarkdown(isEmpty ? paragraph([ours(counts)]) : heading(ours(counts)), ...advice),
    { is: "items", items, noun: "preset", titles, width: 9 },
    gap,
    inText(paragraph([ours(counts, "strong")]), ...advice),
  ];
}

function checkItem({ preset, status, session_id, problem }: ShownCheck): Item {
  return {
    word: status,
    style: checkStyles[status],
    isOpen: status !== "passed",
    name: name(preset),
    beside: [session_id === undefined ? undefined : name(session_id, "dim")],
    cells: [[name(session_id ?? "")], [name(problem?.code ?? "")]],
    remarks: problem ? [{ text: problem.message, code: problem.code }] : [],
  };
}
