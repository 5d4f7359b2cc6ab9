import { once } from "node:events";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import type { Running } from "./starting.js";

/** An HTTP server that does what another one does, except that it ignores one header of the requests. */
export async function startCarelessProxy(target: number, ignored: string): Promise<Running> {
  const server = createServer((request, response) => {
    const { [ignored]: _, ...headers } = request.headers;
    const { method, url } = request;
    const onward = send({ host: "127.0.0.1", port: target, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
