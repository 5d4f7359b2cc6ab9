/*
 * The frames of HTTP/2 (RFC 9113, section 4): nine bytes with length, type, flags and stream, then the payload.
 */

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const frameFlags = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

/** Why a stream or a connection ends (section 7). */
export const errorCode = {
  none: 0,
  protocol: 1,
  internal: 2,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  compression: 9,
  enhanceYourCalm: 11,
} as const;
export type ErrorCode = (typeof errorCode)[keyof typeof errorCode];

/** What the other side did wrong. It ends the connection. */
export class Http2Error extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.name = "Http2Error";
    this.code = code;
  }
}

export interface Frame {
  readonly type: number;
  readonly flags: number;
  /** 0 is the connection. */
  readonly id: number;
  readonly payload: Buffer;
}

/** The largest payload that each side takes before it has said otherwise. */
export const defaultMaxFrameBytes = 16_384;
const headBytes = 9;
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Cuts what a client sends into frames. */
export class FrameReader {
  #pending: Buffer = Buffer.alloc(0);
  #hasPreface = false;

  /** @throws Http2Error */
  *read(chunk: Buffer): Generator<Frame> {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    if (!this.#hasPreface && !this.#takePreface()) return;
    while (this.#pending.length >= headBytes) {
      const head = this.#pending;
      const end = headBytes + head.readUIntBE(0, 3);
      if (end > headBytes + defaultMaxFrameBytes)
        throw new Http2Error(errorCode.frameSize, "A frame is too large.");
      if (head.length < end) return;
      this.#pending = head.subarray(end);
      yield {
        type: head.readUInt8(3),
        flags: head.readUInt8(4),
        id: head.readUInt32BE(5) & 0x7fffffff,
        payload: head.subarray(headBytes, end),
      };
    }
  }

  #takePreface(): boolean {
    const size = Math.min(this.#pending.length, preface.length);
    if (this.#pending.compare(preface, 0, size, 0, size) !== 0)
      throw new Http2Error(errorCode.protocol, "It does not speak HTTP/2.");
    this.#hasPreface = size === preface.length;
    if (this.#hasPreface) this.#pending = this.#pending.subarray(size);
    return this.#hasPreface;
  }
}

/** The header of a frame: the nine bytes before its payload. */
export function encodeFrameHeader(type: number, flags: number, id: number, payloadBytes: number): Buffer {
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUIntBE(payloadBytes, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(id, 5);
  return head;
}

/** A payload without its padding. */
export function removePadding({ flags, payload }: Frame): Buffer {
  if (!(flags & frameFlags.padded)) return payload;
  const padding = payload[0] ?? 0;
  if (padding >= payload.length)
    throw new Http2Error(errorCode.protocol, "A frame has more padding than bytes.");
  return payload.subarray(1, payload.length - padding);
}

export function encodeUint32(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
}
