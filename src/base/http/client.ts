import type { Dispatcher } from "undici";
import { plainLine } from "../text/index.js";
import { openDispatcher, type ProxyOptions } from "./proxies.js";

export interface HttpClientOptions {
  readonly proxy?: ProxyOptions | undefined;
  /** Certificates in PEM to trust in place of the system's. */
  readonly ca?: string | undefined;
  /** Limits a request and its response together. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Limits the wait for the first part of a response, and for each next one. Default: no limit. */
  readonly idleMs?: number | undefined;
  readonly maxResponseBytes: number;
}

export interface HttpRequest {
  /** Default: GET. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface HttpClient {
  /**
   * Sends a request once. Redirects are answers like others: credentials go only where the caller sends them.
   *
   * @throws HttpError if there is no complete response.
   */
  send(url: string | URL, request?: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** There is no complete response. The message is a clause, on one line, that contains nothing of request or answer. */
export class HttpError extends Error {
  readonly code: "aborted" | "timeout" | "too-long" | "no-connection" | "connection-lost";
  /** Whether the server may have received the request. */
  readonly mayBeSent: boolean;
  /** The code of the system, TLS or undici, for those who have a better word for it: `ECONNREFUSED`. */
  readonly system: string | undefined;

  constructor(code: HttpError["code"], message: string, system?: string) {
    super(message);
    this.name = "HttpError";
    this.code = code;
    this.system = system;
    this.mayBeSent = code !== "no-connection";
  }
}

/** A client of one server. It connects with the first request. */
export function openHttpClient(options: HttpClientOptions): HttpClient {
  let dispatcher: Promise<Dispatcher> | undefined;
  return {
    async send(url, request = {}) {
      dispatcher ??= connect(options);
      return exchange(await dispatcher, options, new URL(url), request);
    },
    async close() {
      await (await dispatcher)?.destroy();
    },
  };
}

function connect({ proxy, ca, idleMs = 0 }: HttpClientOptions): Promise<Dispatcher> {
  return openDispatcher(proxy, {
    connect: { timeout: 10_000, ...(ca && { ca }) },
    ...(ca && { requestTls: { ca } }),
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
  });
}

async function exchange(
  dispatcher: Dispatcher,
  { timeoutMs, maxResponseBytes }: HttpClientOptions,
  { origin, pathname, search }: URL,
  { method = "GET", headers, body, signal }: HttpRequest,
): Promise<HttpResponse> {
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signals = [signal, timeout].filter((one) => one !== undefined);
  try {
    // By the dispatcher itself: the client of the built command has no more than that.
    const response = await dispatcher.request({
      origin,
      path: pathname + search,
      // Types know fewer methods than HTTP.
      method: method as Dispatcher.HttpMethod,
      headers: { ...headers, "accept-encoding": "identity" },
      body: body ?? null,
      signal: signals.length > 0 ? AbortSignal.any(signals) : null,
    });
    const text = await readText(response.body, maxResponseBytes);
    return { status: response.statusCode, headers: flatten(response.headers), text };
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (signal?.aborted) throw new HttpError("aborted", "cancelled");
    if (timeout?.aborted)
      throw new HttpError("timeout", `no complete answer within ${Number(timeoutMs) / 1000} s`);
    // What the system or undici says. An AggregateError has no message of its own, but a code.
    const { code, message } = error as { code?: unknown; message?: unknown };
    const system = typeof code === "string" ? code : undefined;
    throw new HttpError(
      isBeforeSending(system) ? "no-connection" : "connection-lost",
      plainLine(withoutNodeAdvice(String(message || code || "unknown error"))),
      system,
    );
  }
}

async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes)
      throw new HttpError(
        "too-long",
        `the answer is longer than ${maxBytes < 1_000_000 ? `${maxBytes} bytes` : `${maxBytes / 1_000_000} MB`}`,
      );
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
}

/** Errors of a connection that was never made: nothing can have been sent. */
const neverConnected = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"],
  ...["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_PRX_TLS"],
]);

function isBeforeSending(code = ""): boolean {
  return neverConnected.has(code) || /CERT|^UNABLE_TO_|^ERR_TLS_/.test(code);
}

/** Whether a code of the system says that TLS failed, most of all because of a certificate. */
export function isTlsError(code: string): boolean {
  return /^(CERT_|ERR_TLS_|ERR_SSL_|EPROTO$|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|UND_ERR_PRX_TLS)/.test(
    code,
  );
}

export const trustAdvice =
  "Name a file with the certificate of the authority that signed the server's in NODE_EXTRA_CA_CERTS; the server's must be one for this host.";

/** The message without what Node 24 advises about its own options: our reader may not know that Node runs. */
export function withoutNodeAdvice(message: string): string {
  const [reason = message] = message.split("; if the root CA is installed locally, ");
  return reason;
}
