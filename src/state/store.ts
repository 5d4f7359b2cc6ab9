import { makeFolder } from "./disk.js";
import { load } from "./load.js";
import { breakLock, type LockOptions, takeLock } from "./lock.js";
import { type LockEnvironment, look, release } from "./lock-file.js";
import type { Holder } from "./lock-holder.js";
import { locate } from "./paths.js";
import { startOf } from "./processes.js";
import { openSession, type Session } from "./session.js";
import type { State } from "./state.js";
import { translating } from "./state-error.js";

/** What a store needs from its machine. */
export interface StoreEnvironment extends LockEnvironment {
  /** The folder that the state must stay in, even through links; absolute. Default: any. */
  readonly root?: string;
  /** A new UUID for every call. */
  readonly newId: () => string;
}

/** A state in a file. File system errors and invalid files are thrown as StateError. */
export interface Store {
  readonly file: string;
  /** The state with the journal applied; undefined if there is neither. Never writes, and needs no lock. */
  read(): Promise<Snapshot | undefined>;
  /** Takes the lock, creates the folder if needed, and completes what an interrupted run left. */
  lock(options: LockOptions): Promise<Session>;
  /** Removes the lock, unless its holder is known to be alive and `force` is not set; returns the holder. */
  unlock(options?: { readonly force?: boolean }): Promise<Holder | undefined>;
}

/** A state as read at one moment. */
export interface Snapshot {
  readonly state: State;
  /** A run did not end: its journal exists, and nobody is known to be writing it. */
  readonly interrupted: boolean;
  /** Who is writing now, or may be. */
  readonly lockedBy?: Holder;
}

/** The store of a state file, given by its absolute path; does nothing before the first call. */
export function openStore(file: string, world: StoreEnvironment): Store {
  return {
    file,
    read: () => translating("read", file, () => readStore(file, world)),
    lock: (options) => translating("write", file, () => lockStore(file, world, options)),
    unlock: ({ force = false } = {}) => translating("write", file, () => unlockStore(file, world, force)),
  };
}

async function readStore(file: string, world: StoreEnvironment): Promise<Snapshot | undefined> {
  const paths = await locate(file, world.root);
  const { draft, journal } = await load(paths);
  if (!draft) return undefined;
  const lock = await look(paths.lock, world);
  const held = lock !== undefined && lock.standing !== "dead";
  const interrupted = journal !== undefined && !held;
  return { state: draft, interrupted, ...(held && lock.holder ? { lockedBy: lock.holder } : {}) };
}

async function unlockStore(
  file: string,
  world: StoreEnvironment,
  force: boolean,
): Promise<Holder | undefined> {
  const { lock } = await locate(file, world.root);
  return breakLock(lock, holderOf(world, "avatarops state unlock"), force, world);
}

async function lockStore(file: string, world: StoreEnvironment, options: LockOptions): Promise<Session> {
  const paths = await locate(file, world.root);
  await makeFolder(paths);
  const mine = holderOf(world, options.command);
  await takeLock(paths.lock, mine, options, world);
  try {
    return await openSession({ paths, lockId: mine.id, newId: world.newId }, await load(paths));
  } catch (error) {
    await release(paths.lock, mine.id).catch(() => undefined);
    throw error;
  }
}

function holderOf(world: StoreEnvironment, command: string): Holder {
  const startedAt = (world.startOf ?? startOf)(world.pid);
  return {
    id: world.newId(),
    pid: world.pid,
    host: world.host,
    ...(world.bootId === undefined ? {} : { bootId: world.bootId }),
    ...(startedAt === undefined ? {} : { startedAt }),
    since: new Date(world.now()).toISOString(),
    command,
  };
}
