import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Server } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { nodeSystem } from "../../src/base/system/index.js";
import { type EmulatorOptions, startEmulator } from "../../src/emulator/index.js";
import { listen } from "../listening.js";
import { authority } from "./authority.js";

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Sends a service response to the client. */
export type Delivery = (response: ServerResponse, answer: Answer) => void | Promise<void>;

const deliver: Delivery = (response, { status, type, body }) =>
  void response.writeHead(status, { "content-type": type }).end(body);

interface GatewayOptions {
  readonly delivery?: Delivery;
  readonly secure?: boolean;
  /** IP address to listen on. */
  readonly host?: string;
  readonly emulator?: EmulatorOptions;
}

/** Starts a gateway in front of the service. The gateway accepts every host name. */
export async function startGateway({ delivery = deliver, secure, host, ...more }: GatewayOptions = {}) {
  const emulator = await startEmulator(more.emulator);
  let connections = 0;
  const listener: RequestListener = async (request, response) => {
    const { method = "", url, headers } = request;
    const body = await text(request);
    const answered = await fetch(`${emulator.url}${url}`, {
      method,
      headers: { "x-api-key": String(headers["x-api-key"]), "content-type": "application/json" },
      ...(body !== "" && { body }),
    });
    const type = answered.headers.get("content-type") ?? "";
    await delivery(response, { status: answered.status, type, body: await answered.text() });
  };
  const server: Server = secure ? createSecureServer(authority.server, listener) : createServer(listener);
  server.on("connection", () => {
    connections += 1;
  });
  const { port, close } = await listen(server, host);
  const scheme = secure ? "https" : "http";
  return {
    emulator,
    port,
    /** URL with a host name that only the test proxy resolves. */
    named: `${scheme}://service.test:${port}`,
    /** URL for this machine. */
    local: `${scheme}://${host === "::1" ? "[::1]" : "127.0.0.1"}:${port}`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      await close();
      await emulator.close();
    },
  };
}

export const deliverGzipped: Delivery = (response, { status, type, body }) =>
  void response.writeHead(status, { "content-type": type, "content-encoding": "gzip" }).end(gzipSync(body));

/** Omits the length, so the body ends when the connection closes. */
export const deliverOverHttp10: Delivery = ({ req: { socket } }, { status, type, body }) =>
  void socket.end(`HTTP/1.0 ${status} Status\r\ncontent-type: ${type}\r\n\r\n${body}`);

/** Sends a keep-alive header and then closes the connection. */
export const deliverAndClose: Delivery = (response, answer) => {
  const { socket } = response;
  response.on("finish", () => setImmediate(() => socket?.destroy()));
  return deliver(response, answer);
};

/** Sends the headers slowly, over the given number of milliseconds. */
export const deliverOver =
  (spreadMs: number): Delivery =>
  async ({ req: { socket } }, { status, type, body }) => {
    const whole = `HTTP/1.1 ${status} Status\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n${body}`;
    const size = 16;
    for (let at = 0; at < 4 * size && !socket.destroyed; at += size) {
      socket.write(whole.slice(at, at + size));
      await nodeSystem.sleep(spreadMs / 4);
    }
    socket.end(whole.slice(4 * size));
  };
