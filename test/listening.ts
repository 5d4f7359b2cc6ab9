import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";

/** Server on a free port. */
export interface Listening {
  readonly port: number;
  /** Closes the server and its connections. */
  close(): Promise<void>;
}

export async function listen(server: Server, host = "127.0.0.1"): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Starts an HTTP server, with TLS if a certificate is given. */
export async function serve(
  listener: RequestListener,
  tls?: { readonly key: string; readonly cert: string },
): Promise<Listening & { readonly url: string }> {
  const listening = await listen(tls ? createSecureServer(tls, listener) : createServer(listener));
  return { ...listening, url: `${tls ? "https" : "http"}://127.0.0.1:${listening.port}` };
}
