import { X509Certificate } from "node:crypto";
import {
  createSecureServer,
  createServer,
  constants as http2,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import type { Log } from "../provider.js";

/*
 * gRPC is little beside HTTP/2: a call is a POST to a path, a message has five bytes before it, and how it went stands
 * in the trailers. So it is spoken here on node:http2, and not by @grpc/grpc-js, which takes 74 ms from exec to the handshake
 * instead of 31 (`node -e 0`: 21) and a bundle of 981 KB; Terraform starts a provider three to seven times in every command. What
 * Terraform need not wait for, node:http2 among it, is loaded after the handshake.
 *
 * And one thing grpc-js cannot do at all: tell connections apart. Over a unix socket its `getPeer()` is "unknown" for
 * every caller. Two provider blocks are two connections, in debug mode to one process: without telling them apart, the
 * resources of one block end in the account of the other.
 */

/** One HTTP/2 connection: what can be called over it, and what is to be done when it has ended. */
export interface Connection {
  method(path: string): Method | undefined;
  close(): Promise<void>;
}

/**
 * A call with one message, answered with one or with several, all but the last one sent early; or a stream in which nothing is
 * ever said, kept open till the end.
 */
export type Method =
  | ((request: Uint8Array, send: (message: Uint8Array) => void) => Promise<Uint8Array | undefined>)
  | "held-open";

/** A certificate with its key, and the one certificate that a caller must have. */
export interface Credentials {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}

export interface GrpcServer {
  /** Takes over a connection somebody else has accepted, also one that has been waiting. */
  accept(socket: Socket): void;
  /** Takes no more calls, lets those in flight end for that long, and hangs up. */
  close(graceMs: number): Promise<void>;
}

/** What one message may have, as with the Go SDK. */
const maxMessageBytes = 256 * 1024 * 1024;

/**
 * What a caller may send before we say that we have read it, of one call and of all together: as much as can be. A message
 * is gathered whole before it is looked at, so that a smaller window would spare no memory. It would hold up the callers:
 * they would get the answer to one call while most of what they say in the others still waited with them. Callers on
 * Node from 22.23 hang up then, as soon as more than 10 MB wait (NGHTTP2_ENHANCE_YOUR_CALM).
 */
const maxWindowBytes = 2 ** 31 - 1;

const status = { ok: 0, resourceExhausted: 8, unimplemented: 12, internal: 13 } as const;

/** Speaks gRPC: plain HTTP/2 without credentials, over TLS with them. */
export function openGrpc(input: {
  readonly connect: () => Connection;
  readonly credentials: Credentials | undefined;
  readonly log: Log;
}): GrpcServer {
  const { connect, credentials, log } = input;
  const options = {
    // In megabytes: by default Node may turn calls away while those in flight hold more than 10.
    maxSessionMemory: 64_000,
    settings: { initialWindowSize: maxWindowBytes },
  };
  const server = credentials
    ? // Asked for its certificate, and let in if it is the one: see isCaller.
      createSecureServer({ ...options, ...credentials, ca: [], requestCert: true, rejectUnauthorized: false })
    : createServer(options);
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  const streams = new Set<ServerHttp2Stream>();
  const held = new Set<ServerHttp2Stream>();
  const closings = new Set<Promise<void>>();
  let isClosing = false;

  const expected = credentials && new X509Certificate(credentials.ca).raw;
  server.on("session", (session) => {
    if (expected && !isCaller(session, expected)) {
      log("debug", "A connection was rejected", {
        error: "Its certificate is not the one in PLUGIN_CLIENT_CERT.",
      });
      session.destroy();
      return;
    }
    const connection = connect();
    sessions.add(session);
    session.setLocalWindowSize(maxWindowBytes);
    session.on("stream", (stream, headers) => {
      streams.add(stream);
      stream.on("close", () => streams.delete(stream));
      stream.on("error", (error) => log("debug", "A call was interrupted", { error: error.message }));
      const path = headers[":path"] ?? "";
      const method = connection.method(path);
      if (method === undefined) sendError(stream, noSuchMethod(path));
      else if (method === "held-open") hold(stream);
      else receive(stream, (request) => answer(stream, path, (send) => method(request, send)));
    });
    // With neither of the two, an error here would end the process.
    session.on("error", (error) => log("debug", "A connection was lost", { error: error.message }));
    session.on("close", () => {
      sessions.delete(session);
      const closing = connection.close().catch((error) => void reportBug(error, "Closing a connection"));
      closings.add(closing);
      void closing.then(() => closings.delete(closing));
    });
    if (isClosing) session.close();
  });
  server.on("tlsClientError", (error) => log("debug", "A connection was rejected", { error: error.message }));

  function hold(stream: ServerHttp2Stream): void {
    stream.resume();
    startAnswer(stream);
    stream.on("wantTrailers", () => closeSoon(stream));
    held.add(stream);
    stream.on("close", () => held.delete(stream));
  }

  async function answer(
    stream: ServerHttp2Stream,
    path: string,
    call: (send: (message: Uint8Array) => void) => Promise<Uint8Array | undefined>,
  ): Promise<void> {
    try {
      const last = await call((message) => {
        if (stream.destroyed) return;
        if (!stream.headersSent) startAnswer(stream);
        stream.write(toFrame(message));
      });
      if (stream.destroyed) return;
      if (!stream.headersSent) startAnswer(stream);
      stream.end(last && toFrame(last));
    } catch (error) {
      sendError(stream, requestError(error, path) ?? reportBug(error, path));
    }
  }

  /** Whatever a user can do something about was answered as a diagnostic: only our own mistakes come here. */
  function reportBug(error: unknown, during: string): GrpcError {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
    log("error", `Bug: ${during} failed`, { error: stack ?? message });
    return new GrpcError(status.internal, `This is a bug in the provider: ${message}`);
  }

  return {
    accept(socket) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      server.emit("connection", socket);
    },
    async close(graceMs) {
      isClosing = true;
      const timer = new AbortController();
      const patience = setTimeout(graceMs, undefined, { signal: timer.signal }).catch(() => {});
      const answered = Promise.all([...streams].map(closed));
      for (const stream of held) stream.end();
      for (const session of sessions) session.close();
      await Promise.race([answered, patience]);
      // What was said last leaves with the end of this turn. After it nothing is to come, and a session would go on
      // waiting for a caller who, by now, has forgotten it.
      await new Promise(setImmediate);
      const ended = Promise.all([...sessions].map(closed)).then(() => Promise.all(closings));
      for (const socket of sockets) socket.destroySoon();
      await Promise.race([ended, patience]);
      timer.abort();
    },
  };
}

function closed(end: ServerHttp2Stream | ServerHttp2Session): Promise<void> {
  return new Promise((resolve) => end.once("close", () => resolve()));
}

class GrpcError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "GrpcError";
    this.status = status;
  }
}

/** Gathers the one message of a unary call: a byte that says whether it is compressed, four of length, the message. */
function receive(stream: ServerHttp2Stream, take: (message: Uint8Array) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxMessageBytes) chunks.push(chunk);
    else if (chunks.length > 0) {
      chunks.length = 0;
      sendError(
        stream,
        new GrpcError(status.resourceExhausted, `A message has more than ${maxMessageBytes} bytes.`),
      );
    }
  });
  stream.on("end", () => {
    if (stream.destroyed || stream.aborted || size > maxMessageBytes) return;
    const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    const error = framingError(body);
    if (error) sendError(stream, error);
    else take(body.subarray(5));
  });
}

function framingError(body: Buffer): GrpcError | undefined {
  if (body.length === 0)
    return new GrpcError(status.unimplemented, "A call must have one message, this one has none.");
  if (body[0] === 1) return new GrpcError(status.unimplemented, "Compressed messages are not supported.");
  const expected = body.length < 5 ? 5 : 5 + body.readUInt32BE(1);
  if (body.length < expected || body[0] !== 0)
    return new GrpcError(status.internal, "The message is incomplete.");
  if (body.length === expected) return undefined;
  return new GrpcError(status.unimplemented, "A call must have one message, this one has several.");
}

/** What the caller did wrong, where it is that. By its code: what knows messages is loaded later than this. */
function requestError(error: unknown, path: string): GrpcError | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  if (error.code === "malformed-message") return new GrpcError(status.internal, error.message);
  return error.code === "no-such-method" ? noSuchMethod(path) : undefined;
}

function noSuchMethod(path: string): GrpcError {
  return new GrpcError(status.unimplemented, `There is no method ${path}.`);
}

function toFrame(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(5 + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}

const answerHeaders = { ":status": 200, "content-type": "application/grpc" };

/** Success is sent after the messages, in trailers. */
function startAnswer(stream: ServerHttp2Stream): void {
  stream.respond(answerHeaders, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": status.ok }));
}

function sendError(stream: ServerHttp2Stream, { status, message }: GrpcError): void {
  if (stream.destroyed) return;
  // After a message there is no other way to say so.
  if (stream.headersSent) return void stream.close(http2.NGHTTP2_INTERNAL_ERROR);
  stream.respond(
    { ...answerHeaders, "grpc-status": status, "grpc-message": percentEncoded(message) },
    { endStream: true },
  );
  closeSoon(stream);
}

/** The caller may leave its half open, or still be sending. To close that at once would overtake our last words. */
function closeSoon(stream: ServerHttp2Stream): void {
  setImmediate(() => stream.close(http2.NGHTTP2_NO_ERROR));
}

/** Header values are printable ASCII; the rest is percent-encoded UTF-8. */
function percentEncoded(text: string): string {
  return text.replace(/[^\x20-\x24\x26-\x7e]+/g, (run) =>
    [...Buffer.from(run)].map((byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`).join(""),
  );
}

/**
 * Whether the other side of a connection has this very certificate; that it has the key, too, TLS has proved. To have
 * OpenSSL verify it takes a store of authorities, which Node 20 fills with all it knows as soon as one is put in: 20 ms in
 * each of the processes a command starts.
 */
function isCaller({ socket }: ServerHttp2Session, expected: Buffer): boolean {
  const { raw } = (socket as TLSSocket).getPeerCertificate();
  return raw?.equals(expected) === true;
}
