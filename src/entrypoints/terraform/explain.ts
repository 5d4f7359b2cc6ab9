import type { Diagnostic } from "@avatarops/terraform-plugin";
import type { ServiceError } from "../../core/api/index.js";

/** What an error means to the user; undefined where it is a bug of ours. */
export function explain(error: unknown): Diagnostic | undefined {
  // By its name: the client of the service is not loaded to ask.
  if (!(error instanceof Error && error.name === "ServiceError")) return undefined;
  const summary = headlines[(error as ServiceError).code] ?? "The service refused the request";
  return { severity: "error", summary, detail: error.message };
}

const headlines: Partial<Record<ServiceError["code"], string>> = {
  unreachable: "The service cannot be reached",
  dns: "The service cannot be reached",
  tls: "No secure connection to the service",
  timeout: "The service did not answer in time",
  cut: "The connection was lost",
  unauthorized: "The service does not accept the API key",
  forbidden: "The API key lacks the permission",
  "rate-limited": "Rate limit exceeded",
  unavailable: "The service failed",
  "not-an-id": "Invalid id",
  "not-json": "The answer is not JSON",
  redirected: "The service redirects",
  "wrong-shape": "Unexpected answer from the service",
  cancelled: "Cancelled",
};
