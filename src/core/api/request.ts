import type { HttpResponse } from "../../base/http/index.js";
import { idForm, isId, toPlainLine } from "../../base/text/index.js";
import { ServiceError } from "./errors.js";

/** A request on its way through the client. Never contains the key. */
export interface ServiceRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path and query after the base URL, starting with `/v1/` (§9). */
  readonly path: string;
  /** Method and path without ids. Together they identify the rate limit. */
  readonly endpoint: string;
  readonly body?: object;
  /** Whether the body contains a secret. If so, the response is never quoted. */
  readonly confidential: boolean;
  /** Whether the response contains a secret. If so, only the message of an error is quoted. */
  readonly hasSecretResponse: boolean;
  /** Signal that cancels waits and further attempts. An attempt in flight finishes. */
  readonly signal?: AbortSignal;
  /** Aborts the request even while it is being sent (outcome unknown). The abort reason's message must be a clause. */
  readonly deadline?: AbortSignal;
  /** Whether to fail with the first error, including a 429, instead of waiting or retrying. */
  readonly once: boolean;
  /** Whether the endpoint is undocumented. Only some profiles have undocumented endpoints. */
  readonly isBeyondDocument: boolean;
  /** Whether to send the request without the key. */
  readonly isPublic: boolean;
  /** Called before each attempt, after the limiter. If it throws, the request is not sent. */
  readonly beforeSend?: () => Promise<void>;
  /** Number of attempts, and whether one of them may have been processed. The only mutable field. */
  readonly tally: { sends: number; mayBeDone: boolean };
}

/** Sends a single request. Throws a ServiceError if no complete response arrives. */
export type Exchange = (request: ServiceRequest) => Promise<HttpResponse>;

/** Sends a request. Returns the envelope's `data`, or throws a ServiceError. */
export type SendRequest = (request: ServiceRequest) => Promise<unknown>;

interface RequestParts extends Partial<Omit<ServiceRequest, "method" | "path" | "endpoint" | "tally">> {
  readonly ids?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
}

/**
 * Builds a request. `ids` replace each `{}` in the path, in order.
 *
 * @throws ServiceError `not-an-id` for an id that would lead to another path.
 */
export function request(
  method: ServiceRequest["method"],
  template: string,
  { ids: givenIds = [], query: parameters, ...more }: RequestParts = {},
): ServiceRequest {
  const ids = [...givenIds];
  const path = template.replaceAll("{}", () => encodeId(method, template, ids.shift() ?? ""));
  const query = new URLSearchParams(parameters);
  return {
    method,
    path: query.size > 0 ? `${path}?${query}` : path,
    endpoint: `${method} ${template}`,
    ...{
      confidential: false,
      hasSecretResponse: false,
      once: false,
      isBeyondDocument: false,
      isPublic: false,
    },
    ...more,
    tally: { sends: 0, mayBeDone: false },
  };
}

function encodeId(method: string, template: string, id: string): string {
  if (isId(id)) return encodeURIComponent(id);
  const path = template.replaceAll("{}", "…");
  throw new ServiceError(
    `${method} ${path}: ${toPlainLine(JSON.stringify(id))} is not an id, so nothing was sent. Ids are ${idForm}. Correct the id at its source.`,
    { code: "not-an-id", method, path, outcome: "not-sent" },
  );
}
