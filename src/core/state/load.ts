import { decodeState } from "./encoding.js";
import { type Draft, type JournalHeader, type JournalStep, parseJournal, replayJournal } from "./journal.js";
import type { Intent, State, StateFile } from "./state.js";
import { StateError } from "./state-error.js";
import type { StoredTexts, StoreNames } from "./store-backend.js";

/** A write, without what it sent. */
export type DoneWrite = Pick<Intent, "address" | "action">;

export interface Loaded {
  /** The state as stored; undefined if there is none yet. */
  readonly saved: StateFile | undefined;
  /** With the journal applied; undefined if there is neither. */
  readonly draft: Draft | undefined;
  /** Id of the applied journal. */
  readonly journal: string | undefined;
  /** Time limit of a request of the run that wrote it, in ms. */
  readonly requestTimeoutMs?: number;
  /** The writes that the journal says were sent and done. */
  readonly written?: readonly DoneWrite[];
}

/**
 * Reads state and journal. Needs no lock: if a writer ends its run between the reading of the two, both are read again.
 */
export async function load(names: StoreNames, read: () => Promise<StoredTexts>): Promise<Loaded> {
  for (let attempt = 1; ; attempt++) {
    const texts = await read();
    const saved = texts.state === undefined ? undefined : decodeState(texts.state, names);
    const journal = texts.journal === undefined ? undefined : parseJournal(texts.journal, names.journal);
    if (!journal || isSpent(journal.header, saved))
      return { saved, draft: saved && toDraft(saved), journal: undefined };
    if (isBase(journal.header, saved))
      return {
        saved,
        draft: applyJournal(journal, saved),
        journal: journal.header.id,
        requestTimeoutMs: journal.header.requestTimeoutMs,
        written: findWritten(journal),
      };
    if (attempt === 3) throw orphaned(names, journal, saved);
  }
}

export function freshState({
  lineage,
  service,
  project,
}: Pick<State, "lineage" | "service" | "project">): State {
  return { version: 1, lineage, serial: 0, service, ...(project && { project }), objects: {}, pending: {} };
}

export function toDraft({ journal: _, ...state }: State & Pick<StateFile, "journal">): Draft {
  return { ...state, objects: { ...state.objects }, pending: { ...state.pending } };
}

type Journal = NonNullable<ReturnType<typeof parseJournal>>;

function isSpent(header: JournalHeader, saved: StateFile | undefined): boolean {
  return saved?.journal === header.id;
}

function isBase({ lineage, serial }: JournalHeader, saved: StateFile | undefined): boolean {
  return saved ? saved.lineage === lineage && saved.serial === serial : serial === 0;
}

function applyJournal({ header, records }: Journal, saved: StateFile | undefined): Draft {
  const draft = toDraft(saved ?? freshState(header));
  if (header.project) draft.project ??= header.project;
  for (const record of records) replayJournal(draft, record, header);
  return draft;
}

function findWritten({ records }: Journal): DoneWrite[] {
  const sent = new Map<string, DoneWrite>();
  const done = new Set<DoneWrite>();
  for (const record of records) {
    if ("intend" in record) sent.set(record.intend.address, record.intend);
    const write = "settle" in record && sent.get(record.settle);
    if (write) done.add(write);
  }
  return [...done];
}

function orphaned(names: StoreNames, { header, records }: Journal, saved: StateFile | undefined): StateError {
  const beside = saved ? `the state beside it is serial ${saved.serial}` : "there is no state beside it";
  const whose = saved && saved.lineage !== header.lineage ? `${beside} of another lineage` : beside;
  return new StateError(
    "orphaned-journal",
    names.journal,
    `${names.journal} records what an interrupted run did on serial ${header.serial} of the state, but ${whose}. Restore ` +
      `that state (${names.restore}) and run the command again; or delete the journal ` +
      `after comparing the objects it names with the service: ${addressesIn(records).join(", ") || "nothing"}.`,
  );
}

function addressesIn(records: readonly JournalStep[]): string[] {
  const addresses = records.flatMap((record) => {
    if ("intend" in record) return [record.intend.address];
    return "settle" in record ? [record.settle] : [];
  });
  return [...new Set(addresses)].sort();
}
