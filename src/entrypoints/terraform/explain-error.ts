import type { Diagnostic } from "@avatarops/terraform-plugin";
import type { ServiceError, ServiceErrorCode } from "../../core/api/index.js";

const headlines: Record<ServiceErrorCode, string> = {
  unreachable: "The service cannot be reached",
  dns: "The host name of the service cannot be resolved",
  tls: "The TLS connection to the service failed",
  proxy: "The proxy refused the request",
  timeout: "The service did not respond in time",
  unauthorized: "The service rejected the API key",
  forbidden: "The API key lacks a permission",
  "not-found": "The service did not find the requested object",
  refused: "The service refused the request",
  "name-taken": "The name is taken",
  "rate-limited": "The service's rate limit was exceeded",
  unavailable: "The service failed",
  "not-an-id": "An ID is malformed",
  "not-json": "The response is not JSON",
  "no-response": "The server sent no HTTP response",
  cut: "The response is incomplete",
  "wrong-shape": "The response does not have the documented shape",
  redirected: "The service redirects to another URL",
  cancelled: "Operation cancelled",
  withheld: "The request was not sent",
};

/** Converts a service error to a diagnostic. Returns undefined for other errors. */
export function explainError(error: unknown): Diagnostic | undefined {
  if (!isServiceError(error)) return undefined;
  return { severity: "error", summary: headlines[error.code], detail: error.message };
}

/** Returns whether an error comes from the service. Compares the name, to avoid loading the service client. */
function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && error.name === "ServiceError";
}
