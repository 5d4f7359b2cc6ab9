import { isTlsError, trustAdvice, withoutNodeAdvice } from "../../base/http/index.js";
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

/** Explains a connection error. */
export function connectionFailure(
  request: ServiceRequest,
  origin: string,
  left: boolean,
  error: unknown,
): ServiceError {
  const reason = withoutNodeAdvice(toTrace(error).message);
  const [fault, sentence] = left
    ? (["cut", `the connection was lost before the answer was complete (${reason}).`] as const)
    : explainNoConnection(systemCode(error), origin, reason);
  return failure(request, fault, left, sentence, error);
}

function explainNoConnection(code: string, origin: string, reason: string): [Fault, sentence: string] {
  if (/^(ENOTFOUND|EAI_)/.test(code))
    return ["dns", `the host name of ${origin} cannot be resolved. Check base_url and the network.`];
  if (isTlsError(code))
    return ["tls", `no secure connection to ${origin} (${reason}). Check base_url. ${trustAdvice}`];
  return [
    "unreachable",
    `cannot connect to ${origin} (${reason}). Check base_url, the network and the proxy.`,
  ];
}

/** An error of several addresses tried at once contains their codes. */
function systemCode(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly { code?: unknown }[] };
  return String(code ?? errors?.[0]?.code ?? "");
}
