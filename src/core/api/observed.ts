import type { HttpResponse } from "../../base/http/index.js";
import { ServiceError, type ServiceErrorCode } from "./errors.js";
import type { ClientSettings } from "./options.js";
import type { Exchange } from "./request.js";

/** Live counts of sent requests, including retries. */
export interface RequestCount {
  readonly total: number;
  /** Number of 429 responses. */
  readonly throttled: number;
}

export function openObserver({ onRequest, system }: Pick<ClientSettings, "onRequest" | "system">) {
  // Uses the monotonic clock, because the wall clock may jump.
  const stopwatch = system.monotonic;
  const requests = { total: 0, throttled: 0 };
  let date: { serverMs: number; atMs: number } | undefined;

  function recordResponse(response: HttpResponse): void {
    if (response.status === 429) requests.throttled++;
    const serverMs = Date.parse(response.headers.date ?? "");
    if (!Number.isNaN(serverMs)) date = { serverMs, atMs: stopwatch() };
  }

  return {
    requests: requests as RequestCount,
    serverTime: () => date && date.serverMs + Math.round(stopwatch() - date.atMs),
    observe:
      (exchange: Exchange): Exchange =>
      async (request) => {
        const { method, path } = request;
        const attempt = ++request.tally.sends;
        requests.total++;
        const sentMs = stopwatch();
        const report = (end: { status: number } | { error: ServiceErrorCode }) =>
          onRequest?.({ method, path, durationMs: Math.round(stopwatch() - sentMs), attempt, ...end });
        try {
          const response = await exchange(request);
          recordResponse(response);
          report({ status: response.status });
          return response;
        } catch (error) {
          if (error instanceof ServiceError) report({ error: error.code });
          throw error;
        }
      },
  };
}
