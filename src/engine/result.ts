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
  return skipped(change, "cancelled", "Not begun: the apply was asked to stop.");
}
