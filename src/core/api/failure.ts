import { type HttpError, isTlsError, isWithoutTls, trustAdvice } from "../../base/http/index.js";
import { ServiceError, type ServiceErrorCode, type ServiceErrorFacts, toTrace } from "./errors.js";
import type { ServiceRequest } from "./request.js";

/** Creates the error for a request without a usable response. `maybeSent` means that bytes may have been sent. */
export function createRequestError(
  { method, path }: ServiceRequest,
  code: ServiceErrorCode,
  maybeSent: boolean,
  sentence: string,
  more: Pick<ServiceErrorFacts, "status" | "retryAfterMs" | "cause"> = {},
): ServiceError {
  const outcome = maybeSent ? "unknown" : "not-sent";
  const doubt = maybeSent
    ? "The change may have been made. Check before you send it again."
    : "Nothing was sent.";
  const after = method === "GET" ? "" : ` ${doubt}`;
  return new ServiceError(`${method} ${path}: ${sentence}${after}`, { code, method, path, outcome, ...more });
}

/** Creates the error for JSON that does not match the documented format. */
export function createShapeError(
  request: ServiceRequest,
  status: number | undefined,
  at: string,
  reason: string,
): ServiceError {
  const sentence = `the response differs from the documentation at ${at}: ${reason}. Is this another version of the service?`;
  return createRequestError(request, "wrong-shape", true, sentence, { status });
}

/** Creates the error for a request that was cancelled before it was sent. */
export function createCancelledError(request: ServiceRequest): ServiceError {
  return createRequestError(request, "cancelled", false, "cancelled.");
}

/**
 * Creates the error for a request that was still waiting at its deadline. An earlier attempt may have been processed.
 */
export function createExpiredError(request: ServiceRequest, isLimited = false): ServiceError {
  const sentence = `${isLimited ? "the service is limiting requests, and the request was " : ""}${request.deadline?.reason.message}.`;
  return createRequestError(request, "timeout", request.tally.mayBeDone, sentence);
}

/** Adds the deadline's reason to the error of the last attempt. */
export function toDeadlineError({ deadline, tally }: ServiceRequest, error: ServiceError): ServiceError {
  const reason: string = deadline?.reason.message;
  const { message, code, method, path, status, details, retryAfterMs, fromProxy } = error;
  const outcome = tally.mayBeDone ? "unknown" : error.outcome;
  const facts = { code, method, path, outcome, status, details, retryAfterMs, fromProxy };
  return new ServiceError(
    message.includes(reason) ? message : `${message} The request was ${reason}.`,
    facts,
  );
}

/** Creates the error for an attempt that `guardWrites` stopped. An earlier attempt may have been processed. */
export function createWithheldError(request: ServiceRequest): ServiceError {
  const sentence = "no further attempt was allowed.";
  return createRequestError(request, "withheld", request.tally.mayBeDone, sentence);
}

/** Creates the error for a request that ended without a complete response. */
export function createConnectionError(
  request: ServiceRequest,
  origin: string,
  error: HttpError,
): ServiceError {
  const { code, mayBeSent: maybeSent, message, system } = error;
  const cause = toTrace({ message, code: system });
  switch (code) {
    case "aborted":
      return createRequestError(request, "cancelled", maybeSent, "cancelled.");
    case "timeout":
      return createRequestError(request, "timeout", maybeSent, `${message}.`);
    case "too-long":
      return createRequestError(request, "wrong-shape", maybeSent, `${message}.`);
    case "no-response": {
      const advice = origin.startsWith("http:")
        ? " Check whether base_url needs https:// or another port."
        : "";
      const sentence = `${origin} sent no HTTP response (${message}).${advice}`;
      return createRequestError(request, "no-response", maybeSent, sentence, { cause });
    }
    case "connection-lost": {
      const sentence = `the connection was lost before the response was complete (${message}).`;
      return createRequestError(request, "cut", maybeSent, sentence, { cause });
    }
    case "proxy-refused":
      return createRequestError(request, "proxy", maybeSent, `${message}.`);
    case "no-connection":
      return createRequestError(request, ...explainNoConnection(system, origin, message), { cause });
  }
}

function explainNoConnection(
  code = "",
  origin: string,
  reason: string,
): [ServiceErrorCode, maybeSent: boolean, sentence: string] {
  if (/^(ENOTFOUND|EAI_)/.test(code)) {
    const isProxy = !reason.includes(new URL(origin).hostname);
    const advice = `Check ${isProxy ? "the proxy" : "base_url"} and the network.`;
    return ["dns", false, `cannot connect to ${origin} (${reason}). ${advice}`];
  }
  if (isWithoutTls(reason))
    return [
      "tls",
      false,
      `${origin} does not use TLS. Check whether base_url needs http:// or another port.`,
    ];
  // Node's message when a server closes the connection during the handshake. Retried, because the server may be
  // restarting.
  if (reason.includes("before secure TLS connection was established"))
    return [
      "unreachable",
      false,
      `${origin} closed the connection during the TLS handshake. Check whether base_url needs http:// or another port.`,
    ];
  if (isTlsError(code))
    return ["tls", false, `no secure connection to ${origin} (${reason}). Check base_url. ${trustAdvice}`];
  const advice = "Check base_url, the network and the proxy.";
  return ["unreachable", false, `cannot connect to ${origin} (${reason}). ${advice}`];
}
