/**
 * Parses error responses. Status codes, error codes and error bodies are undocumented (§7.2). Deployments use three
 * body formats, and proxies send HTML pages.
 */

import { type HttpResponse, readRetryAfterMs } from "../../base/http/index.js";
import { parseJson, toMapping, toPlainLine } from "../../base/text/index.js";
import { containsConfidential } from "./confidential.js";
import { type ErrorDetail, ServiceError, type ServiceErrorCode, type WriteOutcome } from "./errors.js";
import type { ServiceRequest } from "./request.js";

/** Maximum length of an error response to parse, in UTF-16 code units. The rest is dropped. */
const maxErrorBody = 65_536;

/** Creates the error for an HTTP status of 300 or more, or a 2xx whose envelope code is not a success. */
export function parseErrorResponse(
  request: ServiceRequest,
  whole: HttpResponse,
  context: { apiKey: string; nowMs: number },
): ServiceError {
  const response = { ...whole, text: whole.text.slice(0, maxErrorBody) };
  const isQuotable = mayBeQuoted(request, response, context.apiKey);
  const message = readMessage(request, response, context.apiKey, isQuotable);
  const retryAfterMs = readRetryAfterMs(response, context.nowMs);
  const code = chooseCode(request, response.status, message.words);
  const mayBeDone = response.status < 300 && message.hasObject && request.method !== "GET";
  const facts = [
    `HTTP ${response.status}`,
    ...(message.serviceCode === undefined ? [] : [`code ${message.serviceCode}`]),
  ];
  const sentences = [
    `${request.method} ${request.path}: ${mayBeDone ? "the outcome is unknown" : (verdicts[code] ?? "the service rejected the request")} (${facts.join(", ")})` +
      (message.words ? `: ${message.quoted}` : "."),
    mayBeDone ? `If code ${message.serviceCode} means success, add it to \`service.success_codes\`.` : "",
    adviseOnMissingEndpoint(request, whole.status) ??
      advise(code, isQuotable ? response : undefined, retryAfterMs),
  ];
  return new ServiceError(sentences.filter(Boolean).join(" "), {
    code,
    method: request.method,
    path: request.path,
    outcome: mayBeDone
      ? "unknown"
      : judgeOutcome(response.status, message.fromProxy ? undefined : retryAfterMs),
    status: response.status,
    details: message.details,
    retryAfterMs,
    fromProxy: message.fromProxy,
  });
}

const verdicts: Partial<Record<ServiceErrorCode, string>> = {
  unauthorized: "the service does not accept the API key",
  forbidden: "the service does not allow this request",
  "not-found": "the service did not find the object or endpoint",
  "name-taken": "a context with this name already exists",
  "rate-limited": "the service is limiting requests",
  unavailable: "the service failed",
  redirected: "the service redirects",
};

function chooseCode({ path }: ServiceRequest, status: number, words: string): ServiceErrorCode {
  if (status >= 500) return "unavailable";
  if (status >= 300 && status < 400) return "redirected";
  if (status === 401) return "unauthorized";
  if (status === 403) return "forbidden";
  if (status === 404 || status === 410) return "not-found";
  if (status === 429) return "rate-limited";
  // Recognizes a taken name by the message, because no code is documented (§7.2). One deployment responds with status
  // 400 and "Context with this name already exists".
  const named = words.slice(words.search(/name /i) + 1 || words.length);
  const taken = /already (exists|in use|taken|used)/i.test(words) || /taken|unique|duplicate/i.test(named);
  return taken && path.startsWith("/v1/contexts") ? "name-taken" : "refused";
}

/**
 * Determines the outcome from the status. After a 408, the write may still have been processed, because proxies also
 * send 408. A 303 means that it was processed. A proxy's `Retry-After` shows nothing, because the proxy may have
 * forwarded the request.
 */
function judgeOutcome(status: number, retryAfterMs: number | undefined): WriteOutcome {
  if (status === 429 || (status === 503 && retryAfterMs !== undefined)) return "not-sent";
  return status >= 500 || status === 408 || status === 303 ? "unknown" : "refused";
}

/** Returns advice for a missing endpoint that not all deployments support. */
function adviseOnMissingEndpoint(
  { isBeyondDocument, endpoint }: ServiceRequest,
  status: number,
): string | undefined {
  if (!isBeyondDocument || (status !== 404 && status !== 405)) return undefined;
  const id = status === 404 && endpoint.includes("{}") ? "Check the id. " : "";
  return `${id}If this deployment lacks this endpoint, correct or remove profile, or correct base_url.`;
}

function advise(
  code: ServiceErrorCode,
  response: HttpResponse | undefined,
  retryAfterMs: number | undefined,
): string {
  if (code === "unauthorized") return "Check that api_key is correct and belongs to this base_url.";
  if (code === "forbidden") return "Ask the account's owner for a key that allows this request.";
  if (code === "not-found") return "Check the id and base_url.";
  if (code === "name-taken") return "Choose another name, or adopt the existing context by its id.";
  if (code === "redirected") {
    const target = toPlainLine(response?.headers.location ?? "");
    return `Redirects are not followed, to keep the key safe. Set base_url to the final URL${target && ` (the redirect points to ${target})`}.`;
  }
  if (code !== "rate-limited" && code !== "unavailable") return "";
  return retryAfterMs ? `Retry in ${Math.ceil(retryAfterMs / 1000)} s.` : "Retry later.";
}

interface ErrorMessage {
  /** Message on one line, or "" if the response has none. */
  readonly words: string;
  /** Message for display, with quotation marks if it comes from the service. */
  readonly quoted: string;
  readonly serviceCode?: number | undefined;
  readonly details: readonly ErrorDetail[];
  readonly fromProxy: boolean;
  /** Whether the response contains an object with an id, as successful responses do. */
  readonly hasObject?: boolean | undefined;
}

function readMessage(
  request: ServiceRequest,
  response: HttpResponse,
  apiKey: string,
  isQuotable: boolean,
): ErrorMessage {
  const { text } = response;
  const isHtml = /^\s*(<!doctype html|<html)/i.test(text);
  const { serviceCode, details = [], hasObject, ...body } = isHtml ? {} : readBody(text);
  const raw = isHtml ? "" : (body.words ?? text);
  const isWithheld =
    !isQuotable || (request.hasSecretResponse && ((!isHtml && !body.words) || mayContainToken(raw)));
  if (isWithheld || containsConfidential(`${raw} ${serviceCode}`, apiKey)) {
    const words = "its message is not shown, because it may contain a secret.";
    const shown = { serviceCode: toShowableCode(serviceCode), details: [], hasObject };
    return { ...shown, words, quoted: words, fromProxy: isHtml };
  }
  if (isHtml) {
    const words = "an HTML page, probably from a proxy";
    return { words, quoted: `${words}.`, details: [], fromProxy: true };
  }
  const words = toPlainLine(raw);
  return { words, quoted: `"${words}".`, serviceCode, details, hasObject, fromProxy: false };
}

/** Drops an unusually long code, because it may be a secret. */
function toShowableCode(code: number | undefined): number | undefined {
  return code !== undefined && Number.isInteger(code) && Math.abs(code) < 100_000 ? code : undefined;
}

/**
 * Returns whether a response may be quoted. The service may echo a secret, so a response to a request with a secret is
 * never quoted.
 */
function mayBeQuoted(request: ServiceRequest, response: HttpResponse, apiKey: string): boolean {
  const { confidential, hasSecretResponse } = request;
  const isRefused = response.status >= 400 && judgeOutcome(response.status, undefined) !== "unknown";
  if (confidential || (hasSecretResponse && !isRefused)) return false;
  return !containsConfidential(`${response.text} ${response.headers.location}`, apiKey);
}

/**
 * Returns whether a message has a long word that is not an id. Second line of defense against refusals that contain a
 * token.
 */
function mayContainToken(text: string): boolean {
  const words = text.match(/[\w.~+/=-]{20,}/g) ?? [];
  return words.some((word) => /\d/.test(word) && !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\W?$/i.test(word));
}

/**
 * Parses the bodies `{detail: [{loc, msg}]}`, `{detail}`, `{code, data: [{message}], message}` and `{code, data: null,
 * message}`.
 */
function readBody(text: string): Partial<ErrorMessage> {
  const body = toMapping(parseJson(text));
  const listed = Array.isArray(body.detail) ? body.detail.map(toMapping) : [];
  const details = listed.map(({ loc, msg }) => ({
    loc: toPlainLine(Array.isArray(loc) ? loc.join(".") : ""),
    msg: toPlainLine(typeof msg === "string" ? msg : ""),
  }));
  const reasons = Array.isArray(body.data) ? body.data.map((entry) => toMapping(entry).message) : [];
  const sentences = [
    ...details.map(({ loc, msg }) => (loc ? `${loc}: ${msg}` : msg)),
    ...[body.detail, body.message, ...reasons].filter((text) => typeof text === "string"),
  ];
  return {
    ...(sentences.length > 0 && { words: [...new Set(sentences)].join("; ") }),
    ...(typeof body.code === "number" && { serviceCode: body.code }),
    details,
    hasObject: typeof toMapping(body.data).id === "string",
  };
}
