import type { Diagnostic } from "@avatarops/terraform-plugin";
import type { ServiceError } from "../api/index.js";

/** What an error of the world means to the user; undefined: it is a mistake of ours. */
export function explain(error: unknown): Diagnostic | undefined {
  if (!isServiceError(error)) return undefined;
  return {
    severity: "error",
    summary: headlines[error.code] ?? "The service refused",
    detail: error.message,
  };
}

/** By its name: the client of the service is not loaded to ask. */
function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && error.name === "ServiceError";
}

const headlines: Partial<Record<ServiceError["code"], string>> = {
  unreachable: "The service cannot be reached",
  dns: "The service cannot be reached",
  tls: "No secure connection to the service",
  timeout: "The service did not answer in time",
  cut: "The service did not answer",
  unauthorized: "The service does not accept the API key",
  forbidden: "The API key may not do this",
  "rate-limited": "The service asks to slow down",
  unavailable: "The service failed",
  "not-an-id": "What is given as an id is none",
  "not-json": "This is not the service",
  redirected: "The service points elsewhere",
  "wrong-shape": "The service's answer cannot be read",
  cancelled: "Stopped",
};
