import type { Service } from "../api/index.js";

/**
 * The current time by the service's clock, in ms since the epoch; by this machine's if the service does not tell
 * its own. Asks the service once if it has not answered yet.
 */
export async function serviceNow(
  service: Pick<Service, "sessions" | "serverTime">,
  now: () => number,
): Promise<number> {
  if (service.serverTime() === undefined) await service.sessions.page("active", 1, 1);
  return service.serverTime() ?? now();
}
