import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { toFileError, translateErrors } from "../state-error.js";
import { errorCode } from "./paths.js";

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR } = constants;
/** A checkout may have put a link or a pipe in the place of the file. */
const asFile = O_NOFOLLOW | O_NONBLOCK;

/** Adds a line to the end of a file, durably. The rest of a line that a crash cut off becomes a line of its own. */
export async function appendLine(file: string, line: string): Promise<void> {
  await translateErrors("write", file, async () => {
    const handle = await open(file, O_RDWR | O_APPEND | O_CREAT | asFile, 0o600);
    try {
      const size = await readSize(handle);
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
      const isCut = bytesRead > 0 && buffer[0] !== 10;
      await handle.appendFile(`${isCut ? "\n" : ""}${line}\n`);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  });
}

/**
 * The lines of a file from the last to the first; none if there is no file. A last line without a line end is left out:
 * writing it did not end.
 */
export async function* linesFromEnd(file: string): AsyncGenerator<string> {
  const bytes = await readIfThere(file);
  for (let end = bytes.lastIndexOf(10); end !== -1; ) {
    // Counted from the end of the bytes, -1 would be the last of them.
    const before = end === 0 ? -1 : bytes.lastIndexOf(10, end - 1);
    yield bytes.toString("utf8", before + 1, end);
    end = before;
  }
}

async function readIfThere(file: string): Promise<Buffer> {
  try {
    const handle = await open(file, O_RDONLY | asFile);
    try {
      await readSize(handle);
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return Buffer.alloc(0);
    throw toFileError(error, "read", file);
  }
}

async function readSize(handle: FileHandle): Promise<number> {
  const facts = await handle.stat();
  if (!facts.isFile()) throw Object.assign(new Error(), { code: "not-regular" });
  return facts.size;
}
