import type { CommitFacts } from "./history-record.js";
import { noCache } from "./in-sync-cache.js";
import { openLease } from "./lease.js";
import { load } from "./load.js";
import { breakLock, type LockOptions, releaseHeldLock, takeLock, type UnlockOptions } from "./lock.js";
import type { Holder } from "./lock-holder.js";
import { openBackend } from "./open-backend.js";
import { readStart } from "./processes.js";
import { assertSameProject, completeProject } from "./project-identity.js";
import type { State } from "./state.js";
import { translateErrors } from "./state-error.js";
import { openWriter, type StateWriter } from "./state-writer.js";
import type { FoundLock, HeldLock, StoreBackend, StoreEnvironment } from "./store-backend.js";

/** A state, wherever it is kept. Errors of the store and invalid texts are thrown as StateError. */
export interface Store {
  /** The absolute path of a file, or a URL. */
  readonly location: string;
  /** The state with the journal applied; undefined if there is neither. Never writes, and needs no lock. */
  read(): Promise<Snapshot | undefined>;
  /** Takes the lock, creates the folder if needed, and completes what an interrupted run left. */
  lock(options: LockOptions): Promise<StateWriter>;
  /** Removes the lock, unless its holder is known to be alive or it cannot be read; returns the holder. */
  unlock(options?: UnlockOptions): Promise<Holder | undefined>;
  /** The records of the commits, newest first: see {@link decodeRecord}. */
  history(): AsyncIterable<string>;
}

/** A state as read at one moment. */
export interface Snapshot {
  readonly state: State;
  /** A run did not end: its journal exists, and nobody is known to be writing it. */
  readonly interrupted: boolean;
  /** Who is writing now, or may be. */
  readonly lockedBy?: Holder | undefined;
  /** The name of the lock if it cannot be read: it may be held, and its journal is not in the state. */
  readonly unreadableLock?: string | undefined;
}

/** The store at a location, an absolute path or a URL; does nothing before the first call. */
export function openStore(location: string, environment: StoreEnvironment): Store {
  return {
    location,
    read: () =>
      translateErrors("read", location, () =>
        withBackend(location, environment, (store) => readStore(store, environment)),
      ),
    lock: (options) => translateErrors("write", location, () => lockStore(location, environment, options)),
    unlock: (options = {}) =>
      translateErrors("write", location, () =>
        withBackend(location, environment, (store) =>
          breakLock(store, newHolder(environment, { command: "avatarops state unlock" }), options),
        ),
      ),
    async *history() {
      const store = await openBackend(location, environment);
      try {
        yield* store.history();
      } finally {
        await store.close?.();
      }
    },
  };
}

/** A state given as text, e.g. as it is in a commit, "" if there is none: it can be read only. */
export function openFixedStore(location: string, text: string): Store {
  const names = {
    ...{ state: location, journal: location, lock: location },
    restore: "restore an earlier version of it",
  };
  const readOnly = async (): Promise<never> => {
    throw new Error(`Bug: ${location} can be read only`);
  };
  return {
    ...{ location, lock: readOnly, unlock: readOnly },
    async read() {
      const { draft } = await load(names, async () => ({ state: text || undefined, journal: undefined }));
      return draft && { state: draft, interrupted: false };
    },
    async *history() {},
  };
}

/** Opens a state store for as long as `work` takes. */
export async function withBackend<Result>(
  location: string,
  environment: StoreEnvironment,
  work: (store: StoreBackend) => Promise<Result>,
): Promise<Result> {
  const store = await openBackend(location, environment);
  try {
    return await work(store);
  } finally {
    await store.close?.();
  }
}

async function readStore(store: StoreBackend, environment: StoreEnvironment): Promise<Snapshot | undefined> {
  const seen: { lock?: FoundLock | undefined } = {};
  const { draft, journal } = await load(store.names, async () => {
    const { lock, ...texts } = await store.read();
    seen.lock = lock;
    return texts;
  });
  if (!draft) return undefined;
  await environment.cache?.recall(draft);
  const { lock } = seen;
  const held = lock !== undefined && lock.status !== "dead";
  const interrupted = journal !== undefined && !held;
  const unreadableLock = lock?.unreadable && store.names.lock;
  return { state: draft, interrupted, lockedBy: held ? lock.holder : undefined, unreadableLock };
}

async function lockStore(
  location: string,
  environment: StoreEnvironment,
  options: LockOptions,
): Promise<StateWriter> {
  const store = await openBackend(location, environment);
  let taken: HeldLock | undefined;
  const release = async (isRecorded: boolean) => {
    try {
      if (taken) await releaseHeldLock(taken, options, isRecorded);
    } finally {
      await store.close?.();
    }
  };
  try {
    taken = await takeLock(store, newHolder(environment, options), options, environment.system);
    const hold = openLease(taken, store.names.state, environment.system);
    const { cache = noCache } = environment;
    const loaded = await load(store.names, () => hold.read());
    const recorded = loaded.draft?.project;
    const current = await options.project?.(recorded);
    // Before the writer completes an interrupted run: nothing is written to another project's state.
    assertSameProject(location, recorded, current);
    const project = current && completeProject(recorded, current);
    if (loaded.draft) await cache.recall(loaded.draft);
    const facts = () => collectFacts(environment, options);
    return await openWriter(
      {
        ...{ hold, names: store.names, cache, system: environment.system, project, facts, release },
        onRecordMissing: options.onRecordMissing,
      },
      loaded,
    );
  } catch (error) {
    await release(true).catch(() => undefined);
    throw error;
  }
}

/** What is recorded must not depend on whether everything about it can be found out. */
async function collectFacts(
  { host }: StoreEnvironment,
  { command, facts }: LockOptions,
): Promise<CommitFacts> {
  const known = await facts?.().catch(() => undefined);
  return known ?? { command, by: { host } };
}

/** This process, as the holder of a lock. */
export function newHolder(
  environment: StoreEnvironment,
  { command, requestTimeoutMs }: Pick<LockOptions, "command" | "requestTimeoutMs">,
): Holder {
  const { system, pid, host, bootId, pidNamespace, machineId } = environment;
  const startedAt = (environment.readStart ?? readStart)(pid);
  const since = new Date(system.now()).toISOString();
  const facts = Object.entries({ bootId, pidNamespace, machineId, startedAt, requestTimeoutMs });
  const known = Object.fromEntries(facts.filter(([, value]) => value !== undefined));
  return { id: system.newId(), pid, host, ...known, since, command };
}
