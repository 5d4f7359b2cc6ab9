import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { judgeWebhook, type WebhookResult } from "./webhook.js";

/** What the server tells and hears. */
export interface ServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Whether the loop runs: otherwise the process should be started again. */
  readonly isHealthy: () => boolean;
  /** Whether repository and account were read at least once, and no stop was asked for. */
  readonly isReady: () => boolean;
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
  /** Absent without a secret: then there is no webhook. */
  readonly webhook?: { readonly secret: string; readonly branch: string };
  readonly onWebhook: (result: WebhookResult) => void;
}

/** The running server. */
export interface SyncServer {
  readonly url: string;
  /** Answers what has been asked, and closes. */
  close(): Promise<void>;
}

/** GitHub cuts the list of commits in a push, so that no real one comes near this. In bytes. */
const longestBody = 5 * 1024 * 1024;

/**
 * Serves health, readiness, metrics and the webhook.
 *
 * @throws the error of `listen`: EADDRINUSE and the like.
 */
export async function startServer(options: ServerOptions): Promise<SyncServer> {
  const server = createServer({ requestTimeout: 20_000, headersTimeout: 10_000 }, (request, response) => {
    answer(options, request).then(
      (given) => send(response, given),
      () => send(response, { status: 500, text: "internal error\n" }),
    );
  });
  // Nobody but a host of code and a Prometheus has business here.
  server.maxConnections = 100;
  await listening(server, options);
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    close: () => closed(server),
  };
}

interface Given {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
  readonly allow?: string;
}

async function answer(options: ServerOptions, request: IncomingMessage): Promise<Given> {
  const [path = ""] = (request.url ?? "").split("?");
  if (path === "/webhook" && options.webhook) return answerWebhook(options, options.webhook, request);
  const page = pages[path];
  if (!page) return { status: 404, text: "there is no such page\n" };
  if (request.method !== "GET" && request.method !== "HEAD")
    return { status: 405, text: "use GET\n", allow: "GET, HEAD" };
  return page(options);
}

const pages: Readonly<Record<string, (options: ServerOptions) => Given | Promise<Given>>> = {
  "/healthz": ({ isHealthy }) => verdict(isHealthy(), "ok", "a cycle does not end"),
  "/readyz": ({ isReady }) => verdict(isReady(), "ready", "not ready"),
  async "/metrics"({ metrics }) {
    return { status: 200, ...(await metrics()) };
  },
};

function verdict(isGood: boolean, yes: string, no: string): Given {
  return { status: isGood ? 200 : 503, text: `${isGood ? yes : no}\n` };
}

const answers: Readonly<Record<WebhookResult, Given>> = {
  accepted: { status: 202, text: "accepted\n" },
  ignored: { status: 200, text: "ignored: not a push to the branch\n" },
  unauthorized: { status: 401, text: "the signature is missing or wrong\n" },
  malformed: { status: 400, text: "the body is not that of a push\n" },
  "too-large": { status: 413, text: "the body is too large\n" },
};

async function answerWebhook(
  { onWebhook }: ServerOptions,
  { secret, branch }: NonNullable<ServerOptions["webhook"]>,
  request: IncomingMessage,
): Promise<Given> {
  if (request.method !== "POST") return { status: 405, text: "use POST\n", allow: "POST" };
  const body = await bodyOf(request);
  const result = body ? judgeWebhook({ headers: request.headers, body }, secret, branch) : "too-large";
  onWebhook(result);
  return answers[result];
}

/** Undefined if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > longestBody) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > longestBody) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, { status, text, contentType, allow }: Given): void {
  response.writeHead(status, {
    "content-type": contentType ?? "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(allow === undefined ? {} : { allow }),
    // What of a body was not read must not be taken for the next request.
    ...(status === 413 ? { connection: "close" } : {}),
  });
  response.end(text);
}

function listening(server: Server, { port, host }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** In ms; who keeps a connection open longer does not hold up the end of the process. */
const closingMs = 2_000;

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), closingMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
