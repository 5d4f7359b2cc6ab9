/** Sends a request once, and adds the key. No other file uses the key in a request. */
import { setFlagsFromString } from "node:v8";
import { HttpError, type HttpResponse, openHttpClient } from "../../base/http/index.js";
import { createConnectionError, createRequestError } from "./failure.js";
import type { ClientSettings } from "./options.js";
import type { ServiceRequest } from "./request.js";

export function openWire(options: ClientSettings) {
  const { apiKey, baseUrl, concurrency, version, ownsProcess, optimizeAfterMs = 0 } = options;
  const { origin, pathname } = new URL(baseUrl);
  const client = openHttpClient({ ...options, connections: concurrency });
  const inFlight = new Set<Promise<unknown>>();
  let isTuned = !ownsProcess;
  let closed = false;

  async function exchange(request: ServiceRequest): Promise<HttpResponse> {
    const { method, path, body, isPublic } = request;
    if (!isTuned) await client.load();
    // Must run after loading, because V8 would recompile code loaded after a flag change.
    if (!isTuned) tune(optimizeAfterMs);
    isTuned = true;
    try {
      return await client.send(`${origin}${pathname.replace(/\/$/, "")}${path}`, {
        ...{ method, body: body && JSON.stringify(body), finishesOnceSent: method !== "GET" },
        headers: {
          accept: "application/json",
          "user-agent": version ? `avatarops/${version}` : "avatarops",
          ...(body && { "content-type": "application/json" }),
          ...(!isPublic && { "x-api-key": apiKey }),
        },
        signal: [options.signal, request.signal].filter((signal) => signal !== undefined),
        deadline: request.deadline,
      });
    } catch (error) {
      throw error instanceof HttpError ? createConnectionError(request, origin, error) : error;
    }
  }

  return {
    async exchange(request: ServiceRequest): Promise<HttpResponse> {
      if (closed) throw new Error(`Bug: ${request.method} ${request.path} after the service was closed`);
      const problem = findKeyProblem(apiKey);
      if (problem) throw createRequestError(request, "unauthorized", false, problem);
      const trip = (options.exchange ?? exchange)(request);
      inFlight.add(trip);
      try {
        return await trip;
      } finally {
        inFlight.delete(trip);
      }
    },
    /** Waits for running requests, then closes the connections. */
    async close(): Promise<void> {
      closed = true;
      await Promise.allSettled(inFlight);
      await client.close();
    },
  };
}

/**
 * Limits V8's optimization. Otherwise a short command waits 85 ms at exit for the background optimization of undici's
 * WebAssembly.
 */
function tune(optimizeAfterMs: number): void {
  setFlagsFromString("--liftoff-only");
  if (optimizeAfterMs > 0) delayOptimizing(optimizeAfterMs);
}

/** Explains why a key cannot be sent in a header, without showing the key. */
export function findKeyProblem(apiKey: string): string | undefined {
  if (apiKey === "") return "the API key is empty. Check its source.";
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    return "the API key contains a space, a line break or another character that keys never have. Check its source.";
  }
  return undefined;
}

/** Delays optimization, because it does not pay off in short processes. */
function delayOptimizing(forMs: number): void {
  setFlagsFromString("--no-opt");
  setTimeout(() => setFlagsFromString("--opt"), forMs).unref();
}
