import { parseJson } from "../../../base/text/index.js";
import { closeJournal } from "../journal.js";
import { type Holder, parseHolder } from "../lock-holder.js";
import { type ProcessEnvironment, processStatus } from "../processes.js";
import { isUnreachable, noteFailure, type StoreRetryOptions, withRetries } from "../retry.js";
import type { StateError } from "../state-error.js";
import {
  type FoundLock,
  type HeldLock,
  type NextTexts,
  type StoreBackend,
  type StoredTexts,
  type StoreNames,
  vanishedLock,
} from "../store-backend.js";
import { conflict, lockLost, unreachable } from "./errors.js";

/**
 * A place for two texts, each of which is replaced only if it is as it was last seen (compare-and-swap). Lock, journal,
 * fencing and lost answers are made of that here, once for all such stores.
 *
 * - `lock`: its first line says who holds the lock; the rest is the journal. So an append proves that the lock is still
 *   ours, and a lock is taken over together with its journal, in one step.
 * - `state`: the state. A run whose lock somebody else has now may still have a write of it under way. So whoever takes
 *   a lock that was not released well changes the state's text, by a line end, before anything is read: that write then
 *   does not find what it expects.
 *
 * A commit replaces the state; the journal, which the state names from then on, goes with the next append or the release.
 */
export interface SwapStore {
  readonly names: StoreNames;
  /** The lock is a branch of git: what else is found there is never replaced. */
  readonly isLockBranch?: boolean;
  /** The texts, one after the other in this order, or at one moment. Never writes. */
  read(...parts: readonly Part[]): Promise<readonly Versioned[]>;
  /**
   * Replaces a text, or removes it, in one attempt. A record is stored together with it, or before it; at most once if
   * it is given twice in a row.
   *
   * @returns What is there now; undefined if text or lock have another version than was seen: then nothing was done.
   * @throws StateError `unreachable` if it is not known whether it was done, or will be; `refused`.
   */
  swap(
    part: Part,
    text: string | undefined,
    seen: Versioned,
    details: SwapDetails,
  ): Promise<Versioned | undefined>;
  /** The records, newest first. */
  history(): AsyncIterable<string>;
  close?(): Promise<void>;
}

export type Part = "lock" | "state";

export interface Versioned {
  /** Undefined if there is none. */
  readonly text: string | undefined;
  /** Differs for each write of another text. Undefined if there is nothing, not even that a text was removed. */
  readonly version: string | undefined;
}

export interface SwapDetails {
  /** Who writes. */
  readonly by: Holder;
  /** A record to be added to the history. */
  readonly record?: string | undefined;
  /** The lock: if it has another version, nothing is done. It may still get one at the same moment. */
  readonly lock?: Versioned;
}

const nothing: Versioned = { text: undefined, version: undefined };

type Environment = ProcessEnvironment & StoreRetryOptions;

/** The lock, the journal and the commits of a store of two texts. */
export function openLockable(store: SwapStore, environment: Environment): StoreBackend {
  const { names } = store;
  const { system } = environment;
  const readLock = async () => (await store.read("lock"))[0] ?? nothing;

  function toFoundLock({ text }: Versioned): FoundLock | undefined {
    if (text === undefined || isReleased(text)) return undefined;
    const holder = parseHolder(firstLine(text));
    if (!holder)
      return { key: text, holder, status: "elsewhere", unreadable: { text, isBranch: store.isLockBranch } };
    return { key: holder.id, holder, status: processStatus(holder, environment) };
  }

  const closedJournal = (seen: Versioned) => closeJournal(journalIn(seen), names.journal, system.now());

  /** Takes the lock with its journal, if it has not changed since it was read. */
  async function take(
    mine: Holder,
    seen: Versioned,
    journal = journalIn(seen),
  ): Promise<HeldLock | undefined> {
    const taken = await swapSurely(store, environment, "lock", lockText(mine, journal), seen, { by: mine });
    return taken && openSwapHold(store, environment, mine, taken, seen);
  }

  return {
    names,
    async read() {
      // The lock first: the state after the journal can only be the same or a later one.
      const [lock = nothing, state = nothing] = await store.read("lock", "state");
      return { ...toTexts(lock, state), lock: toFoundLock(lock) };
    },
    findLock: async () => toFoundLock(await readLock()),
    async tryLock(mine) {
      const seen = await readLock();
      const found = toFoundLock(seen);
      if (!found || found.status === "dead")
        return (await take(mine, seen)) ?? toFoundLock(await readLock()) ?? vanishedLock;
      const takeOver = () => take(mine, seen, closedJournal(seen));
      return { ...found, version: seen.version, takeOver };
    },
    async breakLock({ key }, mine) {
      for (;;) {
        const seen = await readLock();
        if (toFoundLock(seen)?.key !== key) return;
        const text = releasedText(mine, closedJournal(seen));
        // It changes while its holder writes: until it is removed.
        if (await swapSurely(store, environment, "lock", text, seen, { by: mine })) return;
      }
    },
    history: store.history,
    close: store.close,
  };
}

/**
 * Swaps until it is known whether that was done. What did not arrive can be sent again: it succeeds only once.
 *
 * @returns What is there now; undefined if somebody else has written.
 */
function swapSurely(
  store: SwapStore,
  retry: StoreRetryOptions,
  part: Part,
  text: string | undefined,
  seen: Versioned,
  details: SwapDetails,
): Promise<Versioned | undefined> {
  return withRetries(retry, async () => {
    let failure: StateError | undefined;
    const beganMs = retry.system.monotonic();
    const written = await store.swap(part, text, seen, details).catch((error: unknown) => {
      if (!isUnreachable(error)) throw error;
      noteFailure(retry, beganMs, error);
      failure = error;
    });
    if (written) return written;
    // An attempt whose answer was lost may have arrived; a client may have repeated one itself.
    const [now = nothing] = await store.read(part).catch((error: unknown) => {
      throw failure ?? error;
    });
    if (now.version !== seen.version) return now.text === text ? now : undefined;
    if (details.lock && !failure) return undefined;
    throw failure ?? unreachable(store.names.state, "it says that it was changed, and it was not");
  });
}

function openSwapHold(
  store: SwapStore,
  retry: StoreRetryOptions,
  mine: Holder,
  taken: Versioned,
  before: Versioned,
): HeldLock {
  const { names } = store;
  let lock = taken;
  let state = nothing;
  /** A write of the last holder may be under way: it has not released the lock well. */
  let mustFence = before.text !== undefined;
  /** The state has what the journal says. */
  let isSpent = false;
  let isLost = false;
  /** Commits whose outcome is not known. */
  let unconfirmed: readonly NextTexts[] = [];
  let lastRecord: string | undefined;

  const swap = (part: Part, text: string | undefined, seen: Versioned, more?: Partial<SwapDetails>) =>
    swapSurely(store, retry, part, text, seen, { by: mine, ...more });

  function lost(now?: Versioned): StateError {
    isLost = true;
    return lockLost(names, now?.text === undefined ? undefined : parseHolder(firstLine(now.text)));
  }

  async function read(): Promise<StoredTexts> {
    for (;;) {
      // The state first: it is what the lock guards if that is still ours afterwards.
      const [nextState = nothing, nextLock = nothing] = await store.read("state", "lock");
      if (!isOurs(nextLock, mine)) throw lost(nextLock);
      [state, lock] = [nextState, nextLock];
      if (!mustFence) return toTexts(lock, state);
      if (await swap("state", `${state.text ?? ""}\n`, state)) mustFence = false;
    }
  }

  async function commit(next: NextTexts): Promise<void> {
    for (;;) {
      if (isLost) throw lost();
      const text = next.state ?? state.text;
      if (text === state.text && (next.record ?? lastRecord) === lastRecord) return;
      unconfirmed = [...unconfirmed, next];
      const written = await swap("state", text, state, { record: next.record, lock });
      if (written) return confirm(written, next);
      const [nowState = nothing, nowLock = nothing] = await store.read("state", "lock");
      if (!isOurs(nowLock, mine)) throw lost(nowLock);
      // A write of ours, whose answer was lost.
      const arrived = unconfirmed.find((texts) => texts.state && texts.state === nowState.text);
      if (arrived) confirm(nowState, arrived);
      else if (nowState.version !== state.version || nowLock.version === lock.version) throw conflict(names);
      lock = nowLock;
    }
  }

  function confirm(written: Versioned, { record }: NextTexts): void {
    [state, unconfirmed, lastRecord] = [written, [], record];
  }

  return {
    read,
    async append(lines) {
      const text = lockText(mine, `${isSpent ? "" : (journalIn(lock) ?? "")}${lines}`);
      const written = isLost ? undefined : await swap("lock", text, lock);
      if (!written) throw lost((await store.read("lock"))[0]);
      lock = written;
      isSpent = false;
    },
    async check() {
      const [now = nothing] = await store.read("lock");
      if (!isOurs(now, mine)) throw lost(now);
    },
    async appendUnlocked(lines) {
      const own = journalIn(lock);
      const [now = nothing] = await store.read("lock");
      const journal = journalIn(now);
      if (own === undefined || !journal?.startsWith(firstLine(own)) || !isReleased(now.text ?? ""))
        return false;
      return (await swap("lock", releasedText(mine, `${journal}${lines}`), now)) !== undefined;
    },
    async commit(next) {
      if (next.state !== undefined || next.record !== undefined) await commit(next);
      isSpent = true;
      return {};
    },
    async release() {
      for (;;) {
        const journal = isSpent ? undefined : journalIn(lock);
        const isClean = journal === undefined && unconfirmed.length === 0 && !mustFence;
        if (await swap("lock", isClean ? undefined : releasedText(mine, journal), lock)) return;
        const [now = nothing] = await store.read("lock");
        // Somebody else's lock stays.
        if (!isOurs(now, mine)) return;
        // An append whose answer was lost.
        [lock, isSpent] = [now, false];
      }
    },
  };
}

function lockText(holder: Holder, journal: string | undefined): string {
  return `${JSON.stringify(holder)}\n${journal ?? ""}`;
}

/** Nobody holds the lock, but its last holder may have a write under way, or has left a journal. */
function releasedText({ id }: Holder, journal: string | undefined): string {
  return `${JSON.stringify({ released: id })}\n${journal ?? ""}`;
}

function isReleased(text: string): boolean {
  return text.startsWith('{"released":');
}

function isOurs({ text }: Versioned = nothing, { id }: Holder): boolean {
  return text !== undefined && parseHolder(firstLine(text))?.id === id;
}

function firstLine(text: string): string {
  return text.slice(0, text.indexOf("\n") + 1 || undefined);
}

/** What follows the first line; with an unreadable lock, only if it is a journal. */
function journalIn({ text = "" }: Versioned): string | undefined {
  const first = firstLine(text);
  const journal = text.slice(first.length) || undefined;
  if (journal === undefined || isReleased(text) || parseHolder(first)) return journal;
  return typeof Object(parseJson(firstLine(journal))).journal === "number" ? journal : undefined;
}

function toTexts(lock: Versioned, state: Versioned): StoredTexts {
  // A run that took over a lock made sure that there never was a state.
  const isBlank = state.text?.trimStart() === "";
  return { journal: journalIn(lock), state: isBlank ? undefined : state.text };
}
