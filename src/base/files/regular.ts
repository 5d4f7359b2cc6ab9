import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Reason why a file was not read. `not-regular` is a pipe, device or socket. */
type FileRefusal = "folder" | "not-regular" | "too-large";

const refusals: Readonly<Record<FileRefusal, string>> = {
  folder: "is a folder",
  "not-regular": "is not a regular file",
  "too-large": "is too large",
};

/** Error for a file whose type or size is not allowed. System errors are thrown unchanged. */
class FileRefusedError extends Error {
  override readonly name = "FileRefusedError";
  readonly code: FileRefusal;

  constructor(file: string, code: FileRefusal) {
    super(`${file} ${refusals[code]}`);
    this.code = code;
  }
}

/**
 * Flags for opening a file. Without O_NONBLOCK, opening a pipe may wait forever for a writer. The checks use the open
 * file, because the path could be replaced meanwhile.
 */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a regular file and follows symlinks. Throws FileRefusedError for other types, and for files above `maxBytes`.
 */
export async function readRegular(file: string, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  let handle: FileHandle;
  try {
    handle = await open(file, flags);
  } catch (error) {
    throw toOpenError(file, error);
  }
  try {
    assertRegular(file, await handle.stat(), maxBytes);
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
    throw toOpenError(file, error);
  }
  try {
    assertRegular(file, fstatSync(descriptor), maxBytes);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function assertRegular(file: string, facts: Stats, maxBytes: number): void {
  if (facts.isDirectory()) throw new FileRefusedError(file, "folder");
  if (!facts.isFile()) throw new FileRefusedError(file, "not-regular");
  if (facts.size > maxBytes) throw new FileRefusedError(file, "too-large");
}

/** Converts ENXIO, the error for opening a socket, to a FileRefusedError. */
function toOpenError(file: string, error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code === "ENXIO"
    ? new FileRefusedError(file, "not-regular")
    : error;
}
