import type { Service } from "../api/index.js";

/**
 * Notes this moment. Called later, what is returned tells when that was, in ms by the service's clock: it is known only
 * from the first answer on, and until then it is ours.
 */
export function startStopwatch(service: Pick<Service, "serverTime">, now: () => number): () => number {
  const startedMs = now();
  return () => (service.serverTime() ?? now()) - (now() - startedMs);
}
