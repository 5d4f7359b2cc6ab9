import { createServer } from "node:http";
import { connect } from "node:net";
import { listen } from "../listening.js";

/** A proxy, with the hosts that it was asked for. */
export async function startTunnel() {
  const heard: string[] = [];
  const server = createServer().on("connect", (request, socket) => {
    heard.push(request.url ?? "");
    const target = connect(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    for (const end of [socket, target]) end.on("error", () => undefined);
  });
  const { port, close } = await listen(server);
  return { heard, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}
