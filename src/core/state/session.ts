import { encodeState } from "./encoding.js";
import { type Draft, type JournalRecord, replayJournal } from "./journal.js";
import { JournalWriter } from "./journal-writer.js";
import { freshState, type Loaded, toDraft } from "./load.js";
import type { ObservationCache } from "./observation-cache.js";
import { type CommitFacts, encodeRecord } from "./record.js";
import type { Entry, Intent, State } from "./state.js";
import { StateError } from "./state-error.js";
import type { Hold, StoreNames } from "./state-store.js";

/**
 * The single writer of a state, from taking the lock until `release`. Each step is durable when its promise
 * resolves.
 */
export interface StateSession {
  /**
   * The current state: a view that changes as steps are recorded. Undefined before `begin` if there is none.
   */
  readonly state: State | undefined;
  /** Whether an earlier run did not end; its steps are in the state, its open writes are pending. */
  readonly interrupted: boolean;
  /**
   * The state; a new one, in memory, if there is none.
   *
   * @throws StateError `other-service` if it belongs to another address.
   */
  begin(service: string): Promise<State>;
  /**
   * Records what is about to be sent. Concurrent calls share one sync.
   *
   * @throws StateError `lock-lost` if somebody removed our lock: then nothing may be sent.
   */
  recordIntent(intent: Intent): Promise<void>;
  /** Records a completed write: the new entry, or undefined if the object is no longer managed. */
  completeIntent(address: string, entry: Entry | undefined): Promise<void>;
  /** Records that the service refused, so nothing was done. */
  discardIntent(address: string): Promise<void>;
  /** Records an entry learnt only by reading. Not in the journal: after a crash it is simply read again. */
  recordEntry(address: string, entry: Entry): void;
  /** Records the key of the fingerprints. */
  setFingerprintKey(key: string): Promise<void>;
  /** Replaces all objects and pending writes at once: for `state mv`, `forget` and `import`; or the service. */
  replace(next: NextState): Promise<State>;
  /** What the record of the next commit says besides what changed. */
  describe(details: CommitDetails): void;
  /**
   * Writes the state and a record of what changed, if anything did, and removes the journal. May be called again after
   * a failure.
   */
  commit(): Promise<State>;
  /** Releases the lock. What was not committed stays in the journal, and the next run finds it. */
  release(): Promise<void>;
}

/** What is known of a commit only when it is made. */
export type CommitDetails = Pick<CommitFacts, "plan" | "results" | "moved" | "restored">;

/** What replaces the content of a state. */
export type NextState = Pick<State, "objects" | "pending"> & Partial<Pick<State, "service">>;

/** What a session is made of. */
export interface SessionInput {
  readonly hold: Hold;
  readonly names: StoreNames;
  readonly cache: ObservationCache;
  readonly newId: () => string;
  readonly now: () => number;
  /** Asked once, when the first step is recorded: the files may be other ones later. Never rejects. */
  readonly facts: () => Promise<CommitFacts>;
  readonly release: () => Promise<void>;
  /** Called after the lock is released. */
  readonly close: () => Promise<void>;
}

/** Creates the session of the lock's holder, and completes what an interrupted run left. */
export async function openSession(input: SessionInput, loaded: Loaded): Promise<StateSession> {
  const session = new LockedSession(input, loaded);
  // A journal without a step in it, or one that is in the state already.
  if (loaded.journal === undefined) await input.hold.commit({});
  else await session.recover();
  return session;
}

class LockedSession implements StateSession {
  readonly interrupted: boolean;
  readonly #input: SessionInput;
  /** The objects of the stored state. */
  #before: State["objects"];
  /** Objects that were written, even if their entries are what they were: an edit made elsewhere was overwritten. */
  readonly #written: Set<string>;
  #facts: Promise<CommitFacts> | undefined;
  #details: CommitDetails = {};
  #draft: Draft | undefined;
  /** The text of the stored state, without the journal's id; of the new state if there is none. */
  #saved: string | undefined;
  #writer: JournalWriter | undefined;
  /** The journal in the store, or the last one. */
  #journalId: string | undefined;
  #released = false;

  constructor(input: SessionInput, { saved, draft, journal, written }: Loaded) {
    this.#input = input;
    this.#draft = draft;
    this.#before = saved?.objects ?? {};
    this.#written = new Set(written);
    this.#saved = saved ? encodeState(saved, undefined) : draft && encodeState(emptied(draft), undefined);
    this.#journalId = journal ?? saved?.journal;
    this.interrupted = journal !== undefined;
  }

  get state(): State | undefined {
    return this.#draft;
  }

  async begin(service: string): Promise<State> {
    if (!this.#draft) {
      const fresh = freshState(this.#input.newId(), service);
      this.#draft = toDraft(fresh);
      this.#saved = encodeState(fresh, undefined);
    }
    if (bare(this.#draft.service) !== bare(service))
      throw otherService(this.#input.names, this.#draft, service);
    return this.#draft;
  }

  recordIntent(intent: Intent): Promise<void> {
    // Applied when it is on disk: what could not be recorded is not sent, and must not look as if it had
    // been.
    const record = { intend: intent };
    return this.#append(record, () => replayJournal(this.#begun(), record));
  }

  completeIntent(address: string, entry: Entry | undefined): Promise<void> {
    if (this.#draft && Object.hasOwn(this.#draft.pending, address)) this.#written.add(address);
    return this.#note(entry ? { settle: address, entry } : { settle: address });
  }

  discardIntent(address: string): Promise<void> {
    return this.#note({ refuse: address });
  }

  recordEntry(address: string, entry: Entry): void {
    this.#begun().objects[address] = entry;
  }

  setFingerprintKey(key: string): Promise<void> {
    return this.#note({ fingerprintKey: key });
  }

  async replace({ objects, pending, service }: NextState): Promise<State> {
    const draft = this.#begun();
    const before = { objects: draft.objects, pending: draft.pending, service: draft.service };
    Object.assign(draft, {
      ...{ objects: { ...objects }, pending: { ...pending } },
      service: service ?? draft.service,
    });
    try {
      return await this.commit();
    } catch (error) {
      Object.assign(draft, before);
      throw error;
    }
  }

  describe(details: CommitDetails): void {
    this.#details = { ...this.#details, ...details };
  }

  commit(): Promise<State> {
    return this.#commit();
  }

  /** Commits what an interrupted run had done. */
  async recover(): Promise<void> {
    await this.#commit(true);
  }

  async #commit(recovered?: true): Promise<State> {
    const draft = this.#begun();
    const { hold, cache } = this.#input;
    await this.#writer?.settle();
    const isSame = this.#written.size === 0 && encodeState(draft, undefined) === this.#saved;
    if (isSame) await hold.commit({});
    else {
      const next = { ...draft, serial: draft.serial + 1 };
      const record = await this.#encodeRecord(next, recovered);
      await hold.commit({ state: encodeState(next, this.#journalId), record });
      draft.serial = next.serial;
      this.#saved = encodeState(next, undefined);
      this.#before = { ...next.objects };
      this.#written.clear();
      this.#details = {};
    }
    this.#writer = undefined;
    await cache.keep(draft);
    return draft;
  }

  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    try {
      await this.#writer?.settle();
      await this.#input.release();
    } finally {
      await this.#input.close();
    }
  }

  async #encodeRecord(after: State, recovered?: true): Promise<string> {
    const facts = { ...(await this.#startFacts()), ...this.#details };
    const at = new Date(this.#input.now()).toISOString();
    return encodeRecord(facts, { before: this.#before, after, at, recovered, written: this.#written });
  }

  #startFacts(): Promise<CommitFacts> {
    this.#facts ??= this.#input.facts();
    return this.#facts;
  }

  /** Applied at once: the service has done it, so it must be in the state even if the journal fails. */
  #note(record: JournalRecord): Promise<void> {
    replayJournal(this.#begun(), record);
    return this.#append(record);
  }

  async #append(record: JournalRecord, durable?: () => void): Promise<void> {
    void this.#startFacts();
    const { lineage, serial, service } = this.#begun();
    if (!this.#writer) {
      const { hold, names, newId } = this.#input;
      const id = newId();
      this.#journalId = id;
      this.#writer = new JournalWriter(hold, names.journal, { journal: 1, id, lineage, serial, service });
    }
    return this.#writer.append(record, durable);
  }

  #begun(): Draft {
    if (this.#released) throw new Error("Bug: the session was released");
    if (!this.#draft) throw new Error("Bug: the session was not begun");
    return this.#draft;
  }
}

function emptied({ lineage, service }: State): State {
  return freshState(lineage, service);
}

function bare(service: string): string {
  return service.replace(/(?<!\/)\/+$/, "");
}

function otherService({ state }: StoreNames, { service }: State, baseUrl: string): StateError {
  return new StateError(
    "other-service",
    state,
    `${state} belongs to ${service}, not to ${baseUrl}. Use another state for another account (\`state:\` in the ` +
      "manifest, or in its environment); of the same account at another address, move it: `avatarops state move-service`.",
  );
}
