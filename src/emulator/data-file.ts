import { randomUUID } from "node:crypto";
import { chmod, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import type * as z from "zod";
import { type Dataset, datasetSchema } from "./dataset.js";
import { EmulatorInputError } from "./input-error.js";
import { integer, joinProblems, readAs, strictObject } from "./shape.js";

/** The data of the account, kept in a file between runs. Without secret values. */
export interface DataFile {
  /** The content of the file; undefined if there was none. */
  world: Dataset | undefined;
  /** The port that the last run listened on. */
  port: number | undefined;
  /** Schedules a write; changes in quick succession are written once. */
  save(world: Dataset): void;
  /** Remembers the port for the next run; it is written with the data. */
  listensOn(port: number): void;
  /** Waits until everything is written. Throws the error of a failed write. */
  flush(): Promise<void>;
}

/** Throws EmulatorInputError for an invalid file. */
export async function openDataFile(path: string): Promise<DataFile> {
  let unsaved: Dataset | undefined;
  let writing: Promise<void> | undefined;
  const known = await load(path);
  let port = known?.port;
  const writeAll = async () => {
    while (unsaved) {
      // One turn of the event loop later, so that a burst of changes is one write.
      await new Promise(setImmediate);
      const main = unsaved;
      unsaved = undefined;
      await replaceFile(path, JSON.stringify({ version: 1, port, worlds: { main } }));
    }
  };
  return {
    world: known?.worlds.main,
    port,
    listensOn(now) {
      port = now;
    },
    save(world) {
      unsaved = world;
      writing ??= writeAll().finally(() => {
        writing = undefined;
      });
      // flush reports it; without a listener it would end the process first.
      writing.catch(() => {
        unsaved ??= world;
      });
    },
    async flush() {
      await writing?.catch(() => {});
      // A failed write is repeated once, and this time its error is reported.
      if (unsaved) await writeAll();
    },
  };
}

/** Readers see the old file or the new one, never a partial one. */
async function replaceFile(path: string, content: string): Promise<void> {
  const permissions = (await stat(path).catch(() => undefined))?.mode;
  // A random name, so that nobody can put a link there in advance; an existing file is an error.
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

async function load(path: string): Promise<z.infer<typeof fileSchema> | undefined> {
  const content = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new EmulatorInputError("data file", `${path} cannot be read: ${error.message}`, { cause: error });
  });
  if (content === undefined) return undefined;
  const read = readAs(fileSchema, parseJson(path, content));
  if ("value" in read) return read.value;
  throw new EmulatorInputError(
    "data file",
    `${path} is damaged or not a data file of the emulator: ${joinProblems(read.problems)}`,
  );
}

const fileSchema = strictObject({
  version: integer(1, 1),
  port: integer(1, 65_535).optional(),
  worlds: strictObject({ main: datasetSchema }),
});

function parseJson(path: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new EmulatorInputError("data file", `${path} is not JSON`, { cause });
  }
}
