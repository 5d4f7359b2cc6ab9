import { ValueError } from "./value-error.js";

/** What stands next in the bytes. Of arrays and maps only the length: their parts follow. */
export type Token =
  | { readonly kind: "nil" }
  | { readonly kind: "bool"; readonly bool: boolean }
  | { readonly kind: "int"; readonly int: bigint }
  | { readonly kind: "float"; readonly float: number }
  | { readonly kind: "text"; readonly bytes: Uint8Array }
  | { readonly kind: "binary"; readonly bytes: Uint8Array }
  | { readonly kind: "array"; readonly length: number }
  | { readonly kind: "map"; readonly length: number }
  | { readonly kind: "extension"; readonly type: number };

/** Reads tokens one after the other. */
export interface Tokens {
  next(): Token;
  /** Whether all has been read. */
  ended(): boolean;
}

/** The tokens of a packed value. `next` throws a ValueError where the bytes end early. */
export function readTokens(bytes: Uint8Array): Tokens {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;

  /** Steps over `count` bytes and says where they begin. */
  function skip(count: number): number {
    if (count > bytes.length - at) throw new ValueError("the bytes of a value end too early");
    at += count;
    return at - count;
  }

  function unsigned(size: 1 | 2 | 4): number {
    const from = skip(size);
    return size === 1 ? view.getUint8(from) : size === 2 ? view.getUint16(from) : view.getUint32(from);
  }

  function taken(count: number): Uint8Array {
    const from = skip(count);
    return bytes.subarray(from, at);
  }

  function extension(size: number): Token {
    const type = view.getInt8(skip(1));
    skip(size);
    return { kind: "extension", type };
  }

  /** An array or map that says it is longer than all bytes left is refused before anything is made for it. */
  function parts(kind: "array" | "map", length: number): Token {
    if (length > bytes.length - at) throw new ValueError("the bytes of a value end too early");
    return { kind, length };
  }

  const int = (value: number): Token => ({ kind: "int", int: BigInt(value) });
  const text = (size: number): Token => ({ kind: "text", bytes: taken(size) });
  const binary = (size: number): Token => ({ kind: "binary", bytes: taken(size) });

  function next(): Token {
    const head = unsigned(1);
    if (head <= 0x7f) return int(head);
    if (head <= 0x8f) return parts("map", head & 0x0f);
    if (head <= 0x9f) return parts("array", head & 0x0f);
    if (head <= 0xbf) return text(head & 0x1f);
    if (head >= 0xe0) return int(head - 0x100);
    switch (head) {
      case 0xc0:
        return { kind: "nil" };
      case 0xc2:
        return { kind: "bool", bool: false };
      case 0xc3:
        return { kind: "bool", bool: true };
      case 0xc4:
        return binary(unsigned(1));
      case 0xc5:
        return binary(unsigned(2));
      case 0xc6:
        return binary(unsigned(4));
      case 0xc7:
        return extension(unsigned(1));
      case 0xc8:
        return extension(unsigned(2));
      case 0xc9:
        return extension(unsigned(4));
      case 0xca:
        return { kind: "float", float: view.getFloat32(skip(4)) };
      case 0xcb:
        return { kind: "float", float: view.getFloat64(skip(8)) };
      case 0xcc:
        return int(unsigned(1));
      case 0xcd:
        return int(unsigned(2));
      case 0xce:
        return int(unsigned(4));
      case 0xcf:
        return { kind: "int", int: view.getBigUint64(skip(8)) };
      case 0xd0:
        return int(view.getInt8(skip(1)));
      case 0xd1:
        return int(view.getInt16(skip(2)));
      case 0xd2:
        return int(view.getInt32(skip(4)));
      case 0xd3:
        return { kind: "int", int: view.getBigInt64(skip(8)) };
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return extension(2 ** (head - 0xd4));
      case 0xd9:
        return text(unsigned(1));
      case 0xda:
        return text(unsigned(2));
      case 0xdb:
        return text(unsigned(4));
      case 0xdc:
        return parts("array", unsigned(2));
      case 0xdd:
        return parts("array", unsigned(4));
      case 0xde:
        return parts("map", unsigned(2));
      case 0xdf:
        return parts("map", unsigned(4));
      default: // 0xc1, which stands for nothing
        throw new ValueError("the bytes are no value");
    }
  }

  return { next, ended: () => at === bytes.length };
}
