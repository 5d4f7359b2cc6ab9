import { idForm, isId } from "../shapes/index.js";
import { plainLine, ServiceError } from "./errors.js";

/** One call of an operation, on its way down through the layers. It never holds the key. */
export interface ServiceRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path and query below the base address, beginning with `/v1/` (§9). */
  readonly path: string;
  /** Which limit of the service it counts against: method and path with ids left out. */
  readonly endpoint: string;
  readonly body?: object;
  /** The body holds a secret: nothing the service says of it is quoted. */
  readonly confidential: boolean;
  /** How often it was put on the wire so far. The one thing that changes: `observed` counts here. */
  readonly tally: { sends: number };
}

/** What came back over the wire, whole. */
export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Puts a request on the wire once. Throws a ServiceError when no whole answer comes back. */
export type Exchange = (request: ServiceRequest) => Promise<Answer>;

/** Has a request done. Gives the envelope's `data`; throws a ServiceError for every other end. */
export type Send = (request: ServiceRequest) => Promise<unknown>;

/** The first value of a header. */
export function header(answer: Answer, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Builds a request; `ids` are put into the path's `{}` in order.
 *
 * @throws ServiceError `not-an-id` for one that would name another path: it never leaves.
 */
export function request(
  method: ServiceRequest["method"],
  template: string,
  parts: {
    ids?: readonly string[];
    query?: Record<string, string>;
    body?: object;
    confidential?: true;
  } = {},
): ServiceRequest {
  const ids = [...(parts.ids ?? [])];
  const path = template.replaceAll("{}", () => segment(method, template, ids.shift() ?? ""));
  const query = new URLSearchParams(parts.query);
  return {
    method,
    path: query.size > 0 ? `${path}?${query}` : path,
    endpoint: `${method} ${template}`,
    ...(parts.body && { body: parts.body }),
    confidential: parts.confidential ?? false,
    tally: { sends: 0 },
  };
}

/** An id as one segment of a path. */
function segment(method: string, template: string, id: string): string {
  if (isId(id)) return encodeURIComponent(id);
  const path = template.replaceAll("{}", "…");
  throw new ServiceError(
    `${method} ${path}: ${plainLine(JSON.stringify(id))} is not an id: ids are ${idForm}. Correct it where it comes from. Nothing was sent.`,
    { code: "not-an-id", method, path, outcome: "not-sent" },
  );
}
