/**
 * Error responses. The API document does not specify error statuses, codes or bodies (§7.2), so these follow common
 * formats.
 */
import type { Behavior } from "./behavior.js";
import { joinProblems, type ShapeProblem } from "./shape.js";

/** Error response of the service. Status "invalid" becomes 422 or 400, depending on the deployment. */
export class Refusal extends Error {
  readonly status: number | "invalid";
  readonly problems: readonly ShapeProblem[];
  readonly headers: Record<string, string>;

  constructor(
    status: Refusal["status"],
    message: string,
    more: { problems?: readonly ShapeProblem[]; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.problems = more.problems ?? [];
    this.headers = more.headers ?? {};
  }
}

/** Creates the refusal for an invalid request. The paths of `problems` start with body, query or path. */
export function createInvalid(problems: readonly ShapeProblem[]): Refusal {
  return new Refusal("invalid", joinProblems(problems), { problems });
}

export function createNotFound(title: string): Refusal {
  return new Refusal(404, `${title} not found`);
}

export function toStatus({ status }: Refusal, form: Behavior["errorBodies"]): number {
  if (status !== "invalid") return status;
  return form === "envelope-422" ? 422 : 400;
}

/** Builds the error body in this deployment's format. */
export function buildErrorBody(
  { status, message, problems }: Refusal,
  form: Behavior["errorBodies"],
): unknown {
  const isListed = form === "envelope-422" && problems.length > 0;
  const data = isListed ? problems.map(({ at, message }) => ({ loc: at, message })) : null;
  return { code: status === 401 ? 4010 : 4000, data, message };
}
