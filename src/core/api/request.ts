import type { HttpResponse } from "../../base/http/index.js";
import { idForm, isId, plainLine } from "../../base/text/index.js";
import { ServiceError } from "./errors.js";

/** A request on its way through the layers. Never contains the key. */
export interface ServiceRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path and query below the base address, starting with `/v1/` (§9). */
  readonly path: string;
  /** Which rate limit of the service it counts against: method and path without ids. */
  readonly endpoint: string;
  readonly body?: object;
  /** The body contains a secret: nothing of the response is quoted. */
  readonly confidential: boolean;
  /** The response contains a secret: nothing of it is quoted but the words of a refusal, which come without one. */
  readonly hasSecretResponse: boolean;
  /** Ends the waits of this request only, and nothing more is sent. What is being sent is finished. */
  readonly signal?: AbortSignal;
  /** Ends the request, also one that is being sent, whose outcome is then unknown. The message of its reason is a clause. */
  readonly deadline?: AbortSignal;
  /** Not worth a repetition or a wait: it fails with the first error, a 429 included. */
  readonly once: boolean;
  /** Its endpoint is not in the document: only a deployment whose profile says so has it. */
  readonly isBeyondDocument: boolean;
  /** Anybody may send it: it goes without the key. */
  readonly isPublic: boolean;
  /** Called before each attempt, when it leaves the limiter; an error withholds the request. */
  readonly beforeSend?: () => Promise<void>;
  /** How often it was sent so far, and whether one of these attempts may have been processed. The only field that changes. */
  readonly tally: { sends: number; mayBeDone: boolean };
}

/** Sends a request once. Throws a ServiceError if there is no complete response. */
export type Exchange = (request: ServiceRequest) => Promise<HttpResponse>;

/** Executes a request. Returns the envelope's `data`; throws a ServiceError otherwise. */
export type Send = (request: ServiceRequest) => Promise<unknown>;

interface RequestParts extends Partial<Omit<ServiceRequest, "method" | "path" | "endpoint" | "tally">> {
  readonly ids?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
}

/**
 * Builds a request; `ids` fill the path's `{}` in order.
 *
 * @throws ServiceError `not-an-id` for an id that would name another path: nothing is sent.
 */
export function request(
  method: ServiceRequest["method"],
  template: string,
  { ids: given = [], query: asked, ...more }: RequestParts = {},
): ServiceRequest {
  const ids = [...given];
  const path = template.replaceAll("{}", () => segment(method, template, ids.shift() ?? ""));
  const query = new URLSearchParams(asked);
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

function segment(method: string, template: string, id: string): string {
  if (isId(id)) return encodeURIComponent(id);
  const path = template.replaceAll("{}", "…");
  throw new ServiceError(
    `${method} ${path}: ${plainLine(JSON.stringify(id))} is not an id: ids are ${idForm}. Correct it at its source. Nothing was sent.`,
    { code: "not-an-id", method, path, outcome: "not-sent" },
  );
}
