import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { createServer, type TLSSocket } from "node:tls";
import { errorCode } from "../http2/frames.js";
import { encodeFields } from "../http2/hpack.js";
import { Http2Session } from "../http2/session.js";
import type { Http2Stream, RequestHandler } from "../http2/stream.js";
import type { Log } from "../provider.js";

/*
 * gRPC is little beside HTTP/2: a call is a POST to a path, a message has five bytes before it, and how it went stands
 * in the trailers. So it is spoken here, and not by @grpc/grpc-js, which takes 74 ms from exec to the handshake instead of
 * 31 (`node -e 0`: 21) and a bundle of 981 KB; Terraform starts a provider three to seven times in every command. What
 * Terraform need not wait for is loaded after the handshake.
 *
 * HTTP/2 is ours as well, in ../http2: node:http2 makes a stream of Node, with its buffers and events, of every call, of
 * which a plan of 100 objects makes 500. On node:http2 such a plan took 1.45 times as long as with a provider in Go, and takes
 * 1.24 times as long here (lower quartiles of 15 in turn, two cores, Node 20.20); the processes of an apply took 0.87 s of
 * CPU, and take 0.75 (the least of 5).
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

const status = { ok: 0, resourceExhausted: 8, unimplemented: 12, internal: 13 } as const;

/** Speaks gRPC: plain HTTP/2 without credentials, over TLS with them. */
export function openGrpc(input: {
  readonly connect: () => Connection;
  readonly credentials: Credentials | undefined;
  readonly log: Log;
}): GrpcServer {
  const { connect, credentials, log } = input;
  const sockets = new Set<Socket>();
  const sessions = new Map<Http2Session, Promise<void>>();
  const held = new Set<Http2Stream>();
  let isClosing = false;

  const expected = credentials && new X509Certificate(credentials.ca).raw;
  const secure =
    credentials &&
    createServer({
      ...credentials,
      ca: [],
      ALPNProtocols: ["h2"],
      requestCert: true,
      rejectUnauthorized: false,
    });
  secure?.on("tlsClientError", reject);
  secure?.on("secureConnection", (socket) => {
    if (expected && isCaller(socket, expected)) return serve(socket);
    reject(new Error("Its certificate is not the one in PLUGIN_CLIENT_CERT."));
    socket.destroy();
  });

  function reject(error: Error): void {
    log("debug", "A connection was rejected", { error: error.message });
  }

  function serve(socket: Socket): void {
    const connection = connect();
    const session = new Http2Session(socket, {
      request: (stream) => handle(connection, stream),
      error: (error) => log("debug", "A connection was lost", { error: error.message }),
    });
    const closed = new Promise((resolve) => socket.once("close", resolve))
      .then(() => connection.close())
      .catch((error) => void reportBug(error, "Closing a connection"))
      .then(() => void sessions.delete(session));
    sessions.set(session, closed);
    if (isClosing) session.close();
  }

  function handle(connection: Connection, stream: Http2Stream): RequestHandler {
    const { path } = stream;
    const method = connection.method(path);
    const close = () => void held.delete(stream);
    if (typeof method === "function") {
      const take = (request: Uint8Array) => void answer(stream, (send) => method(request, send));
      return { ...receive(stream, take), close };
    }
    if (method === undefined) sendError(stream, noSuchMethod(path));
    else {
      stream.sendHeaders(answerHeaders);
      held.add(stream);
    }
    return { data() {}, end() {}, close };
  }

  async function answer(
    stream: Http2Stream,
    call: (send: (message: Uint8Array) => void) => Promise<Uint8Array | undefined>,
  ): Promise<void> {
    let hasSent = false;
    function send(message: Uint8Array): void {
      if (!hasSent) stream.sendHeaders(answerHeaders);
      hasSent = true;
      stream.sendData(toFrame(message));
    }
    try {
      const last = await call(send);
      if (last) send(last);
      else if (!hasSent) stream.sendHeaders(answerHeaders);
      stream.end(okTrailers);
    } catch (error) {
      const told = requestError(error, stream.path) ?? reportBug(error, stream.path);
      // After a message there is no other way to say so.
      if (hasSent) stream.reset(errorCode.internal);
      else sendError(stream, told);
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
      if (secure) secure.emit("connection", socket);
      else serve(socket);
    },
    async close(graceMs) {
      isClosing = true;
      const timer = new AbortController();
      const patience = setTimeout(graceMs, undefined, { signal: timer.signal }).catch(() => {});
      for (const stream of held) {
        stream.end(okTrailers);
        // The caller leaves its half open.
        stream.reset(errorCode.none);
      }
      for (const session of sessions.keys()) session.close();
      await Promise.race([Promise.all(sessions.values()), patience]);
      timer.abort();
      for (const session of sessions.keys()) session.destroy();
      for (const socket of sockets) socket.destroySoon();
    },
  };
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
function receive(stream: Http2Stream, take: (message: Uint8Array) => void): Omit<RequestHandler, "close"> {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    data(chunk) {
      size += chunk.length;
      if (size <= maxMessageBytes) chunks.push(chunk);
      else if (chunks.length > 0) {
        chunks.length = 0;
        sendError(
          stream,
          new GrpcError(status.resourceExhausted, `A message has more than ${maxMessageBytes} bytes.`),
        );
      }
    },
    end() {
      if (size > maxMessageBytes) return;
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      const error = framingError(body);
      if (error) sendError(stream, error);
      else take(body.subarray(5));
    },
  };
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

const answerHeaders = encodeFields([
  [":status", "200"],
  ["content-type", "application/grpc"],
]);
const okTrailers = encodeFields([["grpc-status", String(status.ok)]]);

function sendError(stream: Http2Stream, { status, message }: GrpcError): void {
  const fields = encodeFields([
    ["grpc-status", String(status)],
    ["grpc-message", percentEncoded(message)],
  ]);
  stream.end(Buffer.concat([answerHeaders, fields]));
  // The caller may still be sending.
  stream.reset(errorCode.none);
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
function isCaller(socket: TLSSocket, expected: Buffer): boolean {
  const { raw } = socket.getPeerCertificate();
  return raw?.equals(expected) === true;
}
