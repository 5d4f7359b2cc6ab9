import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Behaviour } from "./behaviour.js";
import { type Controlled, control } from "./control.js";
import type { FaultAction } from "./emulator.js";
import type { FaultQueue } from "./fault-queue.js";
import { actionWord } from "./fault-text.js";
import { foreignHostIn } from "./host-check.js";
import { Refusal } from "./refusal.js";
import { type LoggedRequest, logRequest } from "./request-log.js";
import { json, refused, type ServiceRequest, type ServiceResponse } from "./service.js";

export interface Wire extends Controlled {
  scheme: "http" | "https";
  faults: FaultQueue;
  nowMs: () => number;
  service: (request: ServiceRequest) => ServiceResponse;
  run: (action: FaultAction & { kind: "run" }, request: LoggedRequest) => void | Promise<void>;
  onRequest: (request: LoggedRequest) => void;
  /** Ends all waits when the emulator closes. */
  closing: AbortSignal;
}

/** Receives requests, applies the requested faults, and sends the responses. */
export function listenOn(wire: Wire): RequestListener {
  return (incoming, outgoing) => {
    serve(wire, incoming, outgoing).catch((error: unknown) => {
      if (wire.closing.aborted || outgoing.headersSent) return outgoing.destroy();
      if (error instanceof Refusal) return send(wire, outgoing, refused(error, wire.behaviour));
      const message = error instanceof Error ? error.message : String(error);
      send(wire, outgoing, json(500, { code: 4000, data: null, message: `Emulator: ${message}` }));
    });
  };
}

async function serve(wire: Wire, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const stranger = foreignHostIn(incoming);
  if (stranger) return send(wire, outgoing, refused(stranger, wire.behaviour));
  const request = await receive(wire, incoming);
  const controlled = control(wire, request);
  if (controlled) return send(wire, outgoing, controlled);
  const logged = logRequest(wire.requests, wire.nowMs(), request);
  const actions = wire.faults.take(request);
  if (actions.length > 0) logged.fault = actions.map(actionWord).join(" ");
  for (const action of actions) {
    if (action.kind === "run") await wire.run(action, logged);
    if (action.kind === "delay") await wait(action.ms, undefined, { signal: wire.closing });
  }
  const settled = actions.find(({ kind }) => kind !== "run" && kind !== "delay");
  const response = settled && isBefore(settled) ? unprocessed : wire.service(request);
  deliver(wire, outgoing, response, settled, logged);
  wire.onRequest(logged);
}

/** The response of a request that the service never processed; no "before" fault sends it. */
const unprocessed: ServiceResponse = { status: 500, headers: {}, body: "" };

function isBefore(action: FaultAction): boolean {
  if (action.kind === "status") return !action.after;
  if (action.kind === "hang") return action.when !== "after";
  return action.kind === "drop" && action.when === "before";
}

function deliver(
  wire: Wire,
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
  if (fault?.kind === "status") sent = toFaultResponse(fault, wire.behaviour);
  logged.status = sent.status;
  if (fault?.kind === "cut") send(wire, outgoing, sent, fault.bytes ?? "half");
  else send(wire, outgoing, sent);
}

function toFaultResponse(fault: FaultAction & { kind: "status" }, behaviour: Behaviour): ServiceResponse {
  const { status, body, headers = {} } = fault;
  if (typeof body === "string") return toRawResponse(status, body, headers);
  if (body !== undefined) return json(status, body, headers);
  return refused(new Refusal(status, `Requested fault: ${status}`, { headers }), behaviour);
}

/** Text that starts like HTML has the type HTML, as from a proxy in front of the service. */
function toRawResponse(status: number, body: string, headers: Record<string, string> = {}): ServiceResponse {
  const type = body.trimStart().startsWith("<") ? "text/html" : "application/json";
  return { status, headers: { "content-type": type, ...headers }, body };
}

/** Sends a response, or no more than so many bytes of it. */
function send(
  { nowMs }: Wire,
  outgoing: ServerResponse,
  { status, headers, body }: ServiceResponse,
  bytes?: number | "half",
): void {
  const content = Buffer.from(body);
  // By the emulator's clock: clients compare it with updated_at.
  const date = new Date(nowMs()).toUTCString();
  outgoing.writeHead(status, { date, "content-length": content.length, ...headers });
  if (bytes === undefined) return void outgoing.end(content);
  const sent = content.subarray(0, bytes === "half" ? Math.floor(content.length / 2) : bytes);
  outgoing.write(sent, () => outgoing.destroy());
}

/** A longer body is refused without reading it. */
const mostBytes = 32 * 1024 * 1024;

async function receive({ scheme }: Wire, incoming: IncomingMessage): Promise<ServiceRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > mostBytes) {
      // Drains the rest of the body, so that the client reads the response.
      incoming.resume();
      throw new Refusal(413, `The body is longer than ${mostBytes} bytes`, {
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
