import type { OutcomeDocument } from "../documents/index.js";
import { type Block, ours, paragraph } from "./blocks.js";
import { commands } from "./commands.js";

/*
 * Next steps after an incomplete apply, for readers of a comment or message. With `triesAgain`, the run retries by itself, so
 * there is no job to re-run.
 */

/** Describes the next step after a run that may have written something. */
export function adviseAfterInterruption(triesAgain = false): Block {
  return createStep(`${describeRetry(triesAgain)} It first finds out what was done, then does the rest.`);
}

/** Describes the next step after a run that wrote nothing, unless the error message contains it. */
export function adviseAfterRefusal(code: string, triesAgain = false): Block[] {
  if (saysWhatToDo.has(code)) return [];
  if (wrongFiles.has(code))
    return [createStep("merge a pull request that corrects the files: the rest of this is applied with it.")];
  if (code === "behind") return [createStep("if a later merge has that commit, run its job instead.")];
  if (code === "cancelled") return [createStep(describeRetry(triesAgain))];
  const first = preconditions[code] ?? "correct that";
  const step = triesAgain
    ? `${first}; \`sync\` then tries again by itself.`
    : `${first}, then run the job again.`;
  return [createStep(step)];
}

/** Describes a next step for each kind of problem. */
export function adviseAfterOutcome({ exit, results, stopped }: OutcomeDocument, triesAgain = false): Block[] {
  if (exit === "done") return [];
  const steps = new Set<string>();
  const open = results.flatMap(({ address, problem }) => (problem ? [{ address, code: problem.code }] : []));
  const conflicting = open.filter(({ code }) => code === "conflicting").map(({ address }) => address);
  if (conflicting.length > 0)
    steps.add(
      `decide about edits in the dashboard. To keep them, pull and merge: \`${commands.pull(conflicting.join(" "))}\`. To overwrite them: \`${commands.overwrite}\`.`,
    );
  if (open.some(({ code }) => code === "held"))
    steps.add(
      triesAgain
        ? "end what holds up the skipped objects: `sync` then applies the rest."
        : "end what holds up the skipped objects, then run the job again.",
    );
  if (open.some(({ code }) => code === "ambiguous"))
    steps.add(`choose an object: \`${commands.plan}\` prints the commands.`);
  const isOther = ({ code }: { readonly code: string }) => !decided.has(code);
  if (steps.size === 0 || stopped || open.some(isOther))
    steps.add(
      `${describeRetry(triesAgain)} It first finds out what was done, then does the rest. If the files have to change, merge a pull request that changes them. Its apply does the rest.`,
    );
  return [...steps].map(createStep);
}

function describeRetry(triesAgain: boolean): string {
  return triesAgain ? "`sync` tries again by itself." : "run the job again.";
}

function createStep(text: string): Block {
  return paragraph([ours(`What to do next: ${text}`)]);
}

/** Errors whose messages end with the command or the action. */
const saysWhatToDo = new Set([
  ...["not-approved", "not-reviewed", "stale-plan", "threshold", "all-vanished", "untrusted-job"],
  "other-project",
]);

/** Errors to be fixed in the files. */
const wrongFiles = new Set(["invalid-project", "policy", "names-exchanged"]);

/** Step before the next run, by error code. */
const preconditions: Readonly<Record<string, string>> = {
  needs: "make sure that the needed environment has the change",
  held: "wait until the hold has ended",
  locked: "wait until the other run has ended",
  "sessions-active": "wait until the sessions have ended",
};

/** Codes with a step of their own, or that need none. */
const decided = new Set(["conflicting", "held", "ambiguous", "drifted", "in-use"]);
