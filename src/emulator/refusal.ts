/**
 * Errors and their bodies. The document shows no statuses, codes or bodies of errors (§7.2); these
 * forms occur in practice.
 */
import type { Behaviour } from "./behaviour.js";
import { joinProblems, type Problem } from "./shape.js";

/** The service refuses. `status` "invalid" is 422 in the body format that belongs to it, otherwise 400. */
export class Refusal extends Error {
  readonly status: number | "invalid";
  readonly problems: readonly Problem[];
  readonly headers: Record<string, string>;

  constructor(
    status: Refusal["status"],
    message: string,
    more: { problems?: readonly Problem[]; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.problems = more.problems ?? [];
    this.headers = more.headers ?? {};
  }
}

/** A value of the request violates the interface; `problems` start with its place: body, query or path. */
export function invalid(problems: readonly Problem[]): Refusal {
  return new Refusal("invalid", joinProblems(problems), { problems });
}

export function notFound(what: string): Refusal {
  return new Refusal(404, `${what} not found`);
}

export function toStatus({ status }: Refusal, form: Behaviour["errorBodies"]): number {
  if (status !== "invalid") return status;
  return form === "envelope-422" ? 422 : 400;
}

/** The error body in this deployment's format. */
export function errorBody({ status, message, problems }: Refusal, form: Behaviour["errorBodies"]): unknown {
  const isListed = form === "envelope-422" && problems.length > 0;
  const data = isListed ? problems.map(({ at, message }) => ({ loc: at, message })) : null;
  return { code: status === 401 ? 4010 : 4000, data, message };
}
