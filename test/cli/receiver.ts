import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A notice as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server for webhooks. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What is answered to the next ones, in turn; then 204. */
  readonly answers: ((response: ServerResponse) => void)[];
  /** The type and the data of each notice of the format `standard`, and nothing of them any more. */
  take(): { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[];
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: Receiver["answers"] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      received.push({ path: request.url ?? "", headers: request.headers, body });
      const answer = answers.shift();
      if (answer) answer(response);
      else response.writeHead(204).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/T0KEN`,
    received,
    answers,
    take: () => received.splice(0).map(({ body }) => JSON.parse(body)),
  };
}

/** An answer of this status. */
export function answering(status: number, headers = {}) {
  return (response: ServerResponse): void => void response.writeHead(status, headers).end();
}
