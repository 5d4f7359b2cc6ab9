import type { AllowedHosts } from "../../base/http/index.js";
import type { ObservationCache } from "./in-sync-cache.js";
import type { Holder } from "./lock-holder.js";
import type { ProcessEnvironment, ProcessStatus } from "./processes.js";

/**
 * A place for a state: a file, a git ref, an S3 object and so on. A store keeps opaque texts: the state, the journal of the
 * run in progress, and a record of each commit (the history). Their meaning, and recovery after a crash, are the same for
 * every store; see state-writer.ts and journal.ts.
 *
 * All methods throw StateError: `unreachable`, `refused`, or a system error.
 */
export interface StoreBackend {
  readonly names: StoreNames;
  /** Reads state and journal consistently, and the lock if it is visible. Never locks or writes. */
  read(): Promise<StoredTexts & { readonly lock?: ExistingLock | undefined }>;
  /** Finds the current lock at the user's request, if necessary by trying to take it. */
  findLock(requester: Holder): Promise<ExistingLock | undefined>;
  /**
   * Tries once to take the lock, and replaces the lock of a dead holder. Otherwise returns the existing lock. lock.ts waits
   * for all stores.
   */
  tryLock(mine: Holder): Promise<HeldLock | ExistingLock>;
  /** Maximum pause between two attempts. Default: 5,000. */
  readonly longestPauseMs?: number;
  /** Removes a lock at the user's request, if it has not changed since it was found. `mine` is the requester. */
  breakLock(found: ExistingLock, mine: Holder): Promise<void>;
  /** Reads the records of the commits, newest first. */
  history(): AsyncIterable<string>;
  /** Closes the store's connections. Call it once, after all other calls. */
  close?(): Promise<void>;
}

/** Names of a store and its parts in messages, without credentials. */
export interface StoreNames {
  /** The path of the file, or the URL. */
  readonly state: string;
  readonly journal: string;
  readonly lock: string;
  /** How to restore the last good state; ends a sentence. */
  readonly restore: string;
}

export interface StoredTexts {
  readonly state: string | undefined;
  readonly journal: string | undefined;
}

export interface ExistingLock {
  /** Distinguishes this lock from the next one of the same state. */
  readonly key: string;
  /** Undefined if the lock is unreadable or not yet complete. */
  readonly holder: Holder | undefined;
  /** Set if the lock is unreadable. It then counts as held, because only the user can check. */
  readonly unreadable?: UnreadableLock;
  readonly status: ProcessStatus;
  /** Differs for each write of the holder. */
  readonly version?: string | undefined;
  /**
   * Takes the lock atomically, with open writes, unless it has changed since it was found. Later appends of the holder fail,
   * so this is safe whether the holder is dead or slow. Absent in stores without that ability: files and HTTP.
   */
  takeOver?(): Promise<HeldLock | undefined>;
}

/** A lock of another version, a damaged lock, or other content in its place. */
export interface UnreadableLock {
  /** Its content, which is untrusted. */
  readonly text: string;
  /** Whether it is a git branch, which is never removed. */
  readonly isBranch?: boolean | undefined;
}

/** Stands for a lock that was just released or has no holder yet, so that the next attempt may succeed. */
export const unsettledLock: ExistingLock = { key: "", holder: undefined, status: "alive" };

/** The lock of a state that we hold, which permits writes. */
export interface HeldLock {
  /** Whether an append is a disk write and not a request, so that the journal gets each outcome immediately. */
  readonly isLocal?: true;
  /** Reads state and journal. Must be the first call, because later writes are compared with it. */
  read(): Promise<StoredTexts>;
  /**
   * Appends whole lines to the journal. Once it resolves, they are durable and the lock was still ours. The first line of
   * a new journal is its header.
   *
   * @throws StateError `lock-lost`, `conflict`: nothing must be sent.
   */
  append(lines: string): Promise<void>;
  /**
   * Stores the record, replaces the state (undefined: keeps it) and removes the journal, atomically or in this order. A
   * crash in between loses nothing, because the state names the journal that it contains. Finds out what arrived after a
   * lost response.
   *
   * @throws StateError `lock-lost`; `conflict` if another program wrote.
   */
  commit(next: NextTexts): Promise<CommitResult>;
  /**
   * Checks in the store that the lock is still ours.
   *
   * @throws StateError `lock-lost`, `unreachable`
   */
  check(): Promise<void>;
  /**
   * Appends lines to the journal after the lock was lost, unless another run holds the lock or took the journal. Returns
   * whether it did. Absent in stores that cannot do so safely.
   */
  appendUnlocked?(lines: string): Promise<boolean>;
  /** Releases the lock; the journal stays. */
  release(): Promise<void>;
}

export function isHeldLock(found: HeldLock | ExistingLock): found is HeldLock {
  return "release" in found;
}

export interface CommitResult {
  /** Reason why the record is missing, although the state was replaced. */
  readonly recordError?: Error;
}

export interface NextTexts {
  readonly state?: string | undefined;
  readonly record?: string | undefined;
}

export interface StoreEnvironment extends ProcessEnvironment {
  /** The project folder; absolute. A state in a file must stay in it, even through symlinks. Default: any folder. */
  readonly root?: string;
  /** Whether project code may run. If not, no package is loaded from the project. */
  readonly allowCode: boolean;
  /** Returns whether a project file, by its absolute path, is trusted. Default: all are. */
  readonly isOfBase?: ((file: string) => Promise<boolean>) | undefined;
  /** Variables with addresses and credentials of a store. Default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Hosts to which a location may send these credentials. Default: any. */
  readonly hosts?: AllowedHosts | undefined;
  /** How long to retry a store that does not respond. Default: 30,000. */
  readonly patienceMs?: number | undefined;
  /** Called once retries start to show an outage, with the maximum retry time. */
  readonly onOutage?: (patienceMs: number) => void;
  /** Shortens the retry time when it aborts. */
  readonly signal?: AbortSignal;
  /** Replaces the stores in a simulator. */
  readonly openBackend?:
    | ((location: string, environment: StoreEnvironment) => Promise<StoreBackend>)
    | undefined;
  /** Default: none. */
  readonly cache?: ObservationCache | undefined;
}
