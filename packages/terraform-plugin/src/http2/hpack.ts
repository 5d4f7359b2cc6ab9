import { errorCode, Http2Error } from "./frames.js";

/*
 * HPACK (RFC 7541): how HTTP/2 writes header fields. A field is a number that stands for one of the fields both sides know
 * from the start, or that came earlier on this connection, or it is written out, plainly or in a Huffman code.
 */

/** A name, in lower case as HTTP/2 has it, and a value. Both are bytes, each a character from U+0000 to U+00FF. */
export type HeaderField = readonly [name: string, value: string];

/** Fields both sides know from the start, numbered from 1 (appendix A). */
const staticTable: readonly HeaderField[] = [
  ...fields(":authority;:method=GET;:method=POST;:path=/;:path=/index.html;:scheme=http;:scheme=https"),
  ...[200, 204, 206, 304, 400, 404, 500].map((status): HeaderField => [":status", String(status)]),
  ...fields("accept-charset;accept-encoding=gzip, deflate;accept-language;accept-ranges;accept"),
  ...fields("access-control-allow-origin;age;allow;authorization;cache-control;content-disposition"),
  ...fields("content-encoding;content-language;content-length;content-location;content-range;content-type"),
  ...fields("cookie;date;etag;expect;expires;from;host;if-match;if-modified-since;if-none-match;if-range"),
  ...fields("if-unmodified-since;last-modified;link;location;max-forwards;proxy-authenticate"),
  ...fields("proxy-authorization;range;referer;refresh;retry-after;server;set-cookie"),
  ...fields("strict-transport-security;transfer-encoding;user-agent;vary;via;www-authenticate"),
];

function fields(list: string): HeaderField[] {
  return list.split(";").map((field) => {
    const [name = "", value = ""] = field.split("=");
    return [name, value];
  });
}

/** Writes fields out, in no code: they are few and short. */
export function encodeFields(fields: readonly HeaderField[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.of(0), encodeText(name), encodeText(value)]),
  );
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  const length = [Math.min(bytes.length, 0x7f)];
  if (bytes.length >= 0x7f) {
    let rest = bytes.length - 0x7f;
    for (; rest >= 0x80; rest >>= 7) length.push((rest & 0x7f) | 0x80);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}

/** How many bytes of fields a sender may have us remember: what both sides begin with (§4.2). */
const maxTableBytes = 4_096;
/** What a remembered field counts beside its bytes (§4.1). */
const entryBytes = 32;

/** Reads the header blocks of one connection, in their order. */
export class HeaderDecoder {
  /** The newest field first. */
  #remembered: HeaderField[] = [];
  #size = 0;
  #limit = maxTableBytes;

  /** @throws Http2Error, since every later block of the connection would be understood wrongly */
  decode(block: Uint8Array): HeaderField[] {
    const found: HeaderField[] = [];
    const reader = new BlockReader(block);
    while (!reader.isAtEnd()) {
      const first = reader.peek();
      if (first & 0x80) found.push(this.#field(reader.number(7)));
      else if (first & 0x40) {
        const field = this.#literal(reader, 6);
        this.#remember(field);
        found.push(field);
      } else if (first & 0x20) {
        if (found.length > 0)
          throw new Http2Error(errorCode.compression, "A new size of the table comes after a field.");
        this.#resize(reader.number(5));
      } else found.push(this.#literal(reader, 4));
    }
    return found;
  }

  #field(index: number): HeaderField {
    const field = staticTable[index - 1] ?? this.#remembered[index - 1 - staticTable.length];
    if (index === 0 || !field) throw new Http2Error(errorCode.compression, `There is no field ${index}.`);
    return field;
  }

  #literal(reader: BlockReader, bits: number): HeaderField {
    const index = reader.number(bits);
    const name = index === 0 ? reader.text() : this.#field(index)[0];
    return [name, reader.text()];
  }

  #remember(field: HeaderField): void {
    this.#remembered.unshift(field);
    this.#size += sizeIn(field);
    this.#evict();
  }

  #resize(limit: number): void {
    if (limit > maxTableBytes)
      throw new Http2Error(errorCode.compression, `A table of ${limit} bytes is larger than allowed.`);
    this.#limit = limit;
    this.#evict();
  }

  #evict(): void {
    while (this.#size > this.#limit) {
      const oldest = this.#remembered.pop();
      if (oldest) this.#size -= sizeIn(oldest);
    }
  }
}

function sizeIn([name, value]: HeaderField): number {
  return name.length + value.length + entryBytes;
}

class BlockReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  peek(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Http2Error(errorCode.compression, "A header block is cut short.");
    return byte;
  }

  /** In the last bits of a byte; if they are all set, the rest follows, seven bits a byte, the lowest first (§5.1). */
  number(bits: number): number {
    const full = 2 ** bits - 1;
    let value = this.#byte() & full;
    if (value < full) return value;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new Http2Error(errorCode.compression, "A number in a header block is too large.");
  }

  text(): string {
    const isCoded = (this.peek() & 0x80) !== 0;
    const length = this.number(7);
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new Http2Error(errorCode.compression, "A header block is cut short.");
    this.#at += length;
    return isCoded ? decodeHuffman(bytes) : Buffer.from(bytes).toString("latin1");
  }

  #byte(): number {
    const byte = this.peek();
    this.#at += 1;
    return byte;
  }
}

/**
 * The number of bits of each byte's code, and of the end (appendix B), in base 36. The code is canonical: codes of one
 * length follow each other in the order of their bytes, and a longer one begins where the shorter ones end.
 */
const codeBits = [
  "dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca",
  "d67777777777777777777777878djde6f56565666577666567655677777fbeds",
  "kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn",
  "qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq",
  "u",
].join("");

let codes: ReadonlyMap<number, number> | undefined;

/** Bytes by their code, with a 1 before it that keeps its leading zeros. */
function codesByBits(): ReadonlyMap<number, number> {
  const lengths = [...codeBits].map((digit) => Number.parseInt(digit, 36));
  const ordered = lengths
    .map((bits, byte) => ({ bits, byte }))
    .sort((a, b) => a.bits - b.bits || a.byte - b.byte);
  const all = new Map<number, number>();
  let code = 0;
  let before = 0;
  for (const { bits, byte } of ordered) {
    code *= 2 ** (bits - before);
    before = bits;
    all.set(2 ** bits + code, byte);
    code += 1;
  }
  return all;
}

const endOfText = 256;
const longestCode = 30;

function decodeHuffman(bytes: Uint8Array): string {
  codes ??= codesByBits();
  const text: number[] = [];
  let code = 1;
  let bits = 0;
  for (const byte of bytes)
    for (let bit = 7; bit >= 0; bit -= 1) {
      code = code * 2 + ((byte >> bit) & 1);
      bits += 1;
      const found = codes.get(code);
      if (found === endOfText || (found === undefined && bits >= longestCode))
        throw new Http2Error(errorCode.compression, "A text in a header block is not in the Huffman code.");
      if (found === undefined) continue;
      text.push(found);
      code = 1;
      bits = 0;
    }
  // What is left is the beginning of the code for the end: ones, and fewer than eight.
  if (bits > 7 || code !== 2 ** (bits + 1) - 1)
    throw new Http2Error(errorCode.compression, "A text in a header block ends within a code.");
  return Buffer.from(text).toString("latin1");
}
