import { readFileSync, writeFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { deflateSync, Zip, type ZipInputFile } from "fflate";

/** File compressed for archives. The compression runs in JavaScript, so the bytes are the same on every machine. */
export interface Packed {
  readonly size: number;
  readonly crc: number;
  readonly data: ReturnType<typeof deflateSync>;
}

/** Compresses a file once for several archives. */
export function pack(file: string): Packed {
  const bytes = readFileSync(file);
  return { size: bytes.length, crc: crc32(bytes), data: deflateSync(bytes) };
}

/** Writes a zip file with fixed times. terraform uses the permissions in `mode`. */
export function writeZip(
  target: string,
  entries: readonly (readonly [name: string, mode: number, packed: Packed])[],
): void {
  const unix = 3;
  const regularFile = 0o100000;
  // Uses a local date, because zip times are local and fflate uses the machine's time zone.
  const mtime = new Date(2000, 0, 1);
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  for (const [filename, mode, { size, crc, data }] of entries) {
    const attrs = (regularFile | mode) << 16;
    const file: ZipInputFile = { filename, size, crc, attrs, mtime, os: unix, compression: 8 };
    zip.add(file);
    file.ondata?.(null, data, true);
  }
  zip.end();
  writeFileSync(target, Buffer.concat(chunks));
}
