import { randomUUID } from "node:crypto";
import { chmod, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { type Dataset, datasetShape } from "./dataset.js";

import { EmulatorInputError } from "./input-error.js";
import { dictionary, integer, readAs, sentenceOf, strictRecord } from "./shape.js";

/** The worlds by account name, kept in a file across runs. Secret values are not in it. */
export interface DataFile {
  /** What the file had in it; undefined if there was none. */
  worlds: Record<string, Dataset> | undefined;
  /** Writes soon; changes that follow one another closely are written once. */
  save(worlds: Record<string, Dataset>): void;
  /** Waits until all is written. Throws what kept it from being written. */
  flush(): Promise<void>;
}

/** Throws EmulatorInputError for a file that is not one of these. */
export async function openDataFile(path: string): Promise<DataFile> {
  let unsaved: Record<string, Dataset> | undefined;
  let writing: Promise<void> | undefined;
  const writeAll = async () => {
    while (unsaved) {
      // One turn of the event loop later, so that a burst of changes is one write.
      await new Promise(setImmediate);
      const worlds = unsaved;
      unsaved = undefined;
      await replaceFile(path, JSON.stringify({ version: 1, worlds }));
    }
  };
  return {
    worlds: await load(path),
    save(worlds) {
      unsaved = worlds;
      writing ??= writeAll().finally(() => {
        writing = undefined;
      });
      // Told by flush; without a listener it would end the process first.
      writing.catch(() => {
        unsaved ??= worlds;
      });
    },
    async flush() {
      await writing?.catch(() => {});
      // What could not be written before is tried once more, and this time its error is told.
      if (unsaved) await writeAll();
    },
  };
}

/** A reader sees the old file or the new one, never half of one. */
async function replaceFile(path: string, content: string): Promise<void> {
  const permissions = (await stat(path).catch(() => undefined))?.mode;
  // Nobody can foresee the name, and put a link there; what has it already is an error.
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, content, { flag: "wx" });
    if (permissions !== undefined) await chmod(temporary, permissions & 0o777);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function load(path: string): Promise<DataFile["worlds"]> {
  const content = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new EmulatorInputError("data file", `${path} cannot be read: ${error.message}`, { cause: error });
  });
  if (content === undefined) return undefined;
  const read = readAs(fileShape, jsonOf(path, content));
  if ("value" in read) return read.value.worlds;
  throw new EmulatorInputError(
    "data file",
    `${path} is damaged or not the emulator's: ${sentenceOf(read.problems)}`,
  );
}

const fileShape = strictRecord(
  { version: integer(1, 1), worlds: dictionary(datasetShape) },
  "version",
  "worlds",
);

function jsonOf(path: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new EmulatorInputError("data file", `${path} is not JSON`, { cause });
  }
}
