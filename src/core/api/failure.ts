import { type HttpError, isTlsError, trustAdvice } from "../../base/http/index.js";
import { ServiceError, type ServiceErrorCode, toTrace } from "./errors.js";
import type { ServiceRequest } from "./request.js";

/** Requests that end without a complete response. */
type Fault = Extract<
  ServiceErrorCode,
  "unreachable" | "dns" | "tls" | "timeout" | "cut" | "wrong-shape" | "unauthorized" | "cancelled"
>;

/** The error for a request without a complete response. `left`: some bytes of it may have been sent. */
export function failure(
  request: ServiceRequest,
  fault: Fault,
  left: boolean,
  sentence: string,
  cause?: unknown,
): ServiceError {
  const { method, path } = request;
  const outcome = left ? "unknown" : "not-sent";
  const after =
    method === "GET"
      ? ""
      : left
        ? " The change may have been made: check before sending it again."
        : " Nothing was sent.";
  return new ServiceError(`${method} ${path}: ${sentence}${after}`, {
    code: fault,
    method,
    path,
    outcome,
    ...(cause !== undefined && { cause: toTrace(cause) }),
  });
}

/** The error for a request that the user cancelled while it was queued. */
export function cancelled(request: ServiceRequest): ServiceError {
  return failure(request, "cancelled", false, "cancelled.");
}

/** The error for a request that ended without a complete response. */
export function connectionFailure(request: ServiceRequest, origin: string, error: HttpError): ServiceError {
  const { code, mayBeSent: left, message, system } = error;
  // Without the stack of the layer below.
  const cause = toTrace({ message, code: system });
  switch (code) {
    case "aborted":
      return failure(request, "cancelled", left, "cancelled.");
    case "timeout":
      return failure(request, "timeout", left, `${message}.`);
    case "too-long":
      return failure(request, "wrong-shape", left, `${message}.`);
    case "connection-lost":
      return failure(
        request,
        "cut",
        left,
        `the connection was lost before the answer was complete (${message}).`,
        cause,
      );
    case "no-connection":
      return failure(request, ...explainNoConnection(system, origin, message), cause);
  }
}

function explainNoConnection(
  code = "",
  origin: string,
  reason: string,
): [Fault, left: boolean, sentence: string] {
  if (/^(ENOTFOUND|EAI_)/.test(code))
    return ["dns", false, `the host name of ${origin} cannot be resolved. Check base_url and the network.`];
  if (isTlsError(code))
    return ["tls", false, `no secure connection to ${origin} (${reason}). Check base_url. ${trustAdvice}`];
  const advice = "Check base_url, the network and the proxy.";
  return ["unreachable", false, `cannot connect to ${origin} (${reason}). ${advice}`];
}
