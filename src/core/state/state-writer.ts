import type { System } from "../../base/system/index.js";
import { activeHolds } from "./apply-holds.js";
import { encodeState, markMoved } from "./encoding.js";
import { type CommitFacts, encodeRecord } from "./history-record.js";
import type { ObservationCache } from "./in-sync-cache.js";
import { type Draft, type JournalHeader, type JournalStep, markStopped, replayJournal } from "./journal.js";
import { type JournalWriter, openJournalWriter } from "./journal-writer.js";
import type { Lease } from "./lease.js";
import { type DoneWrite, freshState, type Loaded, toDraft } from "./load.js";
import type { ApplyHold, Entry, Intent, LongValue, ProjectIdentity, State } from "./state.js";
import { StateError } from "./state-error.js";
import type { StoreNames } from "./store-backend.js";

/**
 * The single writer of a state, from taking the lock until `release`. A step with a promise is durable when that resolves.
 */
export interface StateWriter {
  /** The current state: a view that changes as steps are recorded. Undefined before `begin` if there is none. */
  readonly state: State | undefined;
  /** Whether an earlier run did not end; its steps are in the state, its open writes are pending. */
  readonly interrupted: boolean;
  /** The writes that the earlier run had sent and done. */
  readonly recovered: readonly DoneWrite[];
  /**
   * The state; a new one, in memory, if there is none.
   *
   * @param requestTimeoutMs Time limit of the requests that this run sends. Default: 30,000.
   * @throws StateError `other-service` if it belongs to another address.
   */
  begin(service: string, requestTimeoutMs?: number): Promise<State>;
  /**
   * By address of a create without an outcome: when its absence proves that it was not carried out, in ms of the monotonic
   * clock. Fixed when the lock was taken.
   */
  readonly recoverUntil: ReadonlyMap<string, number>;
  /** Why nothing more may be sent: the lock is lost, or the store takes no more steps. Undefined while all is well. */
  readonly failure: Error | undefined;
  /**
   * To be called before each request that changes something. Resolves if the lock is known to be ours: see `Lease`.
   *
   * @throws StateError
   */
  assertHeld(): Promise<void>;
  /**
   * Records what is about to be sent. Concurrent calls share one sync.
   *
   * @throws StateError `lock-lost` if somebody removed our lock: then nothing may be sent.
   */
  recordIntent(intent: Intent): Promise<void>;
  /**
   * Records a completed write: the new entry, or undefined if the object is no longer managed. It is durable with the next
   * intent, `flush` or `commit`, or some seconds later.
   */
  completeIntent(address: string, entry: Entry | undefined): void;
  /** Records that the service refused, so nothing was done. It is durable as what was completed. */
  discardIntent(address: string): void;
  /**
   * Makes all durable that was recorded.
   *
   * @throws StateError if some of it could not be written.
   */
  flush(): Promise<void>;
  /** Records an entry learnt only by reading. Not in the journal: after a crash it is simply read again. */
  recordEntry(address: string, entry: Entry): void;
  setFingerprintKey(key: string): Promise<void>;
  /** Replaces the holds. They are durable when this resolves: before a rollback sends what they keep. */
  setHolds(holds: readonly ApplyHold[]): Promise<void>;
  /** Replaces all objects and pending writes at once: for `state mv`, `forget` and `import`. */
  replace(next: NextState): Promise<State>;
  /** Adds to the record of the next commit. */
  describe(details: CommitDetails): void;
  /** Takes a long text: the record of the next commit has it, if it has its digest. */
  readonly noteText: NoteText;
  /**
   * Writes the state and a record of what changed, if anything did, and removes the journal. May be called again after
   * a failure. `always`: also if nothing changed.
   */
  commit(options?: { readonly always?: boolean }): Promise<State>;
  /**
   * Records outcomes after a failed commit, if no other run holds the lock. Returns the addresses of outcomes that are not
   * recorded anywhere. Never rejects.
   */
  saveOutcomes(): Promise<ReadonlySet<string>>;
  /** Marks the stored state as moved: from now on it is refused here, and the message says where it is. */
  leave(to: string): Promise<void>;
  /** Releases the lock. What was not committed stays in the journal, and the next run finds it. */
  release(): Promise<void>;
}

/** Takes a text that the state has as a digest. */
export type NoteText = (digest: string, text: LongValue) => void;

/** What is known of a commit only when it is made. */
export type CommitDetails = Pick<
  CommitFacts,
  "plan" | "pullRequests" | "results" | "partial" | "moved" | "project" | "restored" | "held" | "released"
>;

/** What replaces the content of a state. */
export type NextState = Pick<State, "objects" | "pending"> &
  Partial<Pick<State, "holds" | "project" | "fingerprintKey">>;

export interface SessionInput {
  readonly hold: Lease;
  readonly names: StoreNames;
  readonly cache: ObservationCache;
  readonly system: System;
  /** Recorded with the next commit. */
  readonly project?: ProjectIdentity | undefined;
  /** Asked once, when the first step is recorded: the files may be other ones later. Never rejects. */
  readonly facts: () => Promise<CommitFacts>;
  /** Called with its serial if the record of a commit is missing in the history. */
  readonly onRecordMissing?: ((error: Error, serial: number) => void) | undefined;
  /** Releases the lock, and closes the store. */
  readonly release: (isRecorded: boolean) => Promise<void>;
}

/** Creates the session of the lock's holder, and completes what an interrupted run left. */
export async function openWriter(
  { hold, names, cache, system, project, facts, onRecordMissing, release }: SessionInput,
  {
    saved,
    draft: loaded,
    journal,
    requestTimeoutMs: formerTimeoutMs = defaultRequestTimeoutMs,
    written: recovered = [],
  }: Loaded,
): Promise<StateWriter> {
  let draft = loaded;
  /** The objects of the stored state. */
  let before: State["objects"] = saved?.objects ?? {};
  /** Objects that were written, even if their entries are what they were: an edit made elsewhere was overwritten. */
  const written = new Set(recovered.map(({ address }) => address));
  /** The text of the stored state, without the journal's id; of the new state if there is none. */
  let savedText = saved ? encodeState(saved, undefined) : draft && encodeState(freshState(draft), undefined);
  /** The journal that the store may have, or the last one. */
  let storedJournal = journal ?? saved?.journal;
  let writer: JournalWriter | undefined;
  let startFacts: Promise<CommitFacts> | undefined;
  let details: CommitDetails = {};
  const texts = new Map<string, LongValue>();
  let requestTimeoutMs = defaultRequestTimeoutMs;
  /** Why the lock is not known to be ours any more. */
  let lost: Error | undefined;
  let areOutcomesSaved = false;
  let isReleased = false;

  function begun(): Draft {
    if (isReleased) throw new Error("Bug: the session was released");
    if (!draft) throw new Error("Bug: the session was not begun");
    return draft;
  }

  function journalWriter(): JournalWriter {
    startFacts ??= facts();
    const { lineage, serial, service } = begun();
    if (!writer) {
      const header: JournalHeader = {
        ...{ journal: 1, id: system.newId(), lineage, serial, service, requestTimeoutMs },
        ...(project && { project }),
      };
      writer = openJournalWriter(hold, names.journal, header, system);
    }
    return writer;
  }

  /** Applied at once: the service has done it, so it must be in the state even if the journal fails. */
  function note(record: JournalStep): void {
    replayJournal(begun(), record, { requestTimeoutMs });
    journalWriter().add(record);
  }

  async function noteDurably(record: JournalStep): Promise<void> {
    replayJournal(begun(), record, { requestTimeoutMs });
    await journalWriter().append(record);
  }

  async function commit(recovered?: true, always = false): Promise<State> {
    const state = begun();
    markStopped(state, { at: toIso(system.now()), withinMs: recovered ? formerTimeoutMs : requestTimeoutMs });
    if (project) state.project = project;
    // What the journal does not have is in the state.
    await writer?.settle();
    storedJournal = writer?.sentId ?? storedJournal;
    const isSame = !always && written.size === 0 && encodeState(state, undefined) === savedText;
    if (isSame) await hold.commit({});
    else {
      dropEnded(state, system.now());
      const next = { ...state, serial: state.serial + 1 };
      startFacts ??= facts();
      const allFacts = { ...(await startFacts), ...details };
      const at = toIso(system.now());
      const record = encodeRecord(allFacts, { before, after: next, at, recovered, written, texts });
      const { recordError } = await hold
        .commit({ state: encodeState(next, storedJournal), record })
        .catch(async (error: unknown) => {
          await writer?.flush().catch(() => undefined);
          throw error;
        });
      if (recordError) onRecordMissing?.(recordError, next.serial);
      state.serial = next.serial;
      savedText = encodeState(next, undefined);
      before = { ...next.objects };
      written.clear();
      details = {};
      texts.clear();
    }
    writer = undefined;
    await cache.keep(state);
    return state;
  }

  async function saveOutcomes(): Promise<ReadonlySet<string>> {
    const steps = areOutcomesSaved ? [] : (writer?.unwritten ?? []);
    if (steps.length === 0) return new Set();
    const appended = hold.appendUnlocked?.(`${JSON.stringify(steps)}\n`).catch(() => false);
    areOutcomesSaved = (await appended) ?? false;
    return new Set(areOutcomesSaved ? [] : steps.flatMap((step) => ("settle" in step ? step.settle : [])));
  }

  // A journal without a step in it, or one that is in the state already.
  if (journal === undefined) await hold.commit({});
  else await commit(true);
  const recoverUntil = findRecoveryEnds(draft, system);

  return {
    recoverUntil,
    get failure() {
      return lost ?? writer?.failure;
    },
    async assertHeld() {
      const failure = lost ?? writer?.failure;
      if (failure) throw failure;
      await hold.assertHeld().catch((error: Error) => {
        lost = error;
        throw error;
      });
    },
    interrupted: journal !== undefined,
    recovered,
    get state() {
      return draft;
    },
    async begin(service, timeoutMs = defaultRequestTimeoutMs) {
      requestTimeoutMs = timeoutMs;
      if (!draft) {
        draft = toDraft(freshState({ lineage: system.newId(), service, ...(project && { project }) }));
        savedText = encodeState(draft, undefined);
      }
      if (bare(draft.service) !== bare(service)) throw otherService(names, draft, service);
      return draft;
    },
    async recordIntent(intent) {
      // Applied when it is on disk: what could not be recorded is not sent, and must not look as if it had been.
      const record = { intend: intent };
      await journalWriter().append(record, () => replayJournal(begun(), record, { requestTimeoutMs }));
    },
    completeIntent(address, entry) {
      if (draft && Object.hasOwn(draft.pending, address)) written.add(address);
      note(entry ? { settle: address, entry } : { settle: address });
    },
    discardIntent: (address) => note({ refuse: address }),
    flush: async () => writer?.flush(),
    recordEntry(address, entry) {
      begun().objects[address] = entry;
    },
    setFingerprintKey: (key) => noteDurably({ fingerprintKey: key }),
    setHolds: (holds) => noteDurably({ holds }),
    async replace({ objects, pending, ...others }) {
      const state = begun();
      const old = { holds: [], ...state };
      Object.assign(state, { ...others, objects: { ...objects }, pending: { ...pending } });
      try {
        return await commit();
      } catch (error) {
        Object.assign(state, old);
        throw error;
      }
    },
    describe(more) {
      details = { ...details, ...more };
    },
    noteText: (digest, text) => texts.set(digest, text),
    commit: ({ always } = {}) => commit(undefined, always),
    saveOutcomes,
    async leave(to) {
      await hold.commit({
        state: markMoved(encodeState(begun(), writer?.sentId ?? storedJournal), {
          to,
          at: toIso(system.now()),
        }),
      });
    },
    async release() {
      if (isReleased) return;
      isReleased = true;
      await writer?.flush().catch(() => undefined);
      await saveOutcomes();
      await release(areOutcomesSaved || !writer?.unwritten.length);
    },
  };
}

/** Time limit of a request, in ms, unless the client of the service has another one. */
const defaultRequestTimeoutMs = 30_000;

/** Maximum difference between the clocks of two machines. */
const maxClockSkewMs = 60_000;

/**
 * Finds when the absence of an unanswered create proves that it was not carried out. Counts from when its run stopped, by
 * the clock of another machine, but from no later than now.
 */
function findRecoveryEnds(draft: Draft | undefined, { now, monotonic }: System): ReadonlyMap<string, number> {
  const nowMs = now();
  return new Map(
    Object.values(draft?.pending ?? {}).flatMap(({ address, id, stopped }): [string, number][] => {
      if (id !== undefined) return [];
      const startMs = stopped ? Math.min(Date.parse(stopped.at) + maxClockSkewMs, nowMs) : nowMs;
      return [[address, monotonic() + startMs - nowMs + (stopped?.withinMs ?? defaultRequestTimeoutMs)]];
    }),
  );
}

/** Whether a create without an outcome may still be carried out, as far as a reader without the lock can tell. */
export function isUnderWay({ id, stopped }: Intent, nowMs: number): boolean {
  if (id !== undefined) return false;
  return !stopped || nowMs < Date.parse(stopped.at) + maxClockSkewMs + stopped.withinMs;
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Holds that no longer count. */
function dropEnded(state: Draft, nowMs: number): void {
  const holds = activeHolds(state, nowMs);
  if (holds.length > 0) state.holds = holds;
  else delete state.holds;
}

function bare(service: string): string {
  return service.replace(/(?<!\/)\/+$/, "");
}

function otherService({ state }: StoreNames, { service }: State, baseUrl: string): StateError {
  return new StateError(
    "other-service",
    state,
    `${state} belongs to ${service}, not to ${baseUrl}. Use another state for another account (\`state:\` in the ` +
      "manifest, or in its environment); of the same account at another address, change `service` in the state.",
  );
}
