import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Behavior } from "./behavior.js";
import { controlEmulator, type EmulatorControls } from "./control.js";
import type { FaultAction } from "./emulator.js";
import type { FaultQueue } from "./fault-queue.js";
import { formatAction } from "./fault-text.js";
import { checkHost } from "./host-check.js";
import { Refusal } from "./refusal.js";
import { type LoggedRequest, logRequest } from "./request-log.js";
import { type ReceivedRequest, type ServiceResponse, toErrorResponse, toJsonResponse } from "./service.js";

export interface EmulatorWire extends EmulatorControls {
  scheme: "http" | "https";
  faults: FaultQueue;
  nowMs: () => number;
  handleRequest: (request: ReceivedRequest) => ServiceResponse;
  run: (action: FaultAction & { kind: "run" }, request: LoggedRequest) => void | Promise<void>;
  onRequest: (request: LoggedRequest) => void;
  /** Aborts all waits when the emulator closes. */
  closing: AbortSignal;
}

/** Receives requests, applies faults, and sends the responses. */
export function listenOn(wire: EmulatorWire): RequestListener {
  return (incoming, outgoing) => {
    serve(wire, incoming, outgoing).catch((error: unknown) => {
      if (wire.closing.aborted || outgoing.headersSent) return outgoing.destroy();
      if (error instanceof Refusal) return send(wire, outgoing, toErrorResponse(error, wire.behavior));
      const message = error instanceof Error ? error.message : String(error);
      send(wire, outgoing, toJsonResponse(500, { code: 4000, data: null, message: `Emulator: ${message}` }));
    });
  };
}

async function serve(wire: EmulatorWire, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const refusal = checkHost(incoming);
  if (refusal) return send(wire, outgoing, toErrorResponse(refusal, wire.behavior));
  const request = await receive(wire, incoming);
  const controlled = controlEmulator(wire, request);
  if (controlled) return send(wire, outgoing, controlled);
  const logged = logRequest(wire.requests, wire.nowMs(), request);
  const actions = wire.faults.take(request);
  if (actions.length > 0) logged.fault = actions.map(formatAction).join(" ");
  for (const action of actions) {
    if (action.kind === "run") await wire.run(action, logged);
    if (action.kind === "delay") await wait(action.ms, undefined, { signal: wire.closing });
  }
  const final = actions.find(({ kind }) => kind !== "run" && kind !== "delay");
  const response = final && isBefore(final) ? unprocessed : wire.handleRequest(request);
  deliver(wire, outgoing, response, final, logged);
  wire.onRequest(logged);
}

/** Stands in for the response to an unprocessed request, until a "before" fault replaces it. */
const unprocessed: ServiceResponse = { status: 500, headers: {}, body: "" };

function isBefore(action: FaultAction): boolean {
  if (action.kind === "status") return !action.after;
  if (action.kind === "hang") return action.when !== "after";
  return action.kind === "drop" && action.when === "before";
}

function deliver(
  wire: EmulatorWire,
  outgoing: ServerResponse,
  response: ServiceResponse,
  fault: FaultAction | undefined,
  logged: LoggedRequest,
): void {
  if (fault?.kind === "hang") return;
  if (fault?.kind === "drop") {
    outgoing.destroy();
    return;
  }
  let sent = response;
  if (fault?.kind === "malformed") sent = toRawResponse(200, fault.body);
  if (fault?.kind === "status") sent = toFaultResponse(fault, wire.behavior);
  logged.status = sent.status;
  if (fault?.kind === "cut") send(wire, outgoing, sent, fault.bytes ?? "half");
  else send(wire, outgoing, sent);
}

function toFaultResponse(fault: FaultAction & { kind: "status" }, behavior: Behavior): ServiceResponse {
  const { status, body, headers = {} } = fault;
  if (typeof body === "string") return toRawResponse(status, body, headers);
  if (body !== undefined) return toJsonResponse(status, body, headers);
  return toErrorResponse(new Refusal(status, `Requested fault: ${status}`, { headers }), behavior);
}

/** Builds a raw response. A body that looks like HTML gets the HTML content type, like a proxy's error page. */
function toRawResponse(status: number, body: string, headers: Record<string, string> = {}): ServiceResponse {
  const type = body.trimStart().startsWith("<") ? "text/html" : "application/json";
  return { status, headers: { "content-type": type, ...headers }, body };
}

/** Sends a response. With `bytes`, sends only the start of its body and closes the connection. */
function send(
  { nowMs }: EmulatorWire,
  outgoing: ServerResponse,
  { status, headers, body }: ServiceResponse,
  bytes?: number | "half",
): void {
  const content = Buffer.from(body);
  // The date comes from the emulator's clock, because clients compare it with `updated_at`.
  const date = new Date(nowMs()).toUTCString();
  outgoing.writeHead(status, { date, "content-length": content.length, ...headers });
  if (bytes === undefined) return void outgoing.end(content);
  const sent = content.subarray(0, bytes === "half" ? Math.floor(content.length / 2) : bytes);
  outgoing.write(sent, () => outgoing.destroy());
}

/** Maximum body size. Larger requests are refused before they are fully read. */
const maxBytes = 32 * 1024 * 1024;

async function receive({ scheme }: EmulatorWire, incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxBytes) {
      // Drains the rest of the body, so that the client reads the response.
      incoming.resume();
      throw new Refusal(413, `The body is longer than ${maxBytes} bytes`, {
        headers: { connection: "close" },
      });
    }
    chunks.push(chunk);
  }
  const { method = "GET", url = "/", headers } = incoming;
  const [path = "/"] = url.split("?", 1);
  const apiKey = headers["x-api-key"];
  return {
    method,
    path,
    query: new URLSearchParams(url.slice(path.length)),
    apiKey: Array.isArray(apiKey) ? apiKey[0] : apiKey,
    bearer: /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1],
    contentType: headers["content-type"] ?? "",
    text: Buffer.concat(chunks).toString("utf8"),
    url: `${scheme}://${headers.host ?? "localhost"}${path}`,
  };
}
