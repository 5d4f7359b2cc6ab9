import { type ErrorCode, encodeUint32, frameFlags, frameTypes } from "./frames.js";

/** What becomes of a request. */
export interface RequestHandler {
  /** A part of the body has come. */
  data(bytes: Buffer): void;
  /** The request is whole. */
  end(): void;
  /** The stream is closed: both sides have ended it, or it was cut. */
  close(): void;
}

/** What streams of one connection share. */
export interface FrameSender {
  /** What the other side takes of all streams together at present, in bytes (section 5.2). */
  window: number;
  maxFrameBytes: number;
  write(type: number, flags: number, id: number, payload: Buffer): void;
  /** A stream is closed. */
  remove(stream: Http2Stream): void;
}

/** A request and its answer. What is sent after the end, or after it was cut, goes nowhere. */
export class Http2Stream {
  readonly id: number;
  readonly path: string;
  readonly #sender: FrameSender;
  handler: RequestHandler | undefined;
  /** What the other side takes of this stream at present, in bytes. */
  window: number;
  isRemoteOpen = true;
  #isLocalOpen = true;
  /** Parts of the body that wait for the windows, and what ends the answer after them. */
  #waiting: Buffer[] = [];
  #trailers: Buffer | undefined;

  constructor(id: number, path: string, window: number, sender: FrameSender) {
    this.id = id;
    this.path = path;
    this.window = window;
    this.#sender = sender;
  }

  /** A header block in HPACK. */
  sendHeaders(block: Buffer): void {
    if (this.#isLocalOpen) this.#writeBlock(block, 0);
  }

  /** A part of the body, sent as soon as the other side takes it. */
  sendData(bytes: Buffer): void {
    if (!this.#isLocalOpen) return;
    this.#waiting.push(bytes);
    this.flush();
  }

  /** A header block that ends the answer. */
  end(block: Buffer): void {
    if (!this.#isLocalOpen) return;
    this.#trailers = block;
    this.flush();
  }

  /** Ends both sides at once. */
  reset(code: ErrorCode): void {
    if (!this.isRemoteOpen && !this.#isLocalOpen) return;
    this.#sender.write(frameTypes.resetStream, 0, this.id, encodeUint32(code));
    this.cut();
  }

  /** Sends what the windows allow. */
  flush(): void {
    const sender = this.#sender;
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const size = Math.min(first.length, sender.maxFrameBytes, sender.window, this.window);
      if (size <= 0) return;
      sender.write(frameTypes.data, 0, this.id, first.subarray(0, size));
      sender.window -= size;
      this.window -= size;
      if (size === first.length) this.#waiting.shift();
      else this.#waiting[0] = first.subarray(size);
    }
    if (!this.#trailers) return;
    this.#writeBlock(this.#trailers, frameFlags.endStream);
    this.#trailers = undefined;
    this.#isLocalOpen = false;
    if (!this.isRemoteOpen) sender.remove(this);
  }

  /** The other side has ended its request. */
  endRemote(): void {
    this.isRemoteOpen = false;
    this.handler?.end();
    if (!this.#isLocalOpen) this.#sender.remove(this);
  }

  /** The other side has cut it, or is gone. */
  cut(): void {
    this.isRemoteOpen = false;
    this.#isLocalOpen = false;
    this.#waiting = [];
    this.#trailers = undefined;
    this.#sender.remove(this);
  }

  #writeBlock(block: Buffer, flags: number): void {
    const { maxFrameBytes } = this.#sender;
    for (let at = 0; at === 0 || at < block.length; at += maxFrameBytes) {
      const isLast = at + maxFrameBytes >= block.length;
      this.#sender.write(
        at === 0 ? frameTypes.headers : frameTypes.continuation,
        (at === 0 ? flags : 0) | (isLast ? frameFlags.endHeaders : 0),
        this.id,
        block.subarray(at, at + maxFrameBytes),
      );
    }
  }
}
