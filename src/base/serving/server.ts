import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIP, type Socket } from "node:net";

export interface ServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** By path, without the query. */
  readonly pages: Readonly<Record<string, Page>>;
  /**
   * Names that requests may give the server beside its address and those of this machine; absent: any. Only for a server
   * that listens only on this machine, which no other name can mean.
   */
  readonly names?: readonly string[];
}

/** Answers GET and HEAD for one path. */
export interface Page {
  respond(): PageResponse | Promise<PageResponse>;
}

/** In plain text, unless it says otherwise. */
export interface PageResponse {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
  /** Further headers; lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RunningServer {
  readonly url: string;
  /** Answers what has been asked, and closes. */
  close(): Promise<void>;
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

/** A page that says yes or no: 200, or 503. */
export function verdictPage(isGood: () => boolean, yes: string, no: string): Page {
  return {
    respond() {
      const good = isGood();
      return { status: good ? 200 : 503, text: `${good ? yes : no}\n` };
    },
  };
}

async function respond(
  { pages, names, host }: ServerOptions,
  request: IncomingMessage,
): Promise<PageResponse> {
  if (names && isForeignHost(request.headers.host, [host, ...names]))
    return { status: 421, text: "this server does not go by the name in the request\n" };
  const [path = ""] = (request.url ?? "").split("?");
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (!page) return { status: 404, text: "there is no such page\n" };
  if (request.method !== "GET" && request.method !== "HEAD")
    return { status: 405, text: "use GET\n", headers: { allow: "GET, HEAD" } };
  return page.respond();
}

/**
 * Whether the Host header names somebody else. A web page may let its own name resolve to this machine (DNS rebinding),
 * and could then read what is served here: its requests still carry its name. Numbers cannot be redirected.
 */
function isForeignHost(header: string | undefined, names: readonly string[]): boolean {
  if (header === undefined) return false;
  const name = parseHostName(header);
  if (name === undefined) return true;
  const isLoopback = name === "localhost" || name.endsWith(".localhost");
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
  return !isLoopback && !isAddress && !names.some((own) => parseHostName(own) === name);
}

/** The name of `name:port`, normalised. */
function parseHostName(host: string): string | undefined {
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function send(response: ServerResponse, { status, text, contentType, headers }: PageResponse): void {
  response.writeHead(status, {
    "content-type": contentType ?? "text/plain; charset=utf-8",
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
