/**
 * Reads error answers. The document does not define status codes, error codes and error bodies (§7.2);
 * deployments use three forms of body, and proxies send pages: all are read here.
 */

import type { HttpResponse } from "../../base/http/index.js";
import { parseJson, plainLine, toMapping } from "../../base/text/index.js";
import { repeats } from "./confidential.js";
import { type ErrorDetail, ServiceError, type ServiceErrorCode, type WriteOutcome } from "./errors.js";
import type { ServiceRequest } from "./request.js";

/** The message of an error response is at its start; the rest is ignored. UTF-16 code units. */
const looked = 65_536;

/** The error for an error response: an HTTP status from 300 up, or a 2xx whose envelope code is not a success. */
export function refusal(
  request: ServiceRequest,
  whole: HttpResponse,
  context: { apiKey: string; nowMs: number },
): ServiceError {
  const response = { ...whole, text: whole.text.slice(0, looked) };
  const isQuotable = mayBeQuoted(request, response, context.apiKey);
  const said = readWords(request, response, context.apiKey, isQuotable);
  const retryAfterMs = readRetryAfter(response, context.nowMs);
  const code = chooseCode(request, response.status, said.words);
  const facts = [
    `HTTP ${response.status}`,
    ...(said.serviceCode === undefined ? [] : [`code ${said.serviceCode}`]),
  ];
  const sentences = [
    `${request.method} ${request.path}: ${verdicts[code] ?? "the service refused it"} (${facts.join(", ")})` +
      (said.words ? `: ${said.quoted}` : "."),
    notOffered(request, whole.status) ?? advice(code, isQuotable ? response : undefined, retryAfterMs),
  ];
  return new ServiceError(sentences.filter(Boolean).join(" "), {
    code,
    method: request.method,
    path: request.path,
    outcome: judgeOutcome(response.status, retryAfterMs),
    status: response.status,
    details: said.details,
    retryAfterMs,
    fromProxy: said.fromProxy,
  });
}

const verdicts: Partial<Record<ServiceErrorCode, string>> = {
  unauthorized: "the service does not accept the API key",
  forbidden: "the service does not allow it",
  "not-found": "the service did not find it",
  "name-taken": "a context with this name exists already",
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
  // Assumed: recognised by its text, because no code is documented (§7.2); seen: 400 "Context with this name
  // already exists".
  const named = words.slice(words.search(/name /i) + 1 || words.length);
  const taken = /already (exists|in use|taken|used)/i.test(words) || /taken|unique|duplicate/i.test(named);
  return taken && path.startsWith("/v1/contexts") ? "name-taken" : "refused";
}

/**
 * 408 means that the request did not arrive completely, but proxies that cannot know send it too; 303 means
 * "done, see there".
 */
function judgeOutcome(status: number, retryAfterMs: number | undefined): WriteOutcome {
  if (status === 429 || (status === 503 && retryAfterMs !== undefined)) return "not-sent";
  return status >= 500 || status === 408 || status === 303 ? "unknown" : "refused";
}

/** What to do about an endpoint that the deployment seems not to have. */
function notOffered({ isBeyondDocument, endpoint }: ServiceRequest, status: number): string | undefined {
  if (!isBeyondDocument || (status !== 404 && status !== 405)) return undefined;
  const id = status === 404 && endpoint.includes("{}") ? "Check the id. " : "";
  return `${id}If this deployment does not offer it, profile is wrong: remove it, or correct base_url.`;
}

function advice(
  code: ServiceErrorCode,
  response: HttpResponse | undefined,
  retryAfterMs: number | undefined,
): string {
  if (code === "unauthorized") return "Check api_key, and that it belongs to this base_url.";
  if (code === "forbidden") return "Ask the account's owner for a key with this permission.";
  if (code === "not-found") return "Check the id, and base_url.";
  if (code === "name-taken") return "Choose another name, or adopt the existing context by its id.";
  if (code === "redirected") {
    const target = plainLine(response?.headers.location ?? "");
    return `Redirects are not followed, to keep the key safe: set base_url to the final address${target && ` (it points to ${target})`}.`;
  }
  if (code !== "rate-limited" && code !== "unavailable") return "";
  return retryAfterMs ? `Try again in ${Math.ceil(retryAfterMs / 1000)} s.` : "Try again later.";
}

interface Said {
  /** Fit for a message; "" if there is none. */
  readonly words: string;
  /** The text for a sentence: quoted if it is the service's, plain if it is ours. */
  readonly quoted: string;
  readonly serviceCode?: number | undefined;
  readonly details: readonly ErrorDetail[];
  readonly fromProxy: boolean;
}

function readWords(
  request: ServiceRequest,
  response: HttpResponse,
  apiKey: string,
  isQuotable: boolean,
): Said {
  const { text } = response;
  const page = /^\s*(<!doctype html|<html)/i.test(text);
  const { serviceCode, details = [], ...body } = page ? {} : readBody(text);
  const raw = page ? "" : (body.words ?? text);
  const isWithheld =
    !isQuotable || (request.hasSecretResponse && ((!page && !body.words) || mayHoldToken(raw)));
  if (isWithheld || repeats(`${raw} ${serviceCode}`, apiKey)) {
    const words = "its message is withheld, because it may repeat a secret.";
    return { words, quoted: words, serviceCode: plainCode(serviceCode), details: [], fromProxy: page };
  }
  if (page) {
    const what = "an HTML page, probably from a proxy";
    return { words: what, quoted: `${what}.`, details: [], fromProxy: true };
  }
  const words = plainLine(raw);
  return { words, quoted: `"${words}".`, serviceCode, details, fromProxy: false };
}

/** If nothing may be quoted, a code with more digits than real codes have is not shown either. */
function plainCode(code: number | undefined): number | undefined {
  return code !== undefined && Number.isInteger(code) && Math.abs(code) < 100_000 ? code : undefined;
}

/**
 * A service may repeat the request, so nothing is quoted from the response to a secret; and a response that may contain a
 * secret is quoted only if its status says that nothing was done.
 */
function mayBeQuoted(request: ServiceRequest, response: HttpResponse, apiKey: string): boolean {
  const { confidential, hasSecretResponse } = request;
  const isRefused = response.status >= 400 && judgeOutcome(response.status, undefined) !== "unknown";
  if (confidential || (hasSecretResponse && !isRefused)) return false;
  return !repeats(`${response.text} ${response.headers.location}`, apiKey);
}

/** A safety net for refusals that come with a token all the same: whether a text has a long word that is no id. */
function mayHoldToken(text: string): boolean {
  const words = text.match(/[\w.~+/=-]{20,}/g) ?? [];
  return words.some((word) => /\d/.test(word) && !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\W?$/i.test(word));
}

/** Reads `{detail: [{loc, msg}]}`, `{detail}`, `{code, data: [{message}], message}` and `{code, data: null, message}`. */
function readBody(text: string): { words?: string; serviceCode?: number; details?: readonly ErrorDetail[] } {
  const body = toMapping(parseJson(text));
  const listed = Array.isArray(body.detail) ? body.detail.map(toMapping) : [];
  const details = listed.map(({ loc, msg }) => ({
    loc: plainLine(Array.isArray(loc) ? loc.join(".") : ""),
    msg: plainLine(typeof msg === "string" ? msg : ""),
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
  };
}

/** How long the service asks us to wait: Retry-After, in seconds or as a date. */
function readRetryAfter({ headers }: HttpResponse, nowMs: number): number | undefined {
  const text = headers["retry-after"];
  if (!text?.trim()) return undefined;
  // Dates come from the service: compare them with its own clock, if it sends one, and not with ours.
  const serverNowMs = Date.parse(headers.date ?? "") || nowMs;
  const ms = Number.isNaN(Number(text)) ? Date.parse(text) - serverNowMs : Number(text) * 1000;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
