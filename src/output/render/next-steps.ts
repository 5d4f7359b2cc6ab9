import type { OutcomeDocument } from "../documents/index.js";
import { type Block, ownText, paragraph } from "./blocks.js";
import { commands } from "./commands.js";

/*
 * Advice after an incomplete apply, for readers of a comment or chat message. With `retriesAutomatically`, the run
 * belongs to `sync`, so there is no job to re-run.
 */

/** Describes the next step after a run that may have written something. */
export function adviseAfterInterruption(retriesAutomatically = false): Block {
  return createStep(describeContinuation(retriesAutomatically));
}

/** Describes the next step after a run that wrote nothing, unless the error message already contains it. */
export function adviseAfterRefusal(code: string, retriesAutomatically = false): Block[] {
  if (saysWhatToDo.has(code)) return [];
  if (wrongFiles.has(code))
    return [
      createStep(
        "merge a pull request that fixes the files. The apply after the merge includes the rest of this change.",
      ),
    ];
  if (code === "behind")
    return [createStep("if a later merge contains that commit, run the job of that merge instead.")];
  if (code === "cancelled") return [createStep(describeRetry(retriesAutomatically))];
  const first = preconditions[code] ?? "fix the problem";
  const step = retriesAutomatically
    ? `${first}. \`sync\` then retries automatically.`
    : `${first}, then run the job again.`;
  return [createStep(step)];
}

/** Describes the next step for each type of problem. */
export function adviseAfterOutcome(
  { exit, results, stopped }: OutcomeDocument,
  retriesAutomatically = false,
): Block[] {
  if (exit === "done") return [];
  const steps = new Set<string>();
  const open = results.flatMap(({ address, problem }) => (problem ? [{ address, code: problem.code }] : []));
  const conflicting = open.filter(({ code }) => code === "conflicting").map(({ address }) => address);
  if (conflicting.length > 0)
    steps.add(
      `decide whether to keep the dashboard edits. To keep them, run \`${commands.pull(conflicting.join(" "))}\`, resolve the conflicts that it shows, and merge the changed files. To overwrite them, run \`${commands.overwrite}\`.`,
    );
  if (open.some(({ code }) => code === "held"))
    steps.add(
      retriesAutomatically
        ? "fix the problems that block the skipped objects. `sync` then applies the rest."
        : "fix the problems that block the skipped objects, then run the job again.",
    );
  if (open.some(({ code }) => code === "ambiguous"))
    steps.add(`choose one of the candidate objects. \`${commands.plan}\` prints the commands.`);
  const isOther = ({ code }: { readonly code: string }) => !decided.has(code);
  if (steps.size === 0 || stopped || open.some(isOther))
    steps.add(
      `${describeContinuation(retriesAutomatically)} If the files need a change, merge that change instead: its apply includes the rest.`,
    );
  return [...steps].map(createStep);
}

function describeRetry(retriesAutomatically: boolean): string {
  return retriesAutomatically ? "`sync` retries automatically." : "run the job again.";
}

function describeContinuation(retriesAutomatically: boolean): string {
  return `${describeRetry(retriesAutomatically)} It skips completed changes and applies the rest.`;
}

function createStep(text: string): Block {
  return paragraph([ownText(`What to do next: ${text}`)]);
}

/** Codes of errors whose messages already contain the next step. */
const saysWhatToDo = new Set([
  ...["not-approved", "not-reviewed", "stale-plan", "threshold", "all-vanished", "untrusted-job"],
  "other-project",
]);

/** Codes of errors that must be fixed in the files. */
const wrongFiles = new Set(["invalid-project", "policy", "names-exchanged"]);

/** Steps before the next run, by error code. */
const preconditions: Readonly<Record<string, string>> = {
  needs: "apply the change to the required environment",
  held: "wait until the hold ends",
  locked: "wait until the other run ends",
  "sessions-active": "wait until the sessions end",
};

/** Problem codes for which re-running the job is not suggested. They have their own next step, or need none. */
const decided = new Set(["conflicting", "held", "ambiguous", "drifted", "in-use"]);
