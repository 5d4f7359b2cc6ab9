import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Why a file was not read: a folder; a pipe, device or socket; or too large. */
type FileRefusal = "folder" | "not-regular" | "too-large";

const refusals: Readonly<Record<FileRefusal, string>> = {
  folder: "is a folder",
  "not-regular": "is not a regular file",
  "too-large": "is too large",
};

/** The file was not read because of its type or size. Errors of the system are thrown unchanged. */
class FileRefusedError extends Error {
  override readonly name = "FileRefusedError";
  readonly code: FileRefusal;

  constructor(file: string, code: FileRefusal) {
    super(`${file} ${refusals[code]}`);
    this.code = code;
  }
}

/**
 * Without O_NONBLOCK, opening a pipe waits for a writer, possibly for ever. Checks the open file, not the
 * path, which could be replaced in between.
 */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The bytes of a regular file; follows links. Throws FileRefusedError for anything else, and above `maxBytes`. */
export async function readRegular(file: string, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  let handle: FileHandle;
  try {
    handle = await open(file, flags);
  } catch (error) {
    throw openingRefused(file, error);
  }
  try {
    refuseIrregular(file, await handle.stat(), maxBytes);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

export function readRegularSync(file: string, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  let descriptor: number;
  try {
    descriptor = openSync(file, flags);
  } catch (error) {
    throw openingRefused(file, error);
  }
  try {
    refuseIrregular(file, fstatSync(descriptor), maxBytes);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function refuseIrregular(file: string, facts: Stats, maxBytes: number): void {
  if (facts.isDirectory()) throw new FileRefusedError(file, "folder");
  if (!facts.isFile()) throw new FileRefusedError(file, "not-regular");
  if (facts.size > maxBytes) throw new FileRefusedError(file, "too-large");
}

/** A socket cannot even be opened. */
function openingRefused(file: string, error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code === "ENXIO"
    ? new FileRefusedError(file, "not-regular")
    : error;
}
