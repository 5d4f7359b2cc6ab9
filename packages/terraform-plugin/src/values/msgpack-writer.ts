/** Collects packed values, one after the other. */
export interface Packer {
  nil(): void;
  bool(value: boolean): void;
  /** From -2^63 to 2^63 - 1. */
  int(value: number | bigint): void;
  text(value: string): void;
  binary(value: string): void;
  /** The head of an array: its parts follow. */
  array(length: number): void;
  /** The head of a map: its keys and values follow by turns. */
  map(length: number): void;
  /** Extension type 0 with one byte. */
  unknown(): void;
  bytes(): Uint8Array;
}

export function newPacker(): Packer {
  let buffer = Buffer.allocUnsafe(512);
  let end = 0;

  /** Makes room for `count` bytes more and says where they begin. */
  function room(count: number): number {
    const from = end;
    end += count;
    if (end > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, buffer.length * 2));
      buffer.copy(larger, 0, 0, from);
      buffer = larger;
    }
    return from;
  }

  // What `room` is asked for stands in a line of its own: it may change `buffer`.
  function byte(value: number): void {
    const at = room(1);
    buffer[at] = value;
  }

  function uint16(value: number): void {
    const at = room(2);
    buffer.writeUInt16BE(value, at);
  }

  function uint32(value: number): void {
    const at = room(4);
    buffer.writeUInt32BE(value, at);
  }

  function int64(value: bigint): void {
    const at = room(8);
    buffer.writeBigInt64BE(value, at);
  }

  function utf8(value: string, size: number): void {
    const at = room(size);
    buffer.write(value, at, "utf8");
  }

  /** A head with a length behind it, in the smallest of the sizes there are; `head8` is missing for arrays and maps. */
  function sized(length: number, head8: number | undefined, head16: number, head32: number): void {
    if (head8 !== undefined && length <= 0xff) {
      byte(head8);
      byte(length);
    } else if (length <= 0xffff) {
      byte(head16);
      uint16(length);
    } else {
      byte(head32);
      uint32(length);
    }
  }

  return {
    nil: () => byte(0xc0),
    bool: (value) => byte(value ? 0xc3 : 0xc2),
    int(value) {
      if (value >= -0x20 && value <= 0x7f) byte(Number(value) & 0xff);
      else {
        byte(0xd3);
        int64(BigInt(value));
      }
    },
    text(value) {
      const size = Buffer.byteLength(value);
      if (size < 0x20) byte(0xa0 | size);
      else sized(size, 0xd9, 0xda, 0xdb);
      utf8(value, size);
    },
    binary(value) {
      const size = Buffer.byteLength(value);
      sized(size, 0xc4, 0xc5, 0xc6);
      utf8(value, size);
    },
    array(length) {
      if (length < 0x10) byte(0x90 | length);
      else sized(length, undefined, 0xdc, 0xdd);
    },
    map(length) {
      if (length < 0x10) byte(0x80 | length);
      else sized(length, undefined, 0xde, 0xdf);
    },
    unknown() {
      byte(0xd4);
      byte(0);
      byte(0);
    },
    bytes: () => buffer.subarray(0, end),
  };
}
