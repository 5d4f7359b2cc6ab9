import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIP, type Socket } from "node:net";
import { UsageError } from "../diagnostics/index.js";

export interface ServerOptions {
  readonly host: string;
  /** Port to listen on. 0 picks a free port. */
  readonly port: number;
  /** Handlers for GET and HEAD requests, by path without the query. */
  readonly pages: Readonly<Record<string, PageHandler>>;
}

export type PageHandler = () => PageResponse | Promise<PageResponse>;

/** Plain-text response, unless `headers` sets another content type. */
export interface PageResponse {
  readonly status: number;
  readonly text: string;
  /** Additional headers, with lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RunningServer {
  readonly url: string;
  /** Finishes open requests, then closes. */
  close(): Promise<void>;
}

/** Health, readiness and metrics of a process. */
export interface MonitoredProcess {
  /** Host and port from `--listen`. */
  readonly listen: Pick<ServerOptions, "host" | "port">;
  /** Returns whether the process can continue without a restart. */
  readonly isHealthy: () => boolean;
  readonly isReady: () => boolean;
  readonly metrics: { text(): Promise<string>; readonly contentType: string };
}

/** Serves /healthz, /readyz and /metrics. Throws UsageError if it cannot listen. */
export async function serveMonitoring({
  listen: { host, port },
  isHealthy,
  isReady,
  metrics,
}: MonitoredProcess): Promise<RunningServer> {
  const pages: ServerOptions["pages"] = {
    "/healthz": () => (isHealthy() ? { status: 200, text: "ok\n" } : { status: 503, text: "stuck\n" }),
    "/readyz": () => (isReady() ? { status: 200, text: "ready\n" } : { status: 503, text: "not ready\n" }),
    "/metrics": async () => ({
      ...{ status: 200, text: await metrics.text() },
      headers: { "content-type": metrics.contentType },
    }),
  };
  return startHttpServer({ host, port, pages }).catch(({ code }: NodeJS.ErrnoException) => {
    const problem = `Cannot listen on ${host}, port ${port} (${code}). Choose another host or port with --listen.`;
    throw new UsageError("listen", problem);
  });
}

/**
 * Starts a small HTTP server for a few pages.
 *
 * @throws errors of `listen`, such as EADDRINUSE.
 */
export async function startHttpServer(options: ServerOptions): Promise<RunningServer> {
  const server = createServer({ requestTimeout: 20_000, headersTimeout: 10_000 }, (request, response) => {
    respond(options, request).then(
      (given) => send(response, given),
      () => send(response, { status: 500, text: "internal error\n" }),
    );
  });
  limitConnections(server);
  server.listen(options.port, options.host);
  await once(server, "listening");
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    close: () => close(server),
  };
}

async function respond({ pages, host }: ServerOptions, request: IncomingMessage): Promise<PageResponse> {
  // Only checked on loopback, because clients may use any host name for other interfaces.
  if (/^localhost$|^127\.|^::1$/.test(host) && isForeignHost(request.headers.host))
    return { status: 421, text: "Unknown host name. Use localhost or 127.0.0.1.\n" };
  const [path = ""] = (request.url ?? "").split("?");
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (!page) return { status: 404, text: "Page not found.\n" };
  if (request.method !== "GET" && request.method !== "HEAD")
    return { status: 405, text: "use GET\n", headers: { allow: "GET, HEAD" } };
  return page();
}

/**
 * Returns whether the Host header names another host. In a DNS rebinding attack, a web page points its own host name at
 * this machine, but the browser still sends that name. IP addresses cannot be rebound.
 */
function isForeignHost(header: string | undefined): boolean {
  if (header === undefined) return false;
  const url = `http://${header}`;
  if (!URL.canParse(url)) return true;
  const name = new URL(url).hostname;
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
  return name !== "localhost" && !isAddress;
}

function send(response: ServerResponse, { status, text, headers }: PageResponse): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  response.end(text);
}

/** Maximum number of connections, so that slow clients do not block others, such as the liveness probe. */
const maxConnections = 100;

/** Closes the oldest connection for each new connection above the limit. */
function limitConnections(server: Server): void {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    const [oldest] = open;
    if (open.size > maxConnections) oldest?.destroy();
  });
}

/** Time for open connections to close before they are destroyed. */
const maxClosingMs = 2_000;

async function close(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), maxClosingMs);
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  await closed;
  clearTimeout(timer);
}
