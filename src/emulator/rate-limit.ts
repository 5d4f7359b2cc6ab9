import type { Behaviour } from "./behaviour.js";
import { Refusal } from "./refusal.js";

const windowMs = 1000;

/**
 * Counts requests in fixed windows of one second, as deployments do (§8 has no numbers): a burst across the
 * border of two windows can reach twice the rate. Returns a function that throws a Refusal.
 */
export function limitRate(): (counted: string, nowMs: number, behaviour: Behaviour) => void {
  let window = 0;
  const counts = new Map<string, number>();
  return (counted, nowMs, { rateLimitPerSecond }) => {
    if (rateLimitPerSecond === null) return;
    if (Math.floor(nowMs / windowMs) !== window) {
      window = Math.floor(nowMs / windowMs);
      counts.clear();
    }
    const count = (counts.get(counted) ?? 0) + 1;
    counts.set(counted, count);
    if (count <= rateLimitPerSecond) return;
    const headers = { "retry-after": "1", "x-ratelimit-reset": "1" };
    throw new Refusal(429, "Too many requests", { headers });
  };
}
