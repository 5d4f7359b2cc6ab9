import { constants, gunzipSync } from "node:zlib";
import type { Dispatcher } from "undici";
import { toPlainLine } from "../text/index.js";
import { describeConnectionFailure } from "./connection-failures.js";
import { findCertificateProblem } from "./extra-certificates.js";
import { openSender, type ProxyOptions, type Sender } from "./proxies.js";

export interface HttpClientOptions {
  readonly proxy?: ProxyOptions | undefined;
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** Maximum number of parallel connections. Default: no limit. */
  readonly connections?: number | undefined;
  /** Maximum duration of a request with its response. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Maximum wait for each chunk of a response. Default: no limit. */
  readonly idleMs?: number | undefined;
  readonly maxResponseBytes: number;
}

export interface HttpRequest {
  /** HTTP method. Default: GET. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | null | undefined;
  /** Maximum wait for each chunk of the response. Default: the client's limit. */
  readonly idleMs?: number | undefined;
  readonly signal?: AbortSignal | readonly AbortSignal[] | undefined;
  /** Whether to ignore `signal` once bytes may have been sent, so that the outcome is known. */
  readonly finishesOnceSent?: boolean | undefined;
  /** Aborts the request, even if parts of it were already sent. The reason's message must be a clause. */
  readonly deadline?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Headers by lower-case name. Repeated headers are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface HttpClient {
  /**
   * Sends a request once. Does not follow redirects, so credentials go only to the given URL.
   *
   * @throws HttpError if there is no complete response.
   */
  send(url: string | URL, request?: HttpRequest): Promise<HttpResponse>;
  /** Loads undici in advance, without connecting. */
  load(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Error for a missing or incomplete response. The message is a clause on one line, without the content of the request
 * or response.
 */
export class HttpError extends Error {
  readonly code:
    | "aborted"
    | "timeout"
    | "too-long"
    | "no-connection"
    | "proxy-refused"
    | "no-response"
    | "connection-lost";
  /** Whether the server may have received the request. */
  readonly mayBeSent: boolean;
  /** Error code from the system, TLS or undici, such as `ECONNREFUSED`. */
  readonly system: string | undefined;

  constructor(code: HttpError["code"], message: string, mayBeSent: boolean, system?: string) {
    super(message);
    this.name = "HttpError";
    this.code = code;
    this.system = system;
    this.mayBeSent = mayBeSent;
  }
}

/** Opens a client. The first request loads undici and connects. */
export function openHttpClient(options: HttpClientOptions): HttpClient {
  let sender: Promise<Sender> | undefined;
  const load = () => {
    sender ??= connect(options);
    return sender;
  };
  return {
    send: async (url, request = {}) => exchange(await load(), options, new URL(url), request),
    load: async () => void (await load()),
    async close() {
      await (await sender)?.destroy();
    },
  };
}

function connect({ proxy, ca, connections, timeoutMs = 10_000 }: HttpClientOptions) {
  return openSender(proxy, {
    ...(connections !== undefined && { connections }),
    // Sends one request at a time per socket, because undici itself resends requests that are queued behind a failed one.
    pipelining: 1,
    connect: { timeout: Math.min(timeoutMs, 10_000), ...(ca && { ca }) },
    ...(ca && { requestTls: { ca } }),
  });
}

/**
 * Sends a request once. A failed request may be repeated only if none of its bytes can have been sent. undici calls
 * `onRequestStart` immediately before it writes to a connected socket, so nothing was sent before that call.
 */
function exchange(
  sender: Sender,
  { timeoutMs, maxResponseBytes, ...client }: HttpClientOptions,
  { origin, pathname, search }: URL,
  { method = "GET", headers, body = null, signal = [], finishesOnceSent, deadline, ...request }: HttpRequest,
): Promise<HttpResponse> {
  const signals = [signal].flat();
  const idleMs = request.idleMs ?? client.idleMs ?? 0;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined; // Set as soon as bytes may have been sent.
    let started: Omit<HttpResponse, "text"> | undefined;
    let ended = false;
    const chunks: Uint8Array[] = [];
    let size = 0;

    const end = (error?: HttpError) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      for (const one of signals) one.removeEventListener("abort", cancel);
      deadline?.removeEventListener("abort", expire);
      // The status of an error response is enough, even if its body is incomplete.
      if (!started || (error && started.status < 300)) reject(error);
      else
        try {
          resolve({ ...started, text: decode(chunks, started.headers, maxResponseBytes) });
        } catch (problem) {
          reject(problem);
        }
      if (error) controller?.abort(error);
    };
    const fail = (code: HttpError["code"], message: string, system?: string) =>
      end(new HttpError(code, message, controller !== undefined, system));
    const cancel = () => {
      if (!controller || !finishesOnceSent) fail("aborted", "cancelled");
    };
    const expire = () => fail("timeout", deadline?.reason.message);
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            const what = controller ? "no complete response" : "no connection";
            fail("timeout", `${what} within ${timeoutMs / 1000} s`);
          }, timeoutMs);
    if (signals.some(({ aborted }) => aborted)) return cancel();
    if (deadline?.aborted) return expire();
    for (const one of signals) one.addEventListener("abort", cancel);
    deadline?.addEventListener("abort", expire);

    const aim = { origin, path: pathname + search, body };
    // undici's type lists fewer methods than HTTP has.
    const sent = { ...aim, method: method as Dispatcher.HttpMethod, idempotent: method === "GET" };
    const limits = { headersTimeout: idleMs, bodyTimeout: idleMs };
    sender.dispatch(
      { ...sent, ...limits, headers: { ...headers, "accept-encoding": "identity" } },
      {
        onRequestStart(connection) {
          if (ended) return connection.abort(new Error("cancelled before it was sent"));
          controller = connection;
        },
        onResponseStart(_controller, status, fields) {
          if (status >= 200) started = { status, headers: flatten(fields) };
        },
        onResponseData(_controller, chunk) {
          size += chunk.length;
          if (size <= maxResponseBytes) chunks.push(chunk);
          else end(createTooLongError(maxResponseBytes));
        },
        onResponseEnd: () => end(),
        onResponseError(_controller, error) {
          const refusal = readProxyRefusal(error);
          if (refusal) return end(new HttpError(...refusal, false));
          const lost = started ? "connection-lost" : "no-response";
          const proxy = sender.findFailedProxy(origin, error);
          if (proxy && !controller) return fail("no-connection", ...describeProxyFailure(error, proxy));
          fail(controller ? lost : "no-connection", describeError(error, client), getSystemCode(error));
        },
      },
    );
  });
}

/**
 * Unpacks gzip, which some gateways send unrequested. Tolerates an incomplete body, a byte order mark and invalid
 * UTF-8.
 *
 * @throws HttpError if the body is invalid gzip, or longer than `maxBytes` when unpacked.
 */
function decode(
  chunks: readonly Uint8Array[],
  { "content-encoding": encoding = "" }: HttpResponse["headers"],
  maxBytes: number,
): string {
  const bytes = Buffer.concat(chunks);
  if (!/^(x-)?gzip$/i.test(encoding) || bytes.length === 0) return new TextDecoder().decode(bytes);
  try {
    const limits = { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH };
    return new TextDecoder().decode(gunzipSync(bytes, limits));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw createTooLongError(maxBytes);
    throw new HttpError("connection-lost", "the response cannot be unpacked with gzip", true);
  }
}

function createTooLongError(maxBytes: number): HttpError {
  return new HttpError("too-long", `the response is longer than ${formatSize(maxBytes)}`, true);
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
}

function formatSize(bytes: number): string {
  return bytes < 1_000_000 ? `${bytes} bytes` : `${Math.floor(bytes / 1_000_000)} MB`;
}

/** Describes an error from the system or undici. An AggregateError has a code but no message. */
function describeError(
  error: Error & { code?: unknown },
  { ca, proxy }: Pick<HttpClientOptions, "ca" | "proxy">,
): string {
  const message = String(error.message || error.code || "unknown error");
  const reason = describeConnectionFailure(toPlainLine(dropNodeAdvice(message)));
  if (ca || !isTlsError(getSystemCode(error) ?? "")) return reason;
  const unused = findCertificateProblem(proxy?.extraCertificates);
  return unused ? `${reason}, and NODE_EXTRA_CA_CERTS is ignored: ${unused.problem}` : reason;
}

/** Describes a failed connection to a proxy. Without TLS at the proxy, the system code would blame the server. */
function describeProxyFailure(error: Error, variable: string): [clause: string, system: string | undefined] {
  const reason = describeError(error, {});
  const start = `no connection to the proxy in ${variable}`;
  if (isWithoutTls(reason))
    return [`${start}: it does not use TLS, so its URL must start with http://`, undefined];
  return [`${start}: ${reason}`, getSystemCode(error)];
}

/** Returns whether the server responded in plain text to a TLS handshake. */
export function isWithoutTls(reason: string): boolean {
  return /wrong.version.number|packet.length.too.long/i.test(reason);
}

/** Returns the error for a proxy that refused to forward a request. undici puts the status only in the message. */
function readProxyRefusal({ message }: Error): [HttpError["code"], string] | undefined {
  const [, status] = /^Proxy (?:response|Authentication Required) \((\d+)\)/.exec(message) ?? [];
  if (status === undefined) return undefined;
  if (status === "407") {
    const problem = "the proxy requires a valid user name and password (407)";
    const remedy =
      "set HTTP_PROXY or HTTPS_PROXY to http://USER:PASSWORD@HOST:PORT, with USER and PASSWORD percent-encoded";
    return ["proxy-refused", `${problem}, so ${remedy}`];
  }
  // Other statuses may be temporary, for example if the host is unreachable or the proxy is busy.
  if (!/^4(?!08|29)/.test(status)) return ["no-connection", `the proxy responded with status ${status}`];
  const remedy = "ask its operator to allow this host and port, or list the host in NO_PROXY";
  return ["proxy-refused", `the proxy refused to connect (${status}), so ${remedy}`];
}

/** Reads an error's code. For parallel attempts, reads the code of the first failed attempt. */
function getSystemCode(error: Error): string | undefined {
  const { code, errors } = error as { code?: unknown; errors?: readonly { code?: unknown }[] };
  const found = code ?? errors?.[0]?.code;
  return typeof found === "string" ? found : undefined;
}

/** Returns whether a system code means that TLS failed, usually because of a certificate. */
export function isTlsError(code: string): boolean {
  return /^(CERT_|ERR_TLS_|ERR_SSL_|EPROTO$|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|UND_ERR_PRX_TLS)/.test(
    code,
  );
}

export const trustAdvice =
  "Set NODE_EXTRA_CA_CERTS to a file with the server's CA certificate. The server's certificate must be valid for this host.";

/** Removes Node 24's advice about its own options, because users may not know that avatarops runs on Node. */
export function dropNodeAdvice(message: string): string {
  const [reason = message] = message.split("; if the root CA is installed locally, ");
  return reason;
}
