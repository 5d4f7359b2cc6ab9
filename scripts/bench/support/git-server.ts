import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Serves a folder's bare repositories over HTTP with `git http-backend`, including pushes. */
export async function startGitServer(folder: string): Promise<{ url: string; close(): Promise<void> }> {
  const program = `${execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim()}/git-http-backend`;
  const server = createServer((request, response) => handleRequest(program, folder, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/**
 * Handles a request as CGI (RFC 3875): headers become variables, the body becomes stdin, and stdout becomes
 * the response.
 */
function handleRequest(
  program: string,
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
  const { "content-type": type, "content-encoding": encoding, "git-protocol": protocol } = request.headers;
  const child = spawn(program, {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      REMOTE_USER: "bench",
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      ...(type ? { CONTENT_TYPE: type } : {}),
      ...(encoding ? { HTTP_CONTENT_ENCODING: String(encoding) } : {}),
      ...(protocol ? { GIT_PROTOCOL: String(protocol) } : {}),
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  request.pipe(child.stdin);
  child.stdin.on("error", () => {});
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("close", () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf("\r\n\r\n");
    const headers = all.subarray(0, end).toString().split("\r\n");
    for (const line of headers) {
      const [, name = "", value = ""] = /^([^:]+): (.*)$/.exec(line) ?? [];
      if (name === "Status") response.statusCode = Number.parseInt(value, 10);
      else if (name) response.setHeader(name, value);
    }
    response.end(all.subarray(end + 4));
  });
}
