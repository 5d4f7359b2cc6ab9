import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { nodeSystem } from "../../src/base/system/index.js";
import {
  openService,
  type RequestEvent,
  type Service,
  type ServiceOptions,
} from "../../src/core/api/index.js";
import { listen } from "../listening.js";

export const apiKey = "CANARY-key-0123456789";
export const secretValue = "CANARY-secret-0123456789";

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Response to a request: a status and a body, or an action on the connection. */
export type Reply =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | ((response: ServerResponse, heard: ReceivedRequest) => void);

/** Starts a server that sends the n-th reply to the n-th request, repeats the last one and records all requests. */
export async function startRawService(
  replies: readonly Reply[] | ((heard: ReceivedRequest) => Reply),
  options: Partial<ServiceOptions> = {},
) {
  const heard: ReceivedRequest[] = [];
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = message;
    const request = { method, url, headers, body: Buffer.concat(chunks).toString() };
    heard.push(request);
    const reply =
      typeof replies === "function" ? replies(request) : replies[Math.min(heard.length, replies.length) - 1];
    if (typeof reply === "function") return reply(response, request);
    const { status, body, headers: more } = reply ?? { status: 500 };
    response.writeHead(status, { "content-type": "application/json", ...more });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  return { heard, ...(await withService(server, options)) };
}

/** Starts a TCP server, for behavior that an HTTP server does not support. */
export async function startTcpService(
  listener: (socket: Socket) => void,
  options: Partial<ServiceOptions> = {},
) {
  return withService(createTcpServer(listener), options);
}

async function withService(server: Server, options: Partial<ServiceOptions>) {
  const { port, close } = await listen(server);
  const baseUrl = `http://127.0.0.1:${port}`;
  const events: RequestEvent[] = [];
  const service = openQuickService(baseUrl, { onRequest: (event) => events.push(event), ...options });
  return {
    baseUrl,
    events,
    service,
    async [Symbol.asyncDispose]() {
      await service.close();
      await close();
    },
  };
}

/** Opens a client with minimal retry delays. */
export function openQuickService(baseUrl: string, options: Partial<ServiceOptions> = {}): Service {
  return openService({ baseUrl, apiKey, system: nodeSystem, backoffMs: 1, retries: 2, ...options });
}

export function createSuccess(data: unknown): { status: number; body: unknown } {
  return { status: 200, body: { code: 100, data, message: "Success" } };
}

export const context = {
  id: "c-1",
  name: "Support",
  prompt: "Be kind.",
  opening_text: "Hello",
  created_at: "2025-06-21T12:00:00Z",
  updated_at: "2025-06-21T12:00:00Z",
  links: [],
};

export const contextBody = { name: "Support", prompt: "Be kind.", opening_text: "Hello", links: [] };

/** Returns the error of a failed operation. */
export async function catchFailure(operation: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    await operation;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error("The operation did not fail");
}

/** One operation for each HTTP method. */
export const operations = {
  GET: (service: Service) => service.contexts.read("c-1"),
  PATCH: (service: Service) => service.contexts.update("c-1", contextBody),
  POST: (service: Service) => service.contexts.create(contextBody),
} as const;
