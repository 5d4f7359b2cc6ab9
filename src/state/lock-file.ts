import { constants, copyFile, link, rename, rm, stat, writeFile } from "node:fs/promises";
import * as z from "zod";
import { readIfThere } from "./disk.js";
import type { Holder } from "./lock-holder.js";
import { codeOf } from "./paths.js";
import { type ProcessEnvironment, type ProcessStatus, processStatus } from "./processes.js";
import { refusalOf } from "./state-error.js";

/** A lock file as found. */
export interface Found {
  /** Tells this lock from the next one at the same path. */
  readonly key: string;
  /** Undefined while the file cannot be read. */
  readonly holder: Holder | undefined;
  readonly standing: ProcessStatus;
}

export interface LockEnvironment extends ProcessEnvironment {
  readonly now: () => number;
}

const holderShape: z.ZodType<Holder> = z.object({
  id: z.string().regex(/^[\w-]+$/),
  pid: z.int().positive(),
  host: z.string(),
  bootId: z.exactOptional(z.string()),
  startedAt: z.exactOptional(z.string()),
  since: z.string(),
  command: z.string(),
} satisfies Record<keyof Holder, z.ZodType>);

/**
 * How long an unreadable lock is respected. Ours are whole from the start where hard links exist; elsewhere, or after a
 * power failure, one may be empty because its holder is just writing it, or died while it did.
 */
const graceMs = 2_000;

/** Looks at a lock; undefined where there is none. */
export async function look(path: string, world: LockEnvironment): Promise<Found | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const holder = parseHolder(text);
  if (holder) return { key: holder.id, holder, standing: processStatus(holder, world) };
  const facts = await stat(path).catch(() => undefined);
  if (!facts) return undefined;
  const standing = world.now() - facts.mtimeMs < graceMs ? "alive" : "dead";
  return { key: `unreadable-${facts.ino}-${facts.mtimeMs}`, holder: undefined, standing };
}

/** Makes the lock ours if there is none; whether it did. */
export async function create(path: string, mine: Holder): Promise<boolean> {
  const whole = await writeWhole(path, mine);
  try {
    await linkOrCopy(whole, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw refusalOf(error, "write", path);
  } finally {
    // Our own spare file: the lock is ours or not, whatever becomes of it.
    await rm(whole, { force: true }).catch(() => undefined);
  }
}

/** Puts our lock in the place of another. Only for who has made sure that nobody else does. */
export async function replace(path: string, mine: Holder): Promise<void> {
  await rename(await writeWhole(path, mine), path);
}

/** Removes the lock if it is ours. */
export async function release(path: string, id: string): Promise<void> {
  if (await isOurs(path, id)) await rm(path, { force: true });
}

/** Whether the lock is still ours: someone may have removed it by hand. */
export async function isOurs(path: string, id: string): Promise<boolean> {
  return parseHolder((await readIfThere(path)) ?? "")?.id === id;
}

/** A file of our own with the lock's text, to be moved into place whole. */
async function writeWhole(path: string, mine: Holder): Promise<string> {
  const whole = `${path}.${mine.id}.new`;
  try {
    await writeFile(whole, `${JSON.stringify(mine)}\n`, { mode: 0o600, flag: "wx" });
    return whole;
  } catch (error) {
    await rm(whole, { force: true }).catch(() => undefined);
    throw refusalOf(error, "write", path);
  }
}

/** Both fail if `path` exists. A link is there whole at once; a copy, for file systems without links, is not. */
async function linkOrCopy(whole: string, path: string): Promise<void> {
  try {
    await link(whole, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw error;
    await copyFile(whole, path, constants.COPYFILE_EXCL);
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    return holderShape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
