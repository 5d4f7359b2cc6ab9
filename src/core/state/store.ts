import type { CommitFacts } from "./history-record.js";
import { readStart } from "./holder-status.js";
import { noCache } from "./in-sync-cache.js";
import { openLease } from "./lease.js";
import { load } from "./load.js";
import {
  breakLock,
  findBlockingLock,
  type LockOptions,
  releaseHeldLock,
  takeLock,
  type UnlockOptions,
} from "./lock.js";
import type { Holder } from "./lock-holder.js";
import { readLostLock } from "./lost-lock.js";
import { openBackend } from "./open-backend.js";
import { assertSameProject, completeProject } from "./project-identity.js";
import type { State } from "./state.js";
import { translateErrors } from "./state-error.js";
import { openWriter, type StateWriter } from "./state-writer.js";
import type { ExistingLock, HeldLock, StoreBackend, StoreEnvironment } from "./store-backend.js";

/** State in any store. Throws a StateError for store errors and invalid content. */
export interface Store {
  /** Absolute file path, or URL. */
  readonly location: string;
  /**
   * Reads the state with the journal applied. Returns undefined if the store has no state, journal or lock. Never locks
   * or writes.
   */
  read(): Promise<Snapshot | undefined>;
  /** Takes the lock, creates the folder if needed, and completes an interrupted run. */
  lock(options: LockOptions): Promise<StateWriter>;
  /** Finds the lock that `lock` would have to wait for. Returns undefined if `lock` would succeed. */
  findBlockingLock(options: LockOptions): Promise<{ readonly holder: Holder | undefined } | undefined>;
  /** Removes the lock, unless its owner is alive or the lock is unreadable. Returns the owner. */
  unlock(options?: UnlockOptions): Promise<Holder | undefined>;
  /** Reads the commit records, newest first (see {@link decodeRecord}). */
  readHistory(): AsyncIterable<string>;
}

/** State from one consistent read. */
export interface Snapshot {
  /** Undefined if nothing is applied yet. */
  readonly state: State | undefined;
  /** Whether a run was interrupted. There is then a journal without a known writer. */
  readonly interrupted: boolean;
  /** Run that owns the lock, or may own it. */
  readonly lockedBy?: Holder | undefined;
  /** Name of an unreadable lock. Its owner may still be running, so `interrupted` is then false. */
  readonly unreadableLock?: string | undefined;
}

/** Opens the store at a location (absolute path or URL). Does nothing before the first call. */
export function openStore(location: string, environment: StoreEnvironment): Store {
  return {
    location,
    read: () =>
      translateErrors("read", location, () =>
        withBackend(location, environment, (store) => readStore(store, environment)),
      ),
    lock: (options) => translateErrors("write", location, () => lockStore(location, environment, options)),
    findBlockingLock: (options) =>
      translateErrors("read", location, () =>
        withBackend(location, environment, (store) =>
          findBlockingLock(store, createHolder(environment, options), options),
        ),
      ),
    unlock: (options = {}) =>
      translateErrors("write", location, () =>
        withBackend(location, environment, (store) =>
          breakLock(store, createHolder(environment, { command: "avatarops state unlock" }), options),
        ),
      ),
    async *readHistory() {
      const store = await openBackend(location, environment);
      try {
        yield* store.readHistory();
      } finally {
        await store.close?.();
      }
    },
  };
}

/** Opens a read-only store for a state given as text, such as from a commit. "" means no state. */
export function openFixedStore(location: string, text: string): Store {
  const names = {
    ...{ state: location, journal: location, lock: location },
    restore: "restore an earlier version",
  };
  const rejectWrite = async (): Promise<never> => {
    throw new Error(`Bug: ${location} is read-only`);
  };
  return {
    ...{ location, lock: rejectWrite, unlock: rejectWrite },
    findBlockingLock: async () => undefined,
    async read() {
      const { draft } = await load(names, async () => ({ state: text || undefined, journal: undefined }));
      return draft && { state: draft, interrupted: false };
    },
    async *readHistory() {},
  };
}

/** Opens a store for the duration of `work`. */
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
  const found: { lock?: ExistingLock | undefined } = {};
  const { draft, journal } = await load(store.names, async () => {
    const { lock, ...texts } = await store.read();
    found.lock = lock;
    return texts;
  });
  const { lock } = found;
  const isHeld = lock !== undefined && lock.status !== "dead";
  if (!draft && !isHeld) return undefined;
  if (draft) await environment.cache?.recall(draft);
  const interrupted = journal !== undefined && !isHeld;
  const unreadableLock = lock?.unreadable && store.names.lock;
  return { state: draft, interrupted, lockedBy: isHeld ? lock.holder : undefined, unreadableLock };
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
    taken = await takeLock(store, createHolder(environment, options), options, environment.system);
    const hold = openLease(taken, store.names.state, environment.system);
    const { cache = noCache } = environment;
    const loaded = await load(store.names, () => hold.read());
    const recorded = loaded.draft?.project;
    const current = await options.project?.(recorded);
    // Checked before the writer is opened, because opening it commits an interrupted run, which must not change another
    // project's state.
    assertSameProject(location, recorded, current);
    const project = current && completeProject(recorded, current);
    if (loaded.draft) await cache.recall(loaded.draft);
    const collectStoreFacts = () => collectFacts(environment, options);
    return await openWriter(
      {
        ...{
          hold,
          names: store.names,
          cache,
          system: environment.system,
          project,
          collectFacts: collectStoreFacts,
          readLostLock: (serial) => readLostLock(store, serial),
          release,
        },
        requestTimeoutMs: options.requestTimeoutMs,
        onRecordMissing: options.onRecordMissing,
      },
      loaded,
    );
  } catch (error) {
    await release(true).catch(() => undefined);
    throw error;
  }
}

/**
 * Collects the facts for a record. After an error, falls back to the command and host, so that a commit never fails.
 */
async function collectFacts(
  { host }: StoreEnvironment,
  { command, collectFacts: facts }: LockOptions,
): Promise<CommitFacts> {
  const known = await facts?.().catch(() => undefined);
  return known ?? { command, by: { host } };
}

/** Describes this process as a lock owner. */
export function createHolder(
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
