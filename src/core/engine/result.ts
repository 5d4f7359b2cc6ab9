import type { Result, Status } from "./outcome.js";
import type { Change } from "./plan-value.js";

/** How a change ended. */
export function result(
  { address, action, id }: Change,
  status: Status,
  rest: Partial<Pick<Result, "id" | "problem" | "notes">>,
): Result {
  return { address, action, status, ...(id === undefined ? {} : { id }), notes: [], ...rest };
}

/** It was not tried. */
export function skipped(change: Change, code: string, message: string): Result {
  return result(change, "skipped", { problem: { code, message } });
}

export function stopped(change: Change): Result {
  return skipped(change, "cancelled", "Not started: the apply was asked to stop.");
}

/** Not changed, because somebody else edited it. */
export function drifted(change: Change): Result {
  return skipped(change, "drifted", `It was edited elsewhere since the last apply: ${ways(change)}.`);
}

/** Not changed, because an object with which it exchanges names was edited. */
export function driftedWith(change: Change, edited: Change): Result {
  const message = `It exchanges names with ${edited.address}, which was edited elsewhere since the last apply: ${ways(edited)}.`;
  return skipped(change, "needs-another", message);
}

function ways({ address, action }: Change): string {
  if (action === "delete") return "keep it by declaring it again, or delete it anyway with --overwrite-drift";
  return `take the edit with \`avatarops pull ${address}\`, or overwrite it with --overwrite-drift`;
}
