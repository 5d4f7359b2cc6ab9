import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as a stand-in sees it. */
export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What it does in place of its answer to a request that it would grant. */
export type Fault =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly text: string }
  | "hangs"
  | "cut";

/** A stand-in for a vault over HTTP, written from what its vendor publishes. */
export interface StandIn {
  readonly url: string;
  /** Method and path of each request. */
  readonly requests: string[];
  /** Until it is undefined again. */
  fault: Fault | undefined;
  close(): Promise<void>;
}

/** Faults replace the answers to what `isFaulty` names. */
export async function startStandIn(
  answer: (asked: Asked) => Answer,
  isFaulty: (asked: Asked) => boolean = () => true,
): Promise<StandIn> {
  const server = createServer((request, response) => {
    void take(request, response).catch((error: unknown) => response.writeHead(599).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const requests: string[] = [];
  const standIn: StandIn = {
    url,
    requests,
    fault: undefined,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { method = "GET", headers } = request;
    const asked: Asked = { method, url: new URL(request.url ?? "/", url), headers, body };
    requests.push(`${method} ${decodeURIComponent(request.url ?? "")}`);
    const { fault } = standIn;
    if (fault !== undefined && isFaulty(asked)) return fail(fault, response);
    send(response, answer(asked));
  }
  return standIn;
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

function fail(fault: Fault, response: ServerResponse): void {
  if (fault === "hangs") return;
  if (fault === "cut") {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"value":"');
    response.destroy();
  } else if ("text" in fault) {
    response.writeHead(200, { "content-type": "text/html" }).end(fault.text);
  } else send(response, { body: {}, ...fault });
}
