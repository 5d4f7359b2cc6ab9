import type { HttpResponse } from "../../base/http/index.js";
import { parseJson, plainLine } from "../../base/text/index.js";
import { repeats } from "./confidential.js";
import type { ServiceError } from "./errors.js";
import { failure, misshapen } from "./failure.js";
import type { ServiceSettings } from "./options.js";
import { refusal } from "./refusal.js";
import type { Exchange, Send, ServiceRequest } from "./request.js";

/** Opens the envelope (§2.1): returns the `data` of a success, and throws otherwise. */
export function unwrapEnvelopes(exchange: Exchange, { successCodes, apiKey, system }: ServiceSettings): Send {
  return async (request) => {
    const response = await exchange(request);
    const context = { apiKey, nowMs: system.now() };
    if (response.status >= 300) throw refusal(request, response, context);
    // Assumed: what is deleted need not be answered with an envelope (§4 has no delete).
    if (request.method === "DELETE" && response.text.trim() === "") return undefined;
    const body = parseJson(response.text);
    if (body === undefined) throw unreadable(request, response, apiKey);
    const { code, data } = (body ?? {}) as { code?: unknown; data?: unknown };
    if (typeof code !== "number") throw misshapen(request, response.status, "code", "it has no envelope");
    if (!successCodes.includes(code)) throw refusal(request, response, context);
    return data;
  };
}

/** A successful status with a body that is not JSON: incomplete, or not from the service. */
function unreadable(request: ServiceRequest, response: HttpResponse, apiKey: string): ServiceError {
  const { status, headers } = response;
  const text = response.text.trim();
  if (text === "" || text.startsWith("{") || text.startsWith("["))
    return failure(request, "cut", true, "the answer is incomplete or empty.", { status });
  const type = headers["content-type"] ?? "text";
  const isQuotable = !request.confidential && !request.hasSecretResponse && !repeats(type, apiKey);
  const kind = isQuotable ? `, ${plainLine(type)}` : "";
  const sentence = `the answer does not come from the service (HTTP ${status}${kind}). Check base_url and the proxy.`;
  return failure(request, "not-json", true, sentence, { status });
}
