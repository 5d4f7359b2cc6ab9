import type { AllowedHosts } from "../../base/http/index.js";
import type { ObservationCache } from "./in-sync-cache.js";
import type { Holder } from "./lock-holder.js";
import type { ProcessEnvironment, ProcessStatus } from "./processes.js";

/**
 * Where a state is kept: a file, a ref of git, an object of S3, …. A store keeps texts that it does not look into:
 * the state, the journal of the run in progress, and a record of each commit (the history). What they mean, and how
 * a run goes on after a crash, is the same for every store: see state-writer.ts and journal.ts.
 *
 * All methods throw StateError: `unreachable`, `refused`, or what the system reports.
 */
export interface StoreBackend {
  readonly names: StoreNames;
  /** State and journal at one moment, and the lock if it can be seen. Needs no lock; never writes. */
  read(): Promise<StoredTexts & { readonly lock?: FoundLock | undefined }>;
  /** The lock in place, at the user's request, even if it can be found only by trying to take it. */
  findLock(asker: Holder): Promise<FoundLock | undefined>;
  /**
   * One attempt to take the lock; the lock of a holder known to be dead is replaced. Returns the lock that is in the
   * way otherwise. Waiting is shared: see lock.ts.
   */
  tryLock(mine: Holder): Promise<HeldLock | FoundLock>;
  /** The longest pause between two attempts, in ms. Default: 5,000. */
  readonly longestPauseMs?: number;
  /** Removes a lock at the user's request, if it is still the one that was found. `mine` is who asks. */
  breakLock(found: FoundLock, mine: Holder): Promise<void>;
  /** The records of the commits, newest first. */
  history(): AsyncIterable<string>;
  /** Ends the connections that the store keeps between requests. To be called once, when nothing else is asked. */
  close?(): Promise<void>;
}

/** What messages call a store and its parts. No name contains a credential. */
export interface StoreNames {
  /** The path of the file, or the URL. */
  readonly state: string;
  readonly journal: string;
  readonly lock: string;
  /** The end of a sentence: how to get the last good state back. */
  readonly restore: string;
}

/** Both as they are stored; undefined if there is none. */
export interface StoredTexts {
  readonly state: string | undefined;
  readonly journal: string | undefined;
}

export interface FoundLock {
  /** Distinguishes this lock from the next one of the same state. */
  readonly key: string;
  /** Undefined if the lock cannot be read, or not yet. */
  readonly holder: Holder | undefined;
  /** Set if the lock cannot be read: it counts as held, because only the user knows whether it is. */
  readonly unreadable?: UnreadableLock;
  readonly status: ProcessStatus;
  /** Differs for each write of the holder. */
  readonly version?: string | undefined;
  /**
   * Takes the lock if it has not changed since it was found, in one step and with open writes; undefined if it has changed.
   * Whatever the holder appends later fails, so it is safe whether the holder is dead or slow. Absent where the store
   * cannot do that: a file, HTTP.
   */
  takeOver?(): Promise<HeldLock | undefined>;
}

/** A lock of another version, a damaged one, or something else in its place. */
export interface UnreadableLock {
  /** What can be read of it, from any source. */
  readonly text: string;
  /** It is a branch of git, which is never removed. */
  readonly isBranch?: boolean | undefined;
}

/** The lock was released between two looks, or its holder is not noted yet: the next attempt may get it. */
export const vanishedLock: FoundLock = { key: "", holder: undefined, status: "alive" };

/** The lock of a state while we hold it: the right to write. */
export interface HeldLock {
  /** An append is a write to a disk and no request: then the journal has each outcome at once. */
  readonly isLocal?: true;
  /** State and journal as of now. Comes before all else: what is written later is compared with it. */
  read(): Promise<StoredTexts>;
  /**
   * Adds whole lines to the journal. They are durable when it resolves, and the lock was still ours then. The first
   * line of a new journal is its header.
   *
   * @throws StateError `lock-lost`, `conflict`: nothing may be sent.
   */
  append(lines: string): Promise<void>;
  /**
   * Stores the record, replaces the state (undefined: keeps it), and removes the journal: all at once, or in this
   * order. A crash in between loses nothing, because the state names the journal that it contains. After a lost
   * answer it finds out what arrived.
   *
   * @throws StateError `lock-lost`, `conflict` if somebody else wrote meanwhile.
   */
  commit(next: NextTexts): Promise<CommitResult>;
  /**
   * Asks the store whether the lock is still ours.
   *
   * @throws StateError `lock-lost`, `unreachable`
   */
  check(): Promise<void>;
  /**
   * Adds lines to the journal of this run after its lock was lost, unless another run holds the lock or has taken the
   * journal. Returns whether they were added. Absent where a store cannot do that safely.
   */
  appendUnlocked?(lines: string): Promise<boolean>;
  /** Releases the lock; the journal stays. */
  release(): Promise<void>;
}

export function isHeldLock(found: HeldLock | FoundLock): found is HeldLock {
  return "release" in found;
}

/** What a commit could not do, although the state was replaced. */
export interface CommitResult {
  /** Why the record is missing in the history. */
  readonly recordError?: Error;
}

export interface NextTexts {
  readonly state?: string | undefined;
  readonly record?: string | undefined;
}

export interface StoreEnvironment extends ProcessEnvironment {
  /** The project folder; absolute. A state in a file must stay in it, even through symlinks. Default: any folder. */
  readonly root?: string;
  /** Whether code of the project may run: without that right, no package is loaded from beside it. */
  readonly allowCode: boolean;
  /** Whether a file of the project is believed, by its absolute path. Default: each is. */
  readonly isOfBase?: ((file: string) => Promise<boolean>) | undefined;
  /** Variables that a store takes addresses and credentials from. Default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Where a location may have these credentials sent. Default: anywhere. */
  readonly hosts?: AllowedHosts | undefined;
  /** How long a store that does not answer is asked again, in ms. Default: 30,000. */
  readonly patienceMs?: number | undefined;
  /** Called when a store that is asked again for this long, in ms, still does not answer. */
  readonly onOutage?: (patienceMs: number) => void;
  /** Shortens the patience, once it aborts. */
  readonly signal?: AbortSignal;
  /** Opens the store at a location, in place of those that there are: for a simulator. */
  readonly openBackend?:
    | ((location: string, environment: StoreEnvironment) => Promise<StoreBackend>)
    | undefined;
  /** Default: none. */
  readonly cache?: ObservationCache | undefined;
}
