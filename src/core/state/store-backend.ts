import type { GitSettingsCache } from "../../base/git/index.js";
import type { AllowedHosts } from "../../base/http/index.js";
import type { HolderStatus, ProcessEnvironment } from "./holder-status.js";
import type { ObservationCache } from "./in-sync-cache.js";
import type { Holder } from "./lock-holder.js";

/**
 * Store of a state as opaque strings: the state, the current run's journal, and a record of each commit (the history).
 * Recovery after a crash is the same for every store (see state-writer.ts).
 *
 * @throws StateError (`unreachable`, `refused`, or a system error) in all methods.
 */
export interface StoreBackend {
  readonly names: StoreNames;
  /** Reads state and journal consistently, and also the lock if the store can show it. Never locks or writes. */
  read(): Promise<StoredTexts & { readonly lock?: ExistingLock | undefined }>;
  /** Finds the current lock at the user's request. If the store cannot show locks, tries to take it. */
  findLock(requester: Holder): Promise<ExistingLock | undefined>;
  /**
   * Tries once to take the lock, and replaces a dead owner's lock. If the attempt fails, returns the existing lock. The
   * caller waits (see lock.ts).
   */
  tryLock(mine: Holder): Promise<HeldLock | ExistingLock>;
  /** Maximum pause between two attempts (default 5,000). */
  readonly longestPauseMs?: number;
  /** Removes a lock at the user's request, if it has not changed since it was found. `mine` is the requester. */
  breakLock(found: ExistingLock, mine: Holder): Promise<void>;
  /** Reads the commit records, newest first. */
  readHistory(): AsyncIterable<string>;
  /** Closes the store's connections. Call it once, after all other calls. */
  close?(): Promise<void>;
}

/** Names of a store's parts in messages, without credentials. */
export interface StoreNames {
  /** File path, or URL. */
  readonly state: string;
  readonly journal: string;
  readonly lock: string;
  /** Instructions to restore the last good state, for the end of a sentence. */
  readonly restore: string;
}

export interface StoredTexts {
  readonly state: string | undefined;
  readonly journal: string | undefined;
}

export interface ExistingLock {
  /** Key that tells this lock apart from later locks on the same state. */
  readonly key: string;
  /** Lock owner, or undefined if the lock is unreadable or incomplete. */
  readonly holder: Holder | undefined;
  /** Content of an unreadable lock. The lock then counts as owned, because only the user can check. */
  readonly unreadable?: UnreadableLock;
  readonly status: HolderStatus;
  /** Version that changes with each write by the owner. */
  readonly version?: string | undefined;
  /**
   * Takes over the lock and journal atomically, unless the lock has changed since it was found. Appends by the earlier
   * owner fail from then on, so a takeover is safe even if that owner is only slow. Omitted in file and HTTP stores.
   */
  takeOver?(): Promise<HeldLock | undefined>;
}

/** A damaged lock, a lock from another version of avatarops, or something else with the lock's name. */
export interface UnreadableLock {
  /** Lock content (untrusted). */
  readonly text: string;
  /** Whether the content is a git branch, which is never removed. */
  readonly isBranch?: boolean | undefined;
}

/** Lock that was just released or has no owner yet. The next attempt may succeed. */
export const unsettledLock: ExistingLock = { key: "", holder: undefined, status: "alive" };

/** State lock that this run owns. It permits writes. */
export interface HeldLock {
  /** Whether an append writes to a disk instead of sending a request. Each outcome is then appended immediately. */
  readonly isLocal?: true;
  /** Reads state and journal. Must be the first call, because later writes are compared with its result. */
  read(): Promise<StoredTexts>;
  /**
   * Appends whole lines to the journal. When the promise resolves, the lines are durable and the lock was still ours.
   * The first line of a new journal is its header.
   *
   * @throws StateError `lock-lost` or `conflict`. The caller must then send nothing.
   */
  append(lines: string): Promise<void>;
  /**
   * Stores the record, replaces the state (if given) and removes the journal, atomically or in this order. After a
   * crash in between, the state's journal id shows which steps are done. After a lost response, checks the stored data.
   *
   * @throws StateError `lock-lost`, or `conflict` if another program wrote.
   */
  commit(next: NextTexts): Promise<CommitResult>;
  /**
   * Checks in the store that the lock is still ours.
   *
   * @throws StateError `lock-lost`, `unreachable`
   */
  check(): Promise<void>;
  /**
   * Appends lines to the journal although the lock was lost. Appends nothing if another run owns the lock or has taken
   * the journal. Returns whether the lines were appended. Omitted in stores that cannot do this safely.
   */
  appendUnlocked?(lines: string): Promise<boolean>;
  /** Releases the lock, but keeps the journal. */
  release(): Promise<void>;
}

export function isHeldLock(found: HeldLock | ExistingLock): found is HeldLock {
  return "release" in found;
}

export interface CommitResult {
  /** Error that prevented the record from being stored. The state was replaced anyway. */
  readonly recordError?: Error;
}

export interface NextTexts {
  readonly state?: string | undefined;
  readonly record?: string | undefined;
}

export interface StoreEnvironment extends ProcessEnvironment {
  /**
   * Absolute path to the project folder. A state file outside it is rejected, even if a symlink leads there. Default:
   * no check.
   */
  readonly root?: string;
  /** Whether project code may run. If not, no package is loaded from the project. */
  readonly allowCode: boolean;
  /**
   * Returns whether a project file (absolute path) can be trusted, because the base contains the same file. Default:
   * true for all files.
   */
  readonly isOfBase?: ((file: string) => Promise<boolean>) | undefined;
  /** Environment variables that contain the URLs and credentials of a store. Default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Cache of git settings. Default: each store reads them. */
  readonly gitSettings?: GitSettingsCache;
  /** Hosts that may receive credentials from `environment`. Default: any. */
  readonly hosts?: AllowedHosts | undefined;
  /** Maximum retry time for a store that does not respond, in ms (default 30,000). */
  readonly patienceMs?: number | undefined;
  /** Called when retries indicate an outage. `patienceMs` is the maximum retry time. */
  readonly onOutage?: (patienceMs: number) => void;
  /** Signal that shortens the retry time. */
  readonly signal?: AbortSignal;
  /** Opens a simulated store instead of a real one. */
  readonly openBackend?:
    | ((location: string, environment: StoreEnvironment) => Promise<StoreBackend>)
    | undefined;
  /** Observation cache. Default: none. */
  readonly cache?: ObservationCache | undefined;
}
