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
