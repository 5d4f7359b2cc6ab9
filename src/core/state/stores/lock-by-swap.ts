import { parseJson } from "../../../base/text/index.js";
import { checkHolderStatus, type ProcessEnvironment } from "../holder-status.js";
import { closeJournal } from "../journal.js";
import { type Holder, parseHolder } from "../lock-holder.js";
import { isUnreachable, recordFailure, type StoreRetryOptions, withRetries } from "../retry.js";
import type { StateError } from "../state-error.js";
import {
  type ExistingLock,
  type HeldLock,
  type NextTexts,
  type StoreBackend,
  type StoredTexts,
  type StoreNames,
  unsettledLock,
} from "../store-backend.js";
import { createConflictError, createLockLostError, createUnreachableError } from "./errors.js";

/**
 * Store that keeps two strings and supports compare-and-swap. This file implements locks, the journal, fencing, and
 * recovery from lost responses for all such stores.
 *
 * - `lock` contains the owner on the first line, followed by the journal. An append therefore proves that the lock is
 * still ours, and a takeover gets lock and journal atomically.
 * - `state` contains the state. If the previous run did not release the lock cleanly, the next run adds a newline to
 * the state, so that a delayed write by the previous run fails.
 *
 * A commit replaces the state, which then contains the journal id. The journal is removed by the next append or the
 * release.
 */
export interface SwapStore {
  readonly names: StoreNames;
  /** Whether the lock is a git branch. A branch with other content is never replaced. */
  readonly isLockBranch?: boolean;
  /** Reads the strings in the given order, or atomically. Never writes. */
  read(...parts: readonly StoredPart[]): Promise<readonly VersionedText[]>;
  /**
   * Tries once to replace or remove a string. A record is stored at the same time or before. Repeating a record stores
   * it only once.
   *
   * @returns the new string, or undefined if nothing was done because the string or the lock has changed.
   * @throws StateError `unreachable` if the outcome is unknown, or `refused`.
   */
  swap(
    part: StoredPart,
    text: string | undefined,
    seen: VersionedText,
    details: SwapDetails,
  ): Promise<VersionedText | undefined>;
  /** Reads the records, newest first. */
  readHistory(): AsyncIterable<string>;
  readonly sessionLocks?: SessionLocks;
  close?(): Promise<void>;
}

/**
 * Locks that the server frees when a connection ends, so any machine can detect that a run was killed. The lock text
 * still provides the fencing, because a connection can also end while its run continues.
 */
export interface SessionLocks {
  /**
   * Takes a lock on this and all later connections of the run. Returns false if the connection does not support locks.
   */
  take(id: string): Promise<boolean>;
  /** Returns whether no connection has the lock. */
  isFree(id: string): Promise<boolean>;
  release(): Promise<void>;
}

export type StoredPart = "lock" | "state";

export interface VersionedText {
  /** Stored text, or undefined if none exists. */
  readonly text: string | undefined;
  /**
   * Version, which changes whenever a different string is written. Undefined if the store has neither a string nor a
   * removal mark.
   */
  readonly version: string | undefined;
}

export interface SwapDetails {
  /** Run that sends the write. */
  readonly by: Holder;
  /** Record to add to the history. */
  readonly record?: string | undefined;
  /** Lock that the caller expects. If it has changed, nothing is done. A change at the same moment may go unnoticed. */
  readonly lock?: VersionedText;
}

const nothing: VersionedText = { text: undefined, version: undefined };

type SwapEnvironment = ProcessEnvironment & StoreRetryOptions;

/** Implements the lock, journal and commits for a store of two strings. */
export function openLockable(store: SwapStore, environment: SwapEnvironment): StoreBackend {
  const { names } = store;
  const { system } = environment;
  const readLock = async () => (await store.read("lock"))[0] ?? nothing;

  function toFoundLock({ text }: VersionedText): ExistingLock | undefined {
    if (text === undefined || isReleased(text)) return undefined;
    const holder = parseHolder(getFirstLine(text));
    if (!holder)
      return { key: text, holder, status: "elsewhere", unreadable: { text, isBranch: store.isLockBranch } };
    return { key: holder.id, holder, status: checkHolderStatus(holder, environment) };
  }

  /** Finds the lock. It counts as dead if its owner's connection has ended. */
  async function findLock(seen: VersionedText): Promise<ExistingLock | undefined> {
    const found = toFoundLock(seen);
    if (found?.status !== "elsewhere" || !found.holder?.session) return found;
    return (await store.sessionLocks?.isFree(found.holder.id)) ? { ...found, status: "dead" } : found;
  }

  const getClosedJournal = (seen: VersionedText) =>
    closeJournal(getJournal(seen), names.journal, system.now());

  /** Takes the lock with its journal, if the lock has not changed since it was read. */
  async function take(
    mine: Holder,
    seen: VersionedText,
    journal: string | undefined,
  ): Promise<HeldLock | undefined> {
    const isTied = await store.sessionLocks?.take(mine.id);
    const holder = isTied ? { ...mine, session: true as const } : mine;
    const taken = await swapWithRetry(store, environment, "lock", formatLock(holder, journal), seen, {
      by: mine,
    });
    if (taken) return openSwapHold(store, environment, holder, taken, seen);
    await store.sessionLocks?.release();
    return undefined;
  }

  return {
    names,
    async read() {
      // Reads the lock first. The state is then either the one that the journal belongs to or a newer one.
      const [lock = nothing, state = nothing] = await store.read("lock", "state");
      return { ...toTexts(lock, state), lock: await findLock(lock) };
    },
    async findLock() {
      const seen = await readLock();
      const found = await findLock(seen);
      return found && { ...found, version: seen.version };
    },
    async tryLock(mine) {
      const seen = await readLock();
      const found = await findLock(seen);
      if (!found || found.status === "dead") {
        // If the run was on another machine, its requests may still arrive, as after an unlock.
        const isElsewhere = toFoundLock(seen)?.status === "elsewhere";
        const taken = await take(mine, seen, isElsewhere ? getClosedJournal(seen) : getJournal(seen));
        return taken ?? toFoundLock(await readLock()) ?? unsettledLock;
      }
      const takeOver = () => take(mine, seen, getClosedJournal(seen));
      return { ...found, version: seen.version, takeOver };
    },
    async breakLock({ key }, mine) {
      for (;;) {
        const seen = await readLock();
        if (toFoundLock(seen)?.key !== key) return;
        const text = formatReleased(mine, getClosedJournal(seen));
        // Repeats until the lock is removed, because its owner may change it by writing.
        if (await swapWithRetry(store, environment, "lock", text, seen, { by: mine })) return;
      }
    },
    readHistory: store.readHistory,
    close: store.close,
  };
}

/**
 * Swaps until the outcome is known. If a swap has not arrived, it is sent again, which is safe because it can succeed
 * only once.
 *
 * @returns the new text, or undefined if another writer has changed the text.
 */
function swapWithRetry(
  store: SwapStore,
  retry: StoreRetryOptions,
  part: StoredPart,
  text: string | undefined,
  seen: VersionedText,
  details: SwapDetails,
): Promise<VersionedText | undefined> {
  return withRetries(retry, async () => {
    let failure: StateError | undefined;
    const beganMs = retry.system.monotonic();
    const written = await store.swap(part, text, seen, details).catch((error: unknown) => {
      if (!isUnreachable(error)) throw error;
      recordFailure(retry, beganMs, error);
      failure = error;
    });
    if (written) return written;
    // The attempt may have arrived although there was no response, and a client library may have repeated it.
    const [now = nothing] = await store.read(part).catch((error: unknown) => {
      throw failure ?? error;
    });
    if (now.version !== seen.version) return now.text === text ? now : undefined;
    if (details.lock && !failure) return undefined;
    throw (
      failure ?? createUnreachableError(store.names.state, "the store reported a write that did not happen")
    );
  });
}

function openSwapHold(
  store: SwapStore,
  retry: StoreRetryOptions,
  mine: Holder,
  taken: VersionedText,
  before: VersionedText,
): HeldLock {
  const { names } = store;
  let lock = taken;
  let state = nothing;
  /** Whether the last owner may have a write in progress, because it did not release the lock cleanly. */
  let mustFence = before.text !== undefined;
  /** Whether the state includes the journal. */
  let isSpent = false;
  let isLost = false;
  /** Commits whose outcome is unknown. */
  let unconfirmed: readonly NextTexts[] = [];
  let lastRecord: string | undefined;

  const swap = (
    part: StoredPart,
    text: string | undefined,
    seen: VersionedText,
    more?: Partial<SwapDetails>,
  ) => swapWithRetry(store, retry, part, text, seen, { by: mine, ...more });

  function markLost(now?: VersionedText): StateError {
    isLost = true;
    return createLockLostError(
      names,
      now?.text === undefined ? undefined : parseHolder(getFirstLine(now.text)),
    );
  }

  async function read(): Promise<StoredTexts> {
    for (;;) {
      // Reads the state before the lock. If the lock is still ours, the state is current.
      const [nextState = nothing, nextLock = nothing] = await store.read("state", "lock");
      if (!isOurs(nextLock, mine)) throw markLost(nextLock);
      [state, lock] = [nextState, nextLock];
      // Fencing an empty text, which is a damaged state, would make it count as no state.
      if (!mustFence || state.text === "") return toTexts(lock, state);
      if (await swap("state", `${state.text ?? ""}\n`, state)) mustFence = false;
    }
  }

  async function commit(next: NextTexts): Promise<void> {
    for (;;) {
      if (isLost) throw markLost();
      const text = next.state ?? state.text;
      if (text === state.text && (next.record ?? lastRecord) === lastRecord) return;
      unconfirmed = [...unconfirmed, next];
      const written = await swap("state", text, state, { record: next.record, lock });
      if (written) return confirm(written, next);
      const [nowState = nothing, nowLock = nothing] = await store.read("state", "lock");
      if (!isOurs(nowLock, mine)) throw markLost(nowLock);
      // Recognizes our own write after a lost response.
      const arrived = unconfirmed.find((texts) => texts.state && texts.state === nowState.text);
      if (arrived) confirm(nowState, arrived);
      else if (nowState.version !== state.version || nowLock.version === lock.version)
        throw createConflictError(names);
      lock = nowLock;
    }
  }

  function confirm(written: VersionedText, { record }: NextTexts): void {
    [state, unconfirmed, lastRecord] = [written, [], record];
  }

  return {
    read,
    async append(lines) {
      const text = formatLock(mine, `${isSpent ? "" : (getJournal(lock) ?? "")}${lines}`);
      const written = isLost ? undefined : await swap("lock", text, lock);
      if (!written) throw markLost((await store.read("lock"))[0]);
      lock = written;
      isSpent = false;
    },
    async check() {
      const [now = nothing] = await store.read("lock");
      if (!isOurs(now, mine)) throw markLost(now);
    },
    async appendUnlocked(lines) {
      const ours = getJournal(lock);
      const [now = nothing] = await store.read("lock");
      const journal = getJournal(now);
      if (ours === undefined || !journal?.startsWith(getFirstLine(ours)) || !isReleased(now.text ?? ""))
        return false;
      return (await swap("lock", formatReleased(mine, `${journal}${lines}`), now)) !== undefined;
    },
    async commit(next) {
      if (next.state !== undefined || next.record !== undefined) await commit(next);
      isSpent = true;
      return {};
    },
    async release() {
      for (;;) {
        const journal = isSpent ? undefined : getJournal(lock);
        const isClean = journal === undefined && unconfirmed.length === 0 && !mustFence;
        if (await swap("lock", isClean ? undefined : formatReleased(mine, journal), lock))
          return store.sessionLocks?.release();
        const [now = nothing] = await store.read("lock");
        // Keeps another run's lock.
        if (!isOurs(now, mine)) return;
        // An append arrived, but its response was lost.
        [lock, isSpent] = [now, false];
      }
    },
  };
}

function formatLock(holder: Holder, journal: string | undefined): string {
  return `${JSON.stringify(holder)}\n${journal ?? ""}`;
}

/** Formats a free lock whose last owner left a journal or may have a write in progress. */
function formatReleased({ id }: Holder, journal: string | undefined): string {
  return `${JSON.stringify({ released: id })}\n${journal ?? ""}`;
}

/** Returns whether a lock text marks a lock as free. */
export function isReleased(text: string): boolean {
  return text.startsWith('{"released":');
}

function isOurs({ text }: VersionedText = nothing, { id }: Holder): boolean {
  return text !== undefined && parseHolder(getFirstLine(text))?.id === id;
}

function getFirstLine(text: string): string {
  return text.slice(0, text.indexOf("\n") + 1 || undefined);
}

/** Returns the text after the first line. If that line is unreadable, returns the text only if it is a journal. */
function getJournal({ text = "" }: VersionedText): string | undefined {
  const first = getFirstLine(text);
  const journal = text.slice(first.length) || undefined;
  if (journal === undefined || isReleased(text) || parseHolder(first)) return journal;
  return typeof Object(parseJson(getFirstLine(journal))).journal === "number" ? journal : undefined;
}

function toTexts(lock: VersionedText, state: VersionedText): StoredTexts {
  // Fencing leaves line feeds if the store has no state.
  const isBlank = state.text !== undefined && /^\n+$/.test(state.text);
  return { journal: getJournal(lock), state: isBlank ? undefined : state.text };
}
