import type { System } from "../../base/system/index.js";
import { listActiveHolds } from "./apply-holds.js";
import { encodeState, markMoved } from "./encoding.js";
import { type CommitFacts, encodeRecord } from "./history-record.js";
import type { ObservationCache } from "./in-sync-cache.js";
import {
  type JournalHeader,
  type JournalStep,
  type MutableState,
  markStopped,
  replayJournal,
} from "./journal.js";
import { type JournalWriter, openJournalWriter } from "./journal-writer.js";
import type { Lease } from "./lease.js";
import { createState, type FinishedWrite, type LoadedState, toDraft } from "./load.js";
import type { LostLock } from "./lost-lock.js";
import type { RunFacts } from "./run-facts.js";
import type { ApplyHold, Intent, LongValue, ProjectIdentity, State, StateEntry } from "./state.js";
import { StateError } from "./state-error.js";
import type { StoreNames } from "./store-backend.js";

/** Writes a state while this run owns its lock. A promise resolves once its step is durable. */
export interface StateWriter {
  /** State with all recorded steps, updated in place. Undefined before `begin` if none is stored. */
  readonly state: State | undefined;
  /** Whether an earlier run was interrupted. The state then includes its steps, and its open writes are pending. */
  readonly interrupted: boolean;
  /** Completed writes of the interrupted run. */
  readonly recovered: readonly FinishedWrite[];
  /**
   * Returns the state, or creates one in memory.
   *
   * @throws StateError `other-service` if the state belongs to another base URL.
   */
  begin(service: string): Promise<State>;
  /**
   * Deadline of each create without an outcome, by address (monotonic clock, in ms). Set when the lock is taken. An
   * object that is still missing after its deadline was never created.
   */
  readonly recoverUntil: ReadonlyMap<string, number>;
  /** Error that stops all writes, such as a lost lock or a failed store. */
  readonly failure: Error | undefined;
  /** Checks that this run still owns the lock (see `Lease`). Call it before each write request. @throws StateError */
  assertHeld(): Promise<void>;
  /**
   * Records a write before it is sent. Concurrent calls share one flush.
   *
   * @throws StateError `lock-lost` if our lock was removed. The caller must then not send the write.
   */
  recordIntent(intent: Intent): Promise<void>;
  /**
   * Records a completed write. Without an entry, the object is no longer managed. Becomes durable with the next intent, `flush`
   * or `commit`, or some seconds later.
   */
  completeIntent(address: string, entry: StateEntry | undefined): void;
  /** Records that the service rejected a write. Becomes durable like `completeIntent`. */
  discardIntent(address: string): void;
  /** Makes all recorded steps durable. @throws StateError if a step could not be written. */
  flush(): Promise<void>;
  /** Records an entry that was found by reading. It is not journaled, because a later run can read the object again. */
  recordEntry(address: string, entry: StateEntry): void;
  setFingerprintKey(key: string): Promise<void>;
  /** Replaces the holds. Durable when the promise resolves, so that a rollback can send writes afterward. */
  setHolds(holds: readonly ApplyHold[]): Promise<void>;
  /** Replaces all objects and pending writes, for the `state` and `import` commands. */
  replace(next: NextState): Promise<State>;
  /** Adds facts to the next commit's record, such as the applied pull requests. */
  describe(details: CommitDetails): void;
  /** Keeps a long text for the next commit's record. The record includes each text whose digest it contains. */
  readonly keepText: SaveText;
  /**
   * Writes the state and a record of its changes, and clears the journal. Without changes, writes only if `always` is
   * set. Can be retried.
   */
  commit(options?: { readonly always?: boolean }): Promise<State>;
  /**
   * Records outcomes after a failed commit, unless another run owns the lock. Returns the addresses without a recorded
   * outcome. Never rejects.
   */
  saveOutcomes(): Promise<ReadonlySet<string>>;
  /** Finds out what happened after this run lost its lock. Returns undefined if the store cannot be read. */
  readLostLock(): Promise<LostLock | undefined>;
  /** Marks the stored state as moved. Later runs refuse to use it, and report the new location. */
  markMigrated(to: string): Promise<void>;
  /** Releases the lock. Uncommitted steps stay in the journal for the next run. */
  release(): Promise<void>;
}

/** Keeps a text whose digest the state contains. */
export type SaveText = (digest: string, text: LongValue) => void;

/** Facts that callers add with `describe`. */
export type CommitDetails = Pick<
  CommitFacts,
  | "plan"
  | "pullRequests"
  | "results"
  | "partial"
  | "moved"
  | "project"
  | "service"
  | "restored"
  | "held"
  | "released"
>;

/** New state content. */
export type NextState = Pick<State, "objects" | "pending"> &
  Partial<Pick<State, "holds" | "project" | "service" | "fingerprintKey">>;

export interface SessionInput {
  readonly hold: Lease;
  readonly names: StoreNames;
  readonly cache: ObservationCache;
  readonly system: System;
  /** Project to record with the next commit. */
  readonly project?: ProjectIdentity | undefined;
  /** Time limit for this run's requests, recorded in the journal. */
  readonly requestTimeoutMs?: number | undefined;
  /** Called once, at the first recorded step, because the files may change later. Never rejects. */
  readonly collectFacts: () => Promise<CommitFacts>;
  /** Called if the record of the commit with this serial could not be added to the history. */
  readonly onRecordMissing?: ((error: Error, serial: number) => void) | undefined;
  readonly readLostLock: (serial: number) => Promise<LostLock>;
  /** Releases the lock, and closes the store. */
  readonly release: (isRecorded: boolean) => Promise<void>;
}

/** Creates a writer, and commits the steps of an interrupted run. */
export async function openWriter(
  {
    requestTimeoutMs = defaultRequestTimeoutMs,
    hold,
    names,
    cache,
    system,
    project,
    collectFacts,
    onRecordMissing,
    readLostLock,
    release,
  }: SessionInput,
  {
    saved,
    draft: loaded,
    journal,
    requestTimeoutMs: formerTimeoutMs = defaultRequestTimeoutMs,
    run: formerRun = { by: {} },
    written: recovered = [],
  }: LoadedState,
): Promise<StateWriter> {
  let draft = loaded;
  /** Objects of the stored state. */
  let before: State["objects"] = saved?.objects ?? {};
  /** Addresses of written objects. An entry may be unchanged if the write reverted a dashboard edit. */
  const written = new Set(recovered.map(({ address }) => address));
  /** Text of the stored or new state, without the journal id. */
  let savedText = saved ? encodeState(saved, undefined) : draft && encodeState(createState(draft), undefined);
  /** Id of the journal that the store may contain, or else of the last journal that was applied to the state. */
  let storedJournal = journal ?? saved?.journal;
  let writer: JournalWriter | undefined;
  let startFacts: Promise<CommitFacts> | undefined;
  /** User and files of this run, once its journal has a header. */
  let run: RunFacts | undefined;
  let details: CommitDetails = {};
  const texts = new Map<string, LongValue>();
  /** Reason why this run may have lost the lock. */
  let lost: Error | undefined;
  let areOutcomesSaved = false;
  let isReleased = false;

  function assertBegun(): MutableState {
    if (isReleased) throw new Error("Bug: the session was released");
    if (!draft) throw new Error("Bug: the session was not started");
    return draft;
  }

  function ensureJournalWriter(): JournalWriter {
    startFacts ??= collectFacts();
    const { lineage, serial, service } = assertBegun();
    if (!writer) {
      const header: Omit<JournalHeader, "run"> = {
        ...{ journal: 1, id: system.newId(), lineage, serial, service, requestTimeoutMs },
        ...(project && { project }),
      };
      const reading = startFacts.then(({ by, definitions }) => {
        run = { by, ...(definitions && { definitions }) };
        return run;
      });
      writer = openJournalWriter(hold, names.journal, header, reading, system);
    }
    return writer;
  }

  /**
   * Applies a step, then records it. The service has already processed the write, so the state needs the step even if
   * the journal fails.
   */
  function recordStep(record: JournalStep): void {
    replayJournal(assertBegun(), record, { requestTimeoutMs, ...(run && { run }) });
    ensureJournalWriter().add(record);
  }

  async function recordDurably(record: JournalStep): Promise<void> {
    replayJournal(assertBegun(), record, { requestTimeoutMs, ...(run && { run }) });
    await ensureJournalWriter().append(record);
  }

  async function commit(recovered?: true, always = false): Promise<State> {
    const state = assertBegun();
    markStopped(state, { at: toIso(system.now()), withinMs: recovered ? formerTimeoutMs : requestTimeoutMs });
    if (project) state.project = project;
    // Waits for the journal, because the state may include steps that are not in it yet.
    await writer?.settle();
    storedJournal = writer?.sentId ?? storedJournal;
    const isSame = !always && written.size === 0 && encodeState(state, undefined) === savedText;
    if (isSame) await hold.commit({});
    else {
      dropEndedHolds(state, system.now());
      const next = { ...state, serial: state.serial + 1 };
      startFacts ??= collectFacts();
      const { command, ...own } = await startFacts;
      const allFacts = recovered ? { command, ...formerRun } : { command, ...own, ...details };
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

  // Clears a journal that has no steps or is already part of the state.
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
    async begin(service) {
      if (!draft) {
        draft = toDraft(createState({ lineage: system.newId(), service, ...(project && { project }) }));
        savedText = encodeState(draft, undefined);
      }
      if (trimSlashes(draft.service) !== trimSlashes(service))
        throw createOtherServiceError(names, draft, service);
      return draft;
    },
    async recordIntent(intent) {
      // Applies the intent once it is durable, because a write is never sent before its intent is recorded.
      const record = { intend: intent };
      await ensureJournalWriter().append(record, () =>
        replayJournal(assertBegun(), record, { requestTimeoutMs, ...(run && { run }) }),
      );
    },
    completeIntent(address, entry) {
      if (draft && Object.hasOwn(draft.pending, address)) written.add(address);
      recordStep(entry ? { settle: address, entry } : { settle: address });
    },
    discardIntent: (address) => recordStep({ refuse: address }),
    flush: async () => writer?.flush(),
    recordEntry(address, entry) {
      assertBegun().objects[address] = entry;
    },
    setFingerprintKey: (key) => recordDurably({ fingerprintKey: key }),
    setHolds: (holds) => recordDurably({ holds }),
    async replace({ objects, pending, ...others }) {
      const state = assertBegun();
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
    keepText: (digest, text) => texts.set(digest, text),
    commit: ({ always } = {}) => commit(undefined, always),
    saveOutcomes,
    readLostLock: () => readLostLock(draft?.serial ?? 0).catch(() => undefined),
    async markMigrated(to) {
      await hold.commit({
        state: markMoved(encodeState(assertBegun(), writer?.sentId ?? storedJournal), {
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

const defaultRequestTimeoutMs = 30_000;

/** Maximum difference between the clocks of two machines. */
const maxClockSkewMs = 60_000;

/**
 * Finds the deadline of each create without an outcome. Counts from the time when its run stopped. If that time seems
 * to be in the future, because another machine's clock is ahead, counts from now.
 */
function findRecoveryEnds(
  draft: MutableState | undefined,
  { now, monotonic }: System,
): ReadonlyMap<string, number> {
  const nowMs = now();
  return new Map(
    Object.values(draft?.pending ?? {}).flatMap(({ address, id, stopped }): [string, number][] => {
      if (id !== undefined) return [];
      const startMs = stopped ? Math.min(Date.parse(stopped.at) + maxClockSkewMs, nowMs) : nowMs;
      return [[address, monotonic() + startMs - nowMs + (stopped?.withinMs ?? defaultRequestTimeoutMs)]];
    }),
  );
}

/** Returns whether a create without an outcome may still be in progress, for callers without the lock. */
export function isInProgress({ id, stopped }: Intent, nowMs: number): boolean {
  if (id !== undefined) return false;
  return !stopped || nowMs < Date.parse(stopped.at) + maxClockSkewMs + stopped.withinMs;
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

function dropEndedHolds(state: MutableState, nowMs: number): void {
  const holds = listActiveHolds(state, nowMs);
  if (holds.length > 0) state.holds = holds;
  else delete state.holds;
}

function trimSlashes(service: string): string {
  return service.replace(/(?<!\/)\/+$/, "");
}

function createOtherServiceError({ state }: StoreNames, { service }: State, baseUrl: string): StateError {
  return new StateError(
    "other-service",
    state,
    `${state} belongs to ${service}, not to ${baseUrl}. For another account, use another state (\`state:\` in the ` +
      "manifest or its environment). If the same account moved to a new base URL, run `avatarops state replace-service`.",
  );
}
