import type { HttpResponse } from "../../base/http/index.js";
import { parseJson, plainLine } from "../../base/text/index.js";
import { repeats } from "./confidential.js";
import { ServiceError } from "./errors.js";
import type { ServiceSettings } from "./options.js";
import { refusal } from "./refusal.js";
import type { Exchange, Send, ServiceRequest } from "./request.js";

/** Opens the envelope (§2.1): returns the `data` of a success, and throws otherwise. */
export function unwrapEnvelopes(exchange: Exchange, { successCodes, apiKey, now }: ServiceSettings): Send {
  return async (request) => {
    const response = await exchange(request);
    const context = { apiKey, nowMs: now() };
    if (response.status >= 300) throw refusal(request, response, context);
    // Assumed: what is deleted need not be answered with an envelope (§4 has no delete).
    if (request.method === "DELETE" && response.text.trim() === "") return undefined;
    const body = parseJson(response.text);
    if (body === undefined) throw unreadable(request, response, apiKey);
    const { code, data } = (body ?? {}) as { code?: unknown; data?: unknown };
    if (typeof code !== "number") {
      throw misshapen(request, response.status, "code", "it has no envelope");
    }
    if (!successCodes.includes(code)) throw refusal(request, response, context);
    return data;
  };
}

/** A successful status with a body that is not JSON: incomplete, or not from the service. */
function unreadable(request: ServiceRequest, response: HttpResponse, apiKey: string): ServiceError {
  const { method, path } = request;
  const text = response.text.trim();
  const cut = text === "" || text.startsWith("{") || text.startsWith("[");
  const type = response.headers["content-type"] ?? "text";
  const isQuotable = !request.confidential && !request.hasSecretResponse && !repeats(type, apiKey);
  const kind = isQuotable ? `, ${plainLine(type)}` : "";
  const sentence = cut
    ? "the answer is incomplete or empty."
    : `the answer does not come from the service (HTTP ${response.status}${kind}). Check base_url and the proxy.`;
  return new ServiceError(`${method} ${path}: ${sentence}${doubt(request)}`, {
    code: cut ? "cut" : "not-json",
    method,
    path,
    outcome: "unknown",
    status: response.status,
  });
}

/** The error for JSON that differs from the document. */
export function misshapen(
  request: ServiceRequest,
  status: number | undefined,
  at: string,
  reason: string,
): ServiceError {
  const { method, path } = request;
  return new ServiceError(
    `${method} ${path}: the answer is not as documented, at ${at}: ${reason}. Is this another version of the service?${doubt(request)}`,
    { code: "wrong-shape", method, path, outcome: "unknown", status },
  );
}

function doubt({ method }: ServiceRequest): string {
  return method === "GET" ? "" : " The change may have been made: check before sending it again.";
}
