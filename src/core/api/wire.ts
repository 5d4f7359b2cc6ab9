/**
 * Sends one request once.
 *
 * After a failure, one question decides what a create may do: can bytes of it have been sent? Error codes cannot answer
 * it (a reset happens before and after), but undici can: it calls `onRequestStart` immediately before it writes to a
 * connected socket. If the request ends before that call, nothing was sent; after it, the outcome is unknown. undici
 * itself resends only requests queued behind a failed one on the same socket, which pipelining 1 rules out.
 */
import { setFlagsFromString } from "node:v8";
import type { Dispatcher } from "undici";
import { openDispatcher } from "../../base/http/index.js";
import type { ServiceError } from "./errors.js";
import { cancelled, connectionFailure, failure } from "./failure.js";
import type { ServiceSettings } from "./options.js";
import type { ServiceRequest, ServiceResponse } from "./request.js";

export function openWire(options: ServiceSettings) {
  const inFlight = new Set<Promise<unknown>>();
  let dispatchers: ReturnType<typeof connect> | undefined;
  let closed = false;

  return {
    async exchange(request: ServiceRequest): Promise<ServiceResponse> {
      if (closed) throw new Error(`Bug: ${request.method} ${request.path} after the service was closed`);
      const problem = keyProblem(options.apiKey);
      if (problem) throw failure(request, "unauthorized", false, problem);
      dispatchers ??= connect(options);
      const { plain, keyed } = await dispatchers;
      const trip = roundTrip(request.isPublic ? plain : keyed, options, request);
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
      await (await dispatchers)?.plain.destroy();
    },
  };
}

async function connect(options: ServiceSettings) {
  const { apiKey, proxy, concurrency, timeoutMs, ownsProcess, optimizeAfterMs = 0 } = options;
  const plain = await openDispatcher(proxy, {
    connections: concurrency,
    pipelining: 1,
    connect: { timeout: Math.min(timeoutMs, 10_000) },
    // roundTrip limits the whole request with `timeoutMs`.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  // undici parses HTTP headers in WebAssembly, which V8 continues to optimise in the background; a process
  // that ends meanwhile waits for that, 85 ms of a short command. Set only now: code loaded after a change of
  // flags is compiled again.
  if (ownsProcess) {
    setFlagsFromString("--liftoff-only");
    if (optimizeAfterMs > 0) putOffOptimizing(optimizeAfterMs);
  }
  return { plain, keyed: plain.compose(authenticate(apiKey)) };
}

/** Adds the key (§5) in the last layer, so that no layer above holds it. */
function authenticate(apiKey: string): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(
      { ...options, headers: { ...(options.headers as Record<string, string>), "x-api-key": apiKey } },
      handler,
    );
}

/** Why a key cannot be sent in a header, without showing it. */
export function keyProblem(apiKey: string): string | undefined {
  if (apiKey === "") return "the API key is empty.";
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    return "the API key contains a space, a line break or another character that no key has. Check its source.";
  }
  return undefined;
}

/** For many short processes: what V8 optimises in its first seconds pays off only later. */
function putOffOptimizing(forMs: number): void {
  setFlagsFromString("--no-opt");
  setTimeout(() => setFlagsFromString("--opt"), forMs).unref();
}

function roundTrip(
  dispatcher: Dispatcher,
  options: ServiceSettings,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const { timeoutMs, maxResponseBytes } = options;
  const signals = [options.signal, request.signal].filter((signal) => signal !== undefined);
  const { origin, pathname } = new URL(options.baseUrl);
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined; // It exists as soon as bytes may have been sent.
    let started: Omit<ServiceResponse, "text"> | undefined;
    let ended = false;
    const chunks: Buffer[] = [];
    let size = 0;

    const end = (error?: ServiceError) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", cancel);
      // The status of a refusal says enough, even if its body is incomplete.
      if (started && (!error || started.status >= 300)) resolve({ ...started, text: decode(chunks) });
      else reject(error);
      if (error) controller?.abort(error);
    };
    const timer = setTimeout(() => {
      const what = controller ? "no complete answer" : "no connection";
      end(failure(request, "timeout", controller !== undefined, `${what} within ${timeoutMs / 1000} s.`));
    }, timeoutMs);
    // A running write is finished, so that its outcome is known.
    const cancel = () => {
      if (!controller) end(cancelled(request));
      else if (request.method === "GET") end(failure(request, "cancelled", true, "cancelled."));
    };
    if (signals.some(({ aborted }) => aborted)) return end(cancelled(request));
    for (const signal of signals) signal.addEventListener("abort", cancel);

    dispatcher.dispatch(outgoing(request, origin, pathname, options.version), {
      onRequestStart(connection) {
        if (ended) return connection.abort(new Error("cancelled before it was sent"));
        controller = connection;
      },
      onResponseStart(_controller, status, headers) {
        if (status >= 200) started = { status, headers };
      },
      onResponseData(_controller, chunk) {
        size += chunk.length;
        if (size <= maxResponseBytes) chunks.push(chunk);
        else
          end(failure(request, "wrong-shape", true, `the answer is longer than ${maxResponseBytes} bytes.`));
      },
      onResponseEnd: () => end(),
      onResponseError: (_controller, error) =>
        end(connectionFailure(request, origin, controller !== undefined, error)),
    });
  });
}

function outgoing(request: ServiceRequest, origin: string, prefix: string, version: string | undefined) {
  const headers = {
    accept: "application/json",
    "accept-encoding": "identity",
    "user-agent": version ? `avatarops/${version}` : "avatarops",
  };
  const aim = { origin, path: prefix.replace(/\/$/, "") + request.path, method: request.method };
  if (!request.body) return { ...aim, headers };
  return {
    ...aim,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(request.body),
    idempotent: false,
  };
}

/** Tolerates a byte order mark and bytes that are not UTF-8. */
function decode(chunks: readonly Buffer[]): string {
  return new TextDecoder().decode(Buffer.concat(chunks));
}
