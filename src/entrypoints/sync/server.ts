import type { IncomingMessage } from "node:http";
import {
  BodyReader,
  type Page,
  type PageResponse,
  type RunningServer,
  startHttpServer,
  verdictPage,
} from "../../base/serving/index.js";
import { judgeWebhook, type WebhookResult } from "./webhook.js";

/** What the server serves and receives. */
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

/** In bytes. GitHub cuts the list of commits in a push, so that no real one comes near the first; the second is for all at once. */
const longestBody = 5 * 1024 * 1024;
const mostOfBodies = 4 * longestBody;

/**
 * Serves health, readiness, metrics and the webhook.
 *
 * @throws the error of `listen`: EADDRINUSE and the like.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, port, isHealthy, isReady, metrics, webhook } = options;
  const pages: Record<string, Page> = {
    "/healthz": verdictPage(isHealthy, "ok", "a cycle does not end"),
    "/readyz": verdictPage(isReady, "ready", "not ready"),
    "/metrics": { respond: async () => ({ status: 200, ...(await metrics()) }) },
  };
  if (webhook) {
    const bodies = new BodyReader(longestBody, mostOfBodies);
    const respond = (request: IncomingMessage) => respondToWebhook(options, webhook, request, bodies);
    pages["/webhook"] = { method: "POST", respond };
  }
  return startHttpServer({ host, port, pages });
}

const responses: Readonly<Record<WebhookResult, PageResponse>> = {
  accepted: { status: 202, text: "accepted\n" },
  ignored: { status: 200, text: "ignored: not a push to the branch\n" },
  unauthorized: { status: 401, text: "the signature is missing or wrong\n" },
  malformed: { status: 400, text: "the body is not that of a push\n" },
  "too-large": { status: 413, text: "the body is too large\n" },
};

async function respondToWebhook(
  { onWebhook }: ServerOptions,
  { secret, branch }: NonNullable<ServerOptions["webhook"]>,
  request: IncomingMessage,
  bodies: BodyReader,
): Promise<PageResponse> {
  const body = await bodies.read(request);
  const result = body ? judgeWebhook({ headers: request.headers, body }, secret, branch) : "too-large";
  onWebhook(result);
  return responses[result];
}
