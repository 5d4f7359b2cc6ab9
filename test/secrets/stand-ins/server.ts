import type { IncomingMessage, ServerResponse } from "node:http";
import { selfSigned } from "../../emulator/self-signed.js";
import { serve } from "../../listening.js";

/** Request to a stand-in. */
export interface ReceivedRequest {
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

/** Fault in responses. They still contain the correct content unless the fault has a `body`. */
export type Fault =
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      /** Number of responses to affect. Default: all. */
      readonly times?: number;
    }
  /** Page that contains the correct response. */
  | "html"
  /** Correct response without its end. */
  | "cut"
  /** Correct response followed by 11 MB of spaces. */
  | "huge"
  /** Correct response after one second. */
  | "slow"
  /** Correct response, followed by endless spaces. */
  | "endless";

/** HTTP stand-in for a vault, written from the vendor's documentation. */
export interface StandIn {
  readonly url: string;
  /** Method and path of each request, or its operation for AWS. */
  readonly requests: string[];
  /** Active until set to undefined. */
  fault: Fault | undefined;
  /** Handles requests instead of the stand-in until set to undefined. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  close(): Promise<void>;
}

/** Starts a stand-in. Faults affect the responses to requests for which `isFaulty` returns true. */
export async function startStandIn(
  answer: (asked: ReceivedRequest) => Answer | Promise<Answer>,
  isFaulty: (asked: ReceivedRequest) => boolean = () => true,
  { tls = false } = {},
): Promise<StandIn> {
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    void take(request, response).catch((error: unknown) => response.writeHead(599).end(String(error)));
  };
  const { url, close } = await serve(listener, tls ? selfSigned : undefined);
  const requests: string[] = [];
  const standIn: StandIn = { url, requests, close, fault: undefined, instead: undefined };
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { method = "GET", headers } = request;
    const asked: ReceivedRequest = { method, url: new URL(request.url ?? "/", url), headers, body };
    const { "x-amz-target": operation } = headers;
    requests.push(String(operation ?? `${method} ${decodeURIComponent(request.url ?? "")}`));
    const { fault, instead } = standIn;
    if (instead) return instead(request, response);
    const right = await answer(asked);
    if (fault === undefined || !isFaulty(asked)) send(response, right);
    else if (typeof fault === "string") disturb(response, right, fault);
    else {
      if (fault.times !== undefined)
        standIn.fault = fault.times > 1 ? { ...fault, times: fault.times - 1 } : undefined;
      send(response, { body: right.body, ...fault });
    }
  }
  return standIn;
}

const json = "application/json; charset=utf-8";

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, { "content-type": json, ...headers }).end(formatBody(body));
}

function formatBody(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

/** Sends spaces often enough to avoid an idle timeout. */
function sendEndless(response: ServerResponse, beginning: string): void {
  response.writeHead(200, { "content-type": json }).write(beginning);
  const timer = setInterval(() => response.write(" "), 20);
  response.on("close", () => clearInterval(timer));
}

function disturb(response: ServerResponse, right: Answer, fault: Extract<Fault, string>): void {
  const text = formatBody(right.body);
  switch (fault) {
    case "html":
      response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><p>${text}</p>`);
      break;
    case "cut":
      response.writeHead(200, { "content-type": json }).end(text.slice(0, -2));
      break;
    case "huge":
      response.writeHead(200, { "content-type": json }).end(text + " ".repeat(11_000_000));
      break;
    case "slow":
      setTimeout(() => send(response, right), 1_000).unref();
      break;
    case "endless":
      sendEndless(response, text);
  }
}
