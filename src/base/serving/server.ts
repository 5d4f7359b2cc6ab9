import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIP, type Socket } from "node:net";
import { UsageError } from "../diagnostics/index.js";

export interface ServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** What answers GET and HEAD, by path without the query. */
  readonly pages: Readonly<Record<string, Page>>;
}

export type Page = () => PageResponse | Promise<PageResponse>;

/** In plain text, unless it says otherwise. */
export interface PageResponse {
  readonly status: number;
  readonly text: string;
  /** Further headers; lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RunningServer {
  readonly url: string;
  /** Answers what has been asked, and closes. */
  close(): Promise<void>;
}

/** What a process tells of itself. */
export interface Monitored {
  /** Where, as `--listen` says. */
  readonly listen: Pick<ServerOptions, "host" | "port">;
  /** False: it should be restarted. */
  readonly isHealthy: () => boolean;
  readonly isReady: () => boolean;
  readonly metrics: { text(): Promise<string>; readonly contentType: string };
}

/** Serves /healthz, /readyz and /metrics. Throws UsageError if it cannot listen there. */
export async function serveMonitoring({
  listen: { host, port },
  isHealthy,
  isReady,
  metrics,
}: Monitored): Promise<RunningServer> {
  const pages: ServerOptions["pages"] = {
    "/healthz": () => (isHealthy() ? { status: 200, text: "ok\n" } : { status: 503, text: "stuck\n" }),
    "/readyz": () => (isReady() ? { status: 200, text: "ready\n" } : { status: 503, text: "not ready\n" }),
    "/metrics": async () => ({
      ...{ status: 200, text: await metrics.text() },
      headers: { "content-type": metrics.contentType },
    }),
  };
  return startHttpServer({ host, port, pages }).catch(({ code }: NodeJS.ErrnoException) => {
    const problem = `Cannot listen on ${host}, port ${port} (${code}): choose another address with --listen.`;
    throw new UsageError("listen", problem);
  });
}

/**
 * Starts a small server: health, metrics, a page.
 *
 * @throws the error of `listen`: EADDRINUSE and the like.
 */
export async function startHttpServer(options: ServerOptions): Promise<RunningServer> {
  const server = createServer({ requestTimeout: 20_000, headersTimeout: 10_000 }, (request, response) => {
    respond(options, request).then(
      (given) => send(response, given),
      () => send(response, { status: 500, text: "internal error\n" }),
    );
  });
  giveWayToNew(server);
  server.listen(options.port, options.host);
  await once(server, "listening");
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    close: () => close(server),
  };
}

async function respond({ pages, host }: ServerOptions, request: IncomingMessage): Promise<PageResponse> {
  // Elsewhere the server may have any name.
  if (/^localhost$|^127\.|^::1$/.test(host) && isForeignHost(request.headers.host))
    return { status: 421, text: "this server does not go by the name in the request\n" };
  const [path = ""] = (request.url ?? "").split("?");
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (!page) return { status: 404, text: "there is no such page\n" };
  if (request.method !== "GET" && request.method !== "HEAD")
    return { status: 405, text: "use GET\n", headers: { allow: "GET, HEAD" } };
  return page();
}

/**
 * Whether the Host header names somebody else. A web page may let its own name resolve to this machine (DNS rebinding),
 * and could then read what is served here: its requests still carry its name. Numbers cannot be redirected.
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

/** Few clients are expected. A slow one must not keep others away, such as the probe that restarts the process. */
const mostConnections = 100;

/** Ends the oldest connection for each that is one too many. */
function giveWayToNew(server: Server): void {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    const [oldest] = open;
    if (open.size > mostConnections) oldest?.destroy();
  });
}

/** In ms; who keeps a connection open longer does not hold up the end of the process. */
const closingMs = 2_000;

async function close(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), closingMs);
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  await closed;
  clearTimeout(timer);
}
