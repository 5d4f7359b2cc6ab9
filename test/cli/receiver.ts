import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { serve } from "../listening.js";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server that receives webhooks. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Responses to the next notices, in order. Later notices get a 204. */
  readonly answers: ((response: ServerResponse) => void)[];
  /** Clears the received notices, and returns the type and data of each notice in the `standard` format. */
  take(): { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[];
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: Receiver["answers"] = [];
  const { url, close } = await serve((request, response) => {
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
  onTestFinished(close);
  return {
    url: `${url}/hook/T0KEN`,
    received,
    answers,
    take: () => received.splice(0).map(({ body }) => JSON.parse(body)),
  };
}

export function createResponder(status: number, headers = {}) {
  return (response: ServerResponse): void => void response.writeHead(status, headers).end();
}
