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

/** What a store needs of the machine it runs on. */
export interface StoreEnvironment extends LockEnvironment {
  /** The folder the state must stay in, wherever links lead; absolute. Default: it may be anywhere. */
  readonly root?: string;
  /** A new UUID at every call. */
  readonly newId: () => string;
}

/** A state kept in a file. All it throws of the file system and of wrong files is a StateError. */
export interface Store {
  readonly file: string;
  /** The state with the journal folded in; undefined where there is neither. Never writes, and needs no lock. */
  read(): Promise<Snapshot | undefined>;
  /** Takes the lock, making the folder if there is none, and ends what an interrupted run left. */
  lock(options: LockOptions): Promise<Session>;
  /** Removes the lock, unless its holder is seen alive and `force` is not set; the holder there was. */
  unlock(options?: { readonly force?: boolean }): Promise<Holder | undefined>;
}

/** A state as read at one moment. */
export interface Snapshot {
  readonly state: State;
  /** A run did not end: its journal is there, and nobody who might still be writing it. */
  readonly interrupted: boolean;
  /** Who is writing now, or may be. */
  readonly lockedBy?: Holder;
}

/** The store of a state file, given by its absolute path; nothing is touched before the first call. */
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
