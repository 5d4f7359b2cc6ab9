import type { HttpResponse } from "../../base/http/index.js";
import { parseJson, toPlainLine } from "../../base/text/index.js";
import { containsConfidential } from "./confidential.js";
import type { ServiceError } from "./errors.js";
import { createRequestError, createShapeError } from "./failure.js";
import type { ClientSettings } from "./options.js";
import { parseErrorResponse } from "./refusal.js";
import type { Exchange, SendRequest, ServiceRequest } from "./request.js";

/** Unwraps envelopes (§2.1). Returns the `data` of a success, or throws. */
export function unwrapEnvelopes(
  exchange: Exchange,
  { successCodes, apiKey, system }: ClientSettings,
): SendRequest {
  return async (request) => {
    const response = await exchange(request);
    const context = { apiKey, nowMs: system.now() };
    if (response.status >= 300) throw parseErrorResponse(request, response, context);
    // Assumes that a DELETE response may have no envelope, because DELETE is undocumented (§4).
    if (request.method === "DELETE" && response.text.trim() === "") return undefined;
    const body = parseJson(response.text);
    if (body === undefined) throw createUnreadableError(request, response, apiKey);
    const { code, data } = (body ?? {}) as { code?: unknown; data?: unknown };
    if (typeof code !== "number")
      throw createShapeError(request, response.status, "code", "the envelope is missing");
    if (!successCodes.includes(code)) throw parseErrorResponse(request, response, context);
    return data;
  };
}

/**
 * Creates the error for a successful response whose body is not JSON. The response is incomplete, or not from the
 * service.
 */
function createUnreadableError(
  request: ServiceRequest,
  response: HttpResponse,
  apiKey: string,
): ServiceError {
  const { status, headers } = response;
  const text = response.text.trim();
  if (text === "" || text.startsWith("{") || text.startsWith("["))
    return createRequestError(request, "cut", true, "the response is incomplete or empty.", { status });
  const type = headers["content-type"] ?? "text";
  const isQuotable =
    !request.confidential && !request.hasSecretResponse && !containsConfidential(type, apiKey);
  const kind = isQuotable ? `, ${toPlainLine(type)}` : "";
  const sentence = `the response does not come from the service (HTTP ${status}${kind}). Check base_url and the proxy.`;
  return createRequestError(request, "not-json", true, sentence, { status });
}
