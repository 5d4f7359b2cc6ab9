import { type Contexts, createContextsClient } from "../../src/core/api/contexts.js";
import { unwrapEnvelopes } from "../../src/core/api/envelope.js";
import { applyDefaults, type ServiceOptions } from "../../src/core/api/options.js";
import { limitRequests } from "../../src/core/api/rate-limiter.js";
import type { Exchange } from "../../src/core/api/request.js";
import { retryRequests } from "../../src/core/api/retry.js";
import { openAccount } from "../../src/emulator/account.js";
import { type Behavior, defaultBehavior } from "../../src/emulator/index.js";
import { openService } from "../../src/emulator/service.js";
import { openRandom, openVirtualTime, type VirtualTime } from "./virtual-time.js";

const apiKey = "test-key";
const baseUrl = "http://service";

/** A request as received by the service. */
export interface Received {
  readonly atMs: number;
  readonly method: string;
  readonly status: number;
}

/** Minimum and maximum round trip time, in milliseconds. */
export type Latency = readonly [minMs: number, maxMs: number];

/** Opens a client in virtual time. The client has all layers except the network. */
export function openClient(
  { system }: VirtualTime,
  exchange: Exchange,
  options: Partial<ServiceOptions> = {},
): Contexts {
  const settings = applyDefaults({ baseUrl, apiKey, system, ...options });
  const once = unwrapEnvelopes(exchange, settings);
  return createContextsClient(retryRequests(limitRequests(once, settings), settings));
}

/** Opens the emulated service in virtual time. Tests can change `behavior` while the service runs. */
export function openLimitedService(given: Partial<Behavior>, [minMs, maxMs]: Latency, seed: number) {
  const random = openRandom(seed);
  // Starts at a random point of the emulator's one-second rate limit window.
  const time = openVirtualTime(seed + 1, Math.floor(random() * 1000));
  const received: Received[] = [];
  const behavior: Behavior = { ...defaultBehavior, contextNames: "free", ...given };
  let made = 0;
  const service = openService({
    ...{ account: openAccount({}), apiKey, behavior, profile: undefined, nowMs: time.system.now },
    newId: () => `00000000-0000-4000-8000-${String(++made).padStart(12, "0")}`,
  });
  const exchange: Exchange = async ({ method, path, body }) => {
    const oneWayMs = (minMs + random() * (maxMs - minMs)) / 2;
    await time.system.sleep(oneWayMs);
    const url = new URL(path, baseUrl);
    const response = service({
      ...{ method, path: url.pathname, query: url.searchParams, url: url.href },
      ...{ apiKey, bearer: undefined, contentType: "application/json", text: JSON.stringify(body) ?? "" },
    });
    received.push({ atMs: time.system.now(), method, status: response.status });
    await time.system.sleep(oneWayMs);
    return { status: response.status, headers: response.headers, text: response.body };
  };
  return { time, exchange, received, behavior };
}

/** Creates contexts with concurrent requests. */
export async function createMany(client: Contexts, creates: number): Promise<void> {
  const body = { name: "Support", prompt: "Be kind.", opening_text: "Hello", links: [] };
  await Promise.all(Array.from({ length: creates }, () => client.create(body)));
}

export function countRefused(received: readonly Received[]): number {
  return received.filter(({ status }) => status === 429).length;
}
