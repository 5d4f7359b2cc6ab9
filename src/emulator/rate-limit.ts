import type { Behavior } from "./behavior.js";
import { Refusal } from "./refusal.js";

const windowMs = 1000;

/** Remaining requests of one caller to one endpoint. */
interface Allowance {
  requests: number;
  /** Time of the last refill. */
  atMs: number;
}

/**
 * Returns a function that throws a Refusal once a caller exceeds an endpoint's rate limit (§8 has no numbers). Uses
 * one-second windows or a token bucket. As in deployments, up to twice the rate can pass around a window boundary.
 */
export function limitRate(): (key: string, nowMs: number, behavior: Behavior) => void {
  const allowances = new Map<string, Allowance>();
  return (key, nowMs, { rateLimitPerSecond: perSecond, rateLimitBurst: burst, retryAfter }) => {
    if (perSecond === null) return;
    const last = allowances.get(key) ?? { requests: burst ?? perSecond, atMs: nowMs };
    const next =
      burst === null ? fillWindow(last, nowMs, perSecond) : fillBucket(last, nowMs, perSecond, burst);
    allowances.set(key, next);
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
