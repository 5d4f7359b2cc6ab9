import type { Socket } from "node:net";
import {
  defaultMaxFrameBytes,
  type ErrorCode,
  encodeFrameHeader,
  encodeUint32,
  errorCode,
  type Frame,
  FrameReader,
  frameFlags,
  frameTypes,
  Http2Error,
  removePadding,
} from "./frames.js";
import { HeaderDecoder, type HeaderField } from "./hpack.js";
import { type FrameSender, Http2Stream, type RequestHandler } from "./stream.js";

/*
 * The server's side of HTTP/2 (RFC 9113) over one socket, with what gRPC needs of it: requests with a body, answers with a
 * body and trailers, flow control. There is no server push, no priority, and no limit of streams.
 */

/** What happens on a connection. */
export interface SessionHandler {
  /** A request has begun. */
  request(stream: Http2Stream): RequestHandler;
  /** The other side broke the protocol, or the socket broke. */
  error(error: Error): void;
}

interface HeaderBlock {
  readonly id: number;
  /** No body follows. */
  readonly isLast: boolean;
  readonly bytes: Buffer;
}

const settingId = { enablePush: 2, initialWindowSize: 4, maxFrameSize: 5 } as const;
const firstWindowBytes = 65_535;
const maxWindowBytes = 2 ** 31 - 1;
const maxHeaderBlockBytes = 64 * 1024;

/** A connection that a client has opened. */
export class Http2Session {
  readonly #socket: Socket;
  readonly #on: SessionHandler;
  readonly #reader = new FrameReader();
  readonly #decoder = new HeaderDecoder();
  readonly #streams = new Map<number, Http2Stream>();
  readonly #sender: FrameSender;
  #unsent: Buffer[] = [];
  /** What the other side takes of a new stream. */
  #firstWindow = firstWindowBytes;
  /** What was read since the other side was last told so. */
  #unreportedBytes = 0;
  #hasSettings = false;
  #lastId = 0;
  /** A header block that goes on in the next frame. */
  #block: HeaderBlock | undefined;
  #isClosing = false;
  #isEnded = false;

  constructor(socket: Socket, on: SessionHandler) {
    this.#socket = socket;
    this.#on = on;
    this.#sender = {
      window: firstWindowBytes,
      maxFrameBytes: defaultMaxFrameBytes,
      write: (type, flags, id, payload) => this.#write(type, flags, id, payload),
      remove: (stream) => this.#remove(stream),
    };
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => on.error(error));
    socket.on("end", () => this.destroy());
    socket.on("close", () => this.#cut());
    /*
     * What the other side may send before we say that we have read it, of one stream and of all together: as much as can
     * be. A message is gathered whole before it is looked at, so that a smaller window would spare no memory. It would hold
     * up the callers: they would get the answer to one call while most of what they say in the others still waited with them.
     */
    const settings = Buffer.concat([Buffer.of(0, settingId.initialWindowSize), encodeUint32(maxWindowBytes)]);
    this.#write(frameTypes.settings, 0, 0, settings);
    this.#write(frameTypes.windowUpdate, 0, 0, encodeUint32(maxWindowBytes - firstWindowBytes));
  }

  /** Takes no more requests, and hangs up when those in flight have ended. */
  close(): void {
    if (this.#isClosing) return;
    this.#sayGoodbye(errorCode.none);
    this.#hangUpIfDone();
  }

  /** Hangs up. What was sent before still goes out. */
  destroy(): void {
    this.#flush();
    this.#cut();
    this.#socket.destroySoon();
  }

  #cut(): void {
    this.#isEnded = true;
    for (const stream of this.#streams.values()) stream.cut();
  }

  #sayGoodbye(code: ErrorCode): void {
    this.#isClosing = true;
    this.#write(frameTypes.goAway, 0, 0, encodeUint32(this.#lastId, code));
  }

  #remove(stream: Http2Stream): void {
    if (!this.#streams.delete(stream.id)) return;
    stream.handler?.close();
    this.#hangUpIfDone();
  }

  #hangUpIfDone(): void {
    if (this.#isClosing && !this.#isEnded && this.#streams.size === 0) this.destroy();
  }

  /** Frames of one turn leave in one piece: each write is a record of TLS, and a call of the system. */
  #write(type: number, flags: number, id: number, payload: Buffer): void {
    if (this.#isEnded) return;
    if (this.#unsent.length === 0) queueMicrotask(() => this.#flush());
    this.#unsent.push(encodeFrameHeader(type, flags, id, payload.length), payload);
  }

  #flush(): void {
    if (this.#unsent.length > 0) this.#socket.write(Buffer.concat(this.#unsent));
    this.#unsent = [];
  }

  #receive(chunk: Buffer): void {
    if (this.#isEnded) return;
    try {
      for (const frame of this.#reader.read(chunk)) {
        this.#take(frame);
        if (this.#isEnded) return;
      }
    } catch (error) {
      if (!(error instanceof Http2Error)) throw error;
      this.#on.error(error);
      this.#sayGoodbye(error.code);
      this.destroy();
    }
  }

  #take(frame: Frame): void {
    const { type, flags, id, payload } = frame;
    check(this.#hasSettings || type === frameTypes.settings, "The first frame is not SETTINGS.");
    check(
      !this.#block || (type === frameTypes.continuation && id === this.#block.id),
      "A header block is interrupted.",
    );
    switch (type) {
      case frameTypes.data:
        this.#takeData(frame);
        break;
      case frameTypes.headers:
        this.#takeHeaders(frame);
        break;
      case frameTypes.continuation:
        check(this.#block, "CONTINUATION follows no HEADERS.");
        this.#takeBlock(flags, { ...this.#block, bytes: Buffer.concat([this.#block.bytes, payload]) });
        break;
      case frameTypes.priority:
        check(id !== 0, "PRIORITY is of no stream.");
        if (payload.length !== 5) this.#reset(id, errorCode.frameSize);
        break;
      case frameTypes.resetStream:
        this.#requireStream(id, payload.length === 4);
        this.#streams.get(id)?.cut();
        break;
      case frameTypes.settings:
        this.#takeSettings(frame);
        break;
      case frameTypes.pushPromise:
        throw new Http2Error(errorCode.protocol, "A client cannot push.");
      case frameTypes.ping:
        requireConnection(id, payload.length === 8);
        if (!(flags & frameFlags.ack)) this.#write(frameTypes.ping, frameFlags.ack, 0, payload);
        break;
      case frameTypes.goAway:
        requireConnection(id, payload.length >= 8);
        this.#isClosing = true;
        this.#hangUpIfDone();
        break;
      case frameTypes.windowUpdate:
        this.#takeWindowUpdate(frame);
    }
  }

  #requireStream(id: number, fits: boolean): void {
    check(id > 0 && id <= this.#lastId, "A frame is of no stream.");
    check(fits, "A frame has another size.", errorCode.frameSize);
  }

  #reset(id: number, code: ErrorCode): void {
    const stream = this.#streams.get(id);
    if (stream) stream.reset(code);
    else this.#write(frameTypes.resetStream, 0, id, encodeUint32(code));
  }

  #takeData(frame: Frame): void {
    const { flags, id, payload } = frame;
    this.#requireStream(id, true);
    this.#unreportedBytes += payload.length;
    if (this.#unreportedBytes > maxWindowBytes / 2) {
      this.#write(frameTypes.windowUpdate, 0, 0, encodeUint32(this.#unreportedBytes));
      this.#unreportedBytes = 0;
    }
    const bytes = removePadding(frame);
    const stream = this.#streams.get(id);
    if (!stream?.isRemoteOpen) {
      this.#reset(id, errorCode.streamClosed);
      return;
    }
    if (bytes.length > 0) stream.handler?.data(bytes);
    if (flags & frameFlags.endStream) stream.endRemote();
  }

  #takeHeaders(frame: Frame): void {
    const { flags, id } = frame;
    check(id % 2 === 1, "HEADERS is of no client's stream.");
    const rest = removePadding(frame);
    const prioritySize = flags & frameFlags.priority ? 5 : 0;
    check(rest.length >= prioritySize, "HEADERS is too short.", errorCode.frameSize);
    const isLast = (flags & frameFlags.endStream) !== 0;
    this.#takeBlock(flags, { id, isLast, bytes: rest.subarray(prioritySize) });
  }

  #takeBlock(flags: number, block: HeaderBlock): void {
    const { id, isLast, bytes } = block;
    check(bytes.length <= maxHeaderBlockBytes, "Headers are too large.", errorCode.enhanceYourCalm);
    this.#block = flags & frameFlags.endHeaders ? undefined : block;
    if (this.#block) return;
    const fields = this.#decoder.decode(bytes);
    const stream = this.#streams.get(id);
    if (!stream) this.#openStream(id, fields, isLast);
    else if (!stream.isRemoteOpen) stream.reset(errorCode.streamClosed);
    else if (!isLast || fields.some(([name]) => name.startsWith(":"))) stream.reset(errorCode.protocol);
    // Trailers of a request mean nothing to gRPC.
    else stream.endRemote();
  }

  #openStream(id: number, fields: readonly HeaderField[], isLast: boolean): void {
    check(id !== this.#lastId, "HEADERS is of a closed stream.", errorCode.streamClosed);
    check(id > this.#lastId, "HEADERS is of an earlier stream.");
    this.#lastId = id;
    const path = pathIn(fields);
    if (path === undefined || this.#isClosing) {
      this.#reset(id, path === undefined ? errorCode.protocol : errorCode.refusedStream);
      return;
    }
    const stream = new Http2Stream(id, path, this.#firstWindow, this.#sender);
    this.#streams.set(id, stream);
    stream.handler = this.#on.request(stream);
    if (isLast) stream.endRemote();
  }

  #takeSettings({ flags, id, payload }: Frame): void {
    const isAck = (flags & frameFlags.ack) !== 0;
    requireConnection(id, isAck ? payload.length === 0 : payload.length % 6 === 0);
    if (isAck) return;
    this.#hasSettings = true;
    for (let at = 0; at < payload.length; at += 6)
      this.#takeSetting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    this.#write(frameTypes.settings, frameFlags.ack, 0, Buffer.alloc(0));
    for (const stream of this.#streams.values()) stream.flush();
  }

  #takeSetting(id: number, value: number): void {
    switch (id) {
      case settingId.enablePush:
        check(value <= 1, "ENABLE_PUSH is neither 0 nor 1.");
        break;
      case settingId.initialWindowSize:
        requireWindow(value);
        for (const stream of this.#streams.values()) {
          stream.window += value - this.#firstWindow;
          requireWindow(stream.window);
        }
        this.#firstWindow = value;
        break;
      case settingId.maxFrameSize:
        check(value >= defaultMaxFrameBytes && value < 2 ** 24, "MAX_FRAME_SIZE is out of its range.");
        this.#sender.maxFrameBytes = value;
    }
  }

  #takeWindowUpdate({ id, payload }: Frame): void {
    if (id === 0) requireConnection(id, payload.length === 4);
    else this.#requireStream(id, payload.length === 4);
    const more = payload.readUInt32BE(0) & 0x7fffffff;
    if (id === 0) {
      check(more > 0, "A window grows by nothing.");
      this.#sender.window += more;
      requireWindow(this.#sender.window);
      for (const stream of this.#streams.values()) stream.flush();
      return;
    }
    const stream = this.#streams.get(id);
    if (!stream) return;
    stream.window += more;
    if (more === 0) stream.reset(errorCode.protocol);
    else if (stream.window > maxWindowBytes) stream.reset(errorCode.flowControl);
    else stream.flush();
  }
}

function check(holds: unknown, message: string, code: ErrorCode = errorCode.protocol): asserts holds {
  if (!holds) throw new Http2Error(code, message);
}

function requireConnection(id: number, fits: boolean): void {
  check(id === 0, "A frame of the connection is of a stream.");
  check(fits, "A frame has another size.", errorCode.frameSize);
}

function requireWindow(bytes: number): void {
  check(bytes <= maxWindowBytes, "A window is too large.", errorCode.flowControl);
}

/** The path of a request; undefined if the request is malformed (sections 8.2 and 8.3). */
function pathIn(fields: readonly HeaderField[]): string | undefined {
  const pseudo = new Map<string, string>();
  let isRegular = false;
  for (const [name, value] of fields) {
    if (name.startsWith(":")) {
      if (isRegular || pseudo.has(name) || !pseudoFields.has(name)) return undefined;
      pseudo.set(name, value);
    } else {
      isRegular = true;
      if (name !== name.toLowerCase() || hopFields.has(name)) return undefined;
      if (name === "te" && value !== "trailers") return undefined;
    }
  }
  if (!pseudo.has(":method") || !pseudo.has(":scheme")) return undefined;
  return pseudo.get(":path") || undefined;
}

const pseudoFields = new Set([":method", ":scheme", ":path", ":authority"]);
/** Of HTTP/1.1 alone. */
const hopFields = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]);
