import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { toFileError, translateErrors } from "../state-error.js";

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR } = constants;
/** Flags that reject symlinks and pipes, which a checkout may contain instead of the file. */
const fileOnly = O_NOFOLLOW | O_NONBLOCK;

/** Appends a line durably. Starts a new line even if a crash cut off the last one. */
export async function appendLine(file: string, line: string): Promise<void> {
  await translateErrors("write", file, async () => {
    const handle = await open(file, O_RDWR | O_APPEND | O_CREAT | fileOnly, 0o600);
    try {
      const size = await readSize(handle);
      const last = size === 0 ? "\n" : (await readAt(handle, size - 1, 1)).toString("latin1");
      await handle.appendFile(`${last === "\n" ? "" : "\n"}${line}\n`);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  });
}

const chunkSize = 64 * 1024;

/**
 * Reads a file's lines in chunks, from the last to the first. Yields nothing if the file does not exist. Skips an
 * incomplete last line.
 */
export async function* readLinesFromEnd(file: string): AsyncGenerator<string> {
  const handle = await openIfThere(file);
  if (!handle) return;
  try {
    const size = await readSize(handle);
    /** Parts of the line that starts before `at`, last part first. */
    let parts: Buffer[] = [];
    let isWhole = false;
    for (let at = size; at > 0; ) {
      const length = Math.min(chunkSize, at);
      at -= length;
      const chunk = await readAt(handle, at, length);
      let end = chunk.length;
      for (let found = chunk.lastIndexOf(10, end - 1); found !== -1; ) {
        parts.push(chunk.subarray(found + 1, end));
        if (isWhole) yield joinText(parts);
        parts = [];
        isWhole = true;
        end = found;
        found = end === 0 ? -1 : chunk.lastIndexOf(10, end - 1);
      }
      parts.push(chunk.subarray(0, end));
    }
    if (isWhole) yield joinText(parts);
  } catch (error) {
    throw toFileError(error, "read", file);
  } finally {
    await handle.close();
  }
}

function joinText(parts: readonly Buffer[]): string {
  return Buffer.concat(parts.toReversed()).toString("utf8");
}

async function openIfThere(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, O_RDONLY | fileOnly);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw toFileError(error, "read", file);
  }
}

async function readSize(handle: FileHandle): Promise<number> {
  const facts = await handle.stat();
  if (!facts.isFile()) throw Object.assign(new Error(), { code: "not-regular" });
  return facts.size;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}
