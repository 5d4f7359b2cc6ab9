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
export function openStore(file: string, environment: StoreEnvironment): Store {
  return {
    file,
    read: () => translating("read", file, () => readStore(file, environment)),
    lock: (options) => translating("write", file, () => lockStore(file, environment, options)),
    unlock: ({ force = false } = {}) =>
      translating("write", file, () => unlockStore(file, environment, force)),
  };
}

async function readStore(file: string, environment: StoreEnvironment): Promise<Snapshot | undefined> {
  const paths = await locate(file, environment.root);
  const { draft, journal } = await load(paths);
  if (!draft) return undefined;
  const lock = await look(paths.lock, environment);
  const held = lock !== undefined && lock.status !== "dead";
  const interrupted = journal !== undefined && !held;
  return { state: draft, interrupted, ...(held && lock.holder ? { lockedBy: lock.holder } : {}) };
}

async function unlockStore(
  file: string,
  environment: StoreEnvironment,
  force: boolean,
): Promise<Holder | undefined> {
  const { lock } = await locate(file, environment.root);
  return breakLock(lock, holderOf(environment, "avatarops state unlock"), force, environment);
}

async function lockStore(
  file: string,
  environment: StoreEnvironment,
  options: LockOptions,
): Promise<Session> {
  const paths = await locate(file, environment.root);
  await makeFolder(paths);
  const mine = holderOf(environment, options.command);
  await takeLock(paths.lock, mine, options, environment);
  try {
    return await openSession({ paths, lockId: mine.id, newId: environment.newId }, await load(paths));
  } catch (error) {
    await release(paths.lock, mine.id).catch(() => undefined);
    throw error;
  }
}

function holderOf(environment: StoreEnvironment, command: string): Holder {
  const startedAt = (environment.startOf ?? startOf)(environment.pid);
  return {
    id: environment.newId(),
    pid: environment.pid,
    host: environment.host,
    ...(environment.bootId === undefined ? {} : { bootId: environment.bootId }),
    ...(startedAt === undefined ? {} : { startedAt }),
    since: new Date(environment.now()).toISOString(),
    command,
  };
}
