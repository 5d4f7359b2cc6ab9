import { createHash } from "node:crypto";

/** macOS code signature. */
export interface Signature {
  readonly identifier: string;
  /** Whether the signature has no certificate. */
  readonly isAdHoc: boolean;
  /** Number of pages that differ from the signed pages. Must be 0 for the program to start. */
  readonly wrongPages: number;
  readonly pages: number;
}

/** Reads the signature of a 64-bit Mach-O file (Apple's `cs_blobs.h`). Returns undefined if the file is unsigned. */
export function readSignature(program: Buffer): Signature | undefined {
  const command = findCommandOffset(program, 0x1d);
  if (command === undefined) return undefined;
  const blob = program.subarray(program.readUInt32LE(command + 8));
  if (blob.readUInt32BE(0) !== 0xfade0cc0) return undefined;
  const slots = Array.from({ length: blob.readUInt32BE(8) }, (_, index) => 12 + index * 8);
  const slot = slots.find((at) => blob.readUInt32BE(at) === 0);
  if (slot === undefined) return undefined;
  const directory = blob.subarray(blob.readUInt32BE(slot + 4));
  const [hashes, identifier] = [directory.readUInt32BE(16), directory.readUInt32BE(20)];
  const [pages, limit] = [directory.readUInt32BE(28), directory.readUInt32BE(32)];
  const [size, type, pageSize] = [directory[36] ?? 0, directory[37], 1 << (directory[39] ?? 0)];
  if (directory.readUInt32BE(0) !== 0xfade0c02 || type !== 2) return undefined;
  const wrong = Array.from({ length: pages }, (_, page) => {
    const text = program.subarray(page * pageSize, Math.min((page + 1) * pageSize, limit));
    const signed = directory.subarray(hashes + page * size, hashes + (page + 1) * size);
    return createHash("sha256").update(text).digest().equals(signed) ? 0 : 1;
  });
  return {
    identifier: directory.toString("latin1", identifier, directory.indexOf(0, identifier)),
    isAdHoc: (directory.readUInt32BE(12) & 2) !== 0,
    wrongPages: wrong.reduce<number>((sum, one) => sum + one, 0),
    pages: pages === Math.ceil(limit / pageSize) ? pages : 0,
  };
}

/** Returns the offset of the first load command of a given type. */
function findCommandOffset(program: Buffer, type: number): number | undefined {
  let at = 32;
  for (let left = program.readUInt32LE(16); left > 0; left -= 1) {
    if (program.readUInt32LE(at) === type) return at;
    at += program.readUInt32LE(at + 4);
  }
  return undefined;
}
