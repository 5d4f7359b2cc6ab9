import type { Behaviour } from "./behaviour.js";
import { Refusal } from "./refusal.js";

const windowMs = 1000;

/** What one caller may still send to one endpoint. */
interface Allowance {
  requests: number;
  /** The last refill. */
  atMs: number;
}

/**
 * Limits the requests of each caller to each endpoint (§8 has no numbers): in fixed windows of one second, as deployments
 * do, so a burst across the border of two windows can reach twice the rate; or in a token bucket. Returns a function that
 * throws a Refusal.
 */
export function limitRate(): (counted: string, nowMs: number, behaviour: Behaviour) => void {
  const allowances = new Map<string, Allowance>();
  return (counted, nowMs, { rateLimitPerSecond: perSecond, rateLimitBurst: burst, retryAfter }) => {
    if (perSecond === null) return;
    const last = allowances.get(counted) ?? { requests: burst ?? perSecond, atMs: nowMs };
    const next =
      burst === null ? fillWindow(last, nowMs, perSecond) : fillBucket(last, nowMs, perSecond, burst);
    allowances.set(counted, next);
    if (next.requests >= 1) {
      next.requests -= 1;
      return;
    }
    const waitSeconds = burst === null ? 1 : Math.ceil((1 - next.requests) / perSecond);
    const headers = {
      ...(retryAfter && { "retry-after": `${waitSeconds}` }),
      "x-ratelimit-reset": `${waitSeconds}`,
    };
    throw new Refusal(429, "Too many requests", { headers });
  };
}

function fillWindow(last: Allowance, nowMs: number, perSecond: number): Allowance {
  const isSameWindow = Math.floor(last.atMs / windowMs) === Math.floor(nowMs / windowMs);
  return { requests: isSameWindow ? last.requests : perSecond, atMs: nowMs };
}

function fillBucket(
  { requests, atMs }: Allowance,
  nowMs: number,
  perSecond: number,
  burst: number,
): Allowance {
  return { requests: Math.min(burst, requests + ((nowMs - atMs) * perSecond) / windowMs), atMs: nowMs };
}
