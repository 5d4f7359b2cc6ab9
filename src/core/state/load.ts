import { decodeState } from "./encoding.js";
import {
  type JournalHeader,
  type JournalStep,
  type MutableState,
  parseJournal,
  replayJournal,
} from "./journal.js";
import type { RunFacts } from "./run-facts.js";
import type { Intent, State, StateFile } from "./state.js";
import { StateError } from "./state-error.js";
import type { StoredTexts, StoreNames } from "./store-backend.js";

/** Completed write, without its values. */
export type FinishedWrite = Pick<Intent, "address" | "action">;

export interface LoadedState {
  /** Stored state, or undefined if none exists yet. */
  readonly saved: StateFile | undefined;
  /** State with the journal applied, or undefined if neither exists. */
  readonly draft: MutableState | undefined;
  /** Id of the journal that was applied. */
  readonly journal: string | undefined;
  /** Request time limit of the run that wrote the journal. */
  readonly requestTimeoutMs?: number;
  /** User and files of the run that wrote the journal. Omitted in journals from earlier versions. */
  readonly run?: RunFacts | undefined;
  /** Completed writes according to the journal. */
  readonly written?: readonly FinishedWrite[];
}

/** Reads state and journal without a lock. Retries if a run ends between the two reads. */
export async function load(names: StoreNames, read: () => Promise<StoredTexts>): Promise<LoadedState> {
  for (let attempt = 1; ; attempt++) {
    const texts = await read();
    const saved = texts.state === undefined ? undefined : decodeState(texts.state, names);
    const journal = texts.journal === undefined ? undefined : parseJournal(texts.journal, names.journal);
    if (!journal || isAlreadyApplied(journal.header, saved))
      return { saved, draft: saved && toDraft(saved), journal: undefined };
    if (isBasedOn(journal.header, saved))
      return {
        saved,
        draft: applyJournal(journal, saved),
        journal: journal.header.id,
        requestTimeoutMs: journal.header.requestTimeoutMs,
        run: journal.header.run,
        written: findWritten(journal),
      };
    if (attempt === 3) throw createOrphanedError(names, journal, saved);
  }
}

export function createState({
  lineage,
  service,
  project,
}: Pick<State, "lineage" | "service" | "project">): State {
  return { version: 1, lineage, serial: 0, service, ...(project && { project }), objects: {}, pending: {} };
}

export function toDraft({ journal: _, ...state }: State & Pick<StateFile, "journal">): MutableState {
  return { ...state, objects: { ...state.objects }, pending: { ...state.pending } };
}

type Journal = NonNullable<ReturnType<typeof parseJournal>>;

function isAlreadyApplied(header: JournalHeader, saved: StateFile | undefined): boolean {
  return saved?.journal === header.id;
}

function isBasedOn({ lineage, serial }: JournalHeader, saved: StateFile | undefined): boolean {
  return saved ? saved.lineage === lineage && saved.serial === serial : serial === 0;
}

function applyJournal({ header, records }: Journal, saved: StateFile | undefined): MutableState {
  const draft = toDraft(saved ?? createState(header));
  if (header.project) draft.project ??= header.project;
  for (const record of records) replayJournal(draft, record, header);
  return draft;
}

function findWritten({ records }: Journal): FinishedWrite[] {
  const sent = new Map<string, FinishedWrite>();
  const done = new Set<FinishedWrite>();
  for (const record of records) {
    if ("intend" in record) sent.set(record.intend.address, record.intend);
    const write = "settle" in record && sent.get(record.settle);
    if (write) done.add(write);
  }
  return [...done];
}

function createOrphanedError(
  names: StoreNames,
  { header, records }: Journal,
  saved: StateFile | undefined,
): StateError {
  const found = saved ? `the state next to it has serial ${saved.serial}` : "there is no state next to it";
  const difference = saved && saved.lineage !== header.lineage ? `${found} and a different lineage` : found;
  return new StateError(
    "orphaned-journal",
    names.journal,
    `${names.journal} is the journal of an interrupted run on state serial ${header.serial}, but ${difference}. Restore ` +
      `the matching state (${names.restore}) and run the command again. If that is not possible, check the journal's ` +
      `objects in the account (${listAddresses(records).join(", ") || "none"}), then delete the journal.`,
  );
}

function listAddresses(records: readonly JournalStep[]): string[] {
  const addresses = records.flatMap((record) => {
    if ("intend" in record) return [record.intend.address];
    return "settle" in record ? [record.settle] : [];
  });
  return [...new Set(addresses)].sort();
}
