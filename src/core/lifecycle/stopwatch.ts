import type { System } from "../../base/system/index.js";
import type { Service } from "../api/index.js";

/**
 * Notes the current moment. The returned function gives it later, in ms by the service's clock, which is
 * known only from the first response on; until then by ours.
 */
export function startStopwatch(
  service: Pick<Service, "serverTime">,
  { now, monotonic }: System,
): () => number {
  const startedMs = monotonic();
  return () => (service.serverTime() ?? now()) - (monotonic() - startedMs);
}
