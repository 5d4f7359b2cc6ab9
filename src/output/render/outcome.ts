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
  type Inline,
  inline,
  type ListItem,
  markdownOnly,
  name,
  ownText,
  paragraph,
  sentence,
  textOnly,
} from "./blocks.js";
import { commands } from "./commands.js";
import { renderCauseBlocks } from "./diagnostics.js";
import { adviseAfterInterruption, adviseAfterOutcome, adviseAfterRefusal } from "./next-steps.js";
import {
  formatCount,
  formatOutcomeCounts,
  formatRequestCount,
  formatSmokeCounts,
  isUndecided,
} from "./phrases.js";
import type { Style } from "./span.js";

/** Apply progress. `hasBegun` means that something may have been written before the error. */
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

/** Returns the word for a result, such as "created" or "failed". */
export function describeOutcome({ action, status }: ShownResult): string {
  return status === "applied" || isUndecided(action) ? actionFacts[action].done : status;
}

/** Describes the counts, and each change with its problem, if any. */
export function renderOutcomeBlocks(outcome: OutcomeDocument, title: Inline = []): Block[] {
  const counts = `${outcome.cancelled || outcome.stopped ? "Stopped: " : ""}${formatOutcomeCounts(outcome)}`;
  const requests = formatRequestCount(outcome.requests, outcome.throttled);
  const serial = outcome.state_serial;
  // Shows each message once, because a stopped apply may repeat it for thousands of objects.
  const shown = new Set<string | undefined>();
  const items = outcome.results.map((result) => {
    const isRepeated = shown.has(result.problem?.message);
    shown.add(result.problem?.message);
    return renderResultItem(result, isRepeated);
  });
  const titles = ["Result", "Object", "Problem"];
  return [
    markdownOnly(
      heading(...title, ownText(counts)),
      paragraph([ownText(`${requests} · state serial ${serial}`)]),
    ),
    { is: "items", items, noun: "result", titles, width: 12 },
    gap,
    textOnly(paragraph([ownText(`${counts}. ${requests}. State serial ${serial}.`, "strong")])),
    ...renderStoppedBlocks(outcome),
  ];
}

/** Describes why the run stopped. Adds a command for each object whose id is not recorded elsewhere. */
function renderStoppedBlocks({ stopped, unrecorded = [] }: OutcomeDocument): Block[] {
  const records = unrecorded.map(({ address, id }) =>
    paragraph(inline`Created, but not recorded. Run: ${command(commands.adopt(address, id))}`),
  );
  const why = stopped
    ? [paragraph([sentence(stopped.message), ownText(" ("), name(stopped.code), ownText(")")])]
    : [];
  return [...why, ...records];
}

/** Describes an apply's progress for a comment. `name` is the applied project. */
export function renderProgressBlocks(
  progress: ApplyProgress,
  {
    name: title,
    retriesAutomatically,
  }: { readonly name: string; readonly retriesAutomatically?: boolean | undefined },
): Block[] {
  const named = inline`${name(title)}: `;
  if (progress.is === "outcome") {
    const { document } = progress;
    return [
      ...renderOutcomeBlocks(document, named),
      ...adviseAfterOutcome(document, retriesAutomatically),
      ...(document.smoke
        ? renderSmokeBlocks({ format: "avatarops/smoke", version: 1, ...document.smoke })
        : []),
    ];
  }
  if (progress.is === "applying")
    return [
      heading(...named, ownText(`applying ${formatCount(progress.changes, "change")}`)),
      paragraph([ownText("If this is still shown after the run has ended, the run crashed.")]),
      adviseAfterInterruption(retriesAutomatically),
    ];
  const { document, hasBegun } = progress;
  return [
    heading(
      ...named,
      ownText(hasBegun ? "stopped early, so some changes may have been applied" : "nothing was applied"),
    ),
    paragraph([sentence(document.message), ownText(" ("), name(document.code), ownText(")")]),
    ...renderCauseBlocks(document),
    { is: "findings", diagnostics: [], policies: document.policies ?? [], maxEntries: 10 },
    ...(hasBegun
      ? [adviseAfterInterruption(retriesAutomatically)]
      : adviseAfterRefusal(document.code, retriesAutomatically)),
  ];
}

/** Renders the result of a change. With `isRepeated`, omits the message, because an object above has the same one. */
function renderResultItem(result: ShownResult, isRepeated: boolean): ListItem {
  const { status, action, id, label, address, problem, notes } = result;
  const isOpen = status !== "applied";
  return {
    word: describeOutcome(result),
    style: styles[status],
    isOpen,
    name: name(address),
    beside: [
      isOpen && !isUndecided(action) ? ownText(`to ${action}`, "dim") : undefined,
      // The address of an undeclared object ends with its id.
      id === undefined ? undefined : name(label && address.endsWith(id) ? JSON.stringify(label) : id, "dim"),
      isRepeated && problem ? name(`[${problem.code}]`, "dim") : undefined,
    ],
    cells: [[name(problem?.code ?? "")]],
    remarks: [
      ...(problem && !isRepeated ? [{ text: problem.message, code: problem.code }] : []),
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

/** Describes the counts, and each preset with its problem, if any. */
export function renderSmokeBlocks(smoke: SmokeDocument): Block[] {
  const counts = formatSmokeCounts(smoke);
  const advice = smoke.advice === undefined ? [] : [paragraph([sentence(smoke.advice)])];
  const items = smoke.checks.map(renderCheckItem);
  const titles = ["Result", "Preset", "Session", "Problem"];
  const isEmpty = items.length === 0;
  return [
    markdownOnly(isEmpty ? paragraph([ownText(counts)]) : heading(ownText(counts)), ...advice),
    { is: "items", items, noun: "preset", titles, width: 9 },
    gap,
    textOnly(paragraph([ownText(counts, "strong")]), ...advice),
  ];
}

function renderCheckItem({ preset, status, session_id, problem }: ShownCheck): ListItem {
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
