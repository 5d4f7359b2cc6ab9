import type { System } from "../../base/system/index.js";
import type { Service } from "../api/index.js";

/**
 * Records the current time. The returned function converts it to ms on the service's clock, or on ours before the first
 * response.
 */
export function startStopwatch(
  service: Pick<Service, "getServerTime">,
  { now, monotonic }: System,
): () => number {
  const startedMs = monotonic();
  return () => (service.getServerTime() ?? now()) - (monotonic() - startedMs);
}
