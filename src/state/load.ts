import { readIfThere } from "./disk.js";
import { decodeState } from "./encoding.js";
import {
  type Draft,
  type JournalHeader,
  type JournalRecord,
  parseJournal,
  replayJournal,
} from "./journal.js";
import type { Paths } from "./paths.js";
import type { StateFile } from "./shape.js";
import type { State } from "./state.js";
import { StateError } from "./state-error.js";

/** The content of both files. */
export interface Loaded {
  /** The state file; undefined if there is none yet. */
  readonly saved: StateFile | undefined;
  /** With the journal applied; undefined if there is neither. */
  readonly draft: Draft | undefined;
  /** Id of the applied journal. */
  readonly journal: string | undefined;
}

/**
 * Reads state and journal. Needs no lock: if a writer ends its run between the two reads, both are read
 * again. The journal is read first, because the state after it can only be the same or a later one.
 */
export async function load(paths: Paths): Promise<Loaded> {
  for (let attempt = 1; ; attempt++) {
    const journalText = await readIfThere(paths.journal);
    const stateText = await readIfThere(paths.state);
    const saved = stateText === undefined ? undefined : decodeState(stateText, paths.state);
    const journal = journalText === undefined ? undefined : parseJournal(journalText, paths.journal);
    if (!journal || isSpent(journal.header, saved))
      return { saved, draft: saved && draftOf(saved), journal: undefined };
    if (isBase(journal.header, saved))
      return { saved, draft: folded(journal, saved), journal: journal.header.id };
    if (attempt === 3) throw orphaned(paths, journal, saved);
  }
}

/** An empty state. */
export function freshState(lineage: string, service: string): State {
  return { version: 1, lineage, serial: 0, service, objects: {}, pending: {} };
}

/** A copy that may be changed. */
export function draftOf(state: State): Draft {
  const { version, lineage, serial, service, fingerprintKey, objects, pending } = state;
  const key = fingerprintKey === undefined ? {} : { fingerprintKey };
  return { version, lineage, serial, service, ...key, objects: { ...objects }, pending: { ...pending } };
}

interface Journal {
  readonly header: JournalHeader;
  readonly records: readonly JournalRecord[];
}

function isSpent(header: JournalHeader, saved: StateFile | undefined): boolean {
  return saved?.journal === header.id;
}

function isBase({ lineage, serial }: JournalHeader, saved: StateFile | undefined): boolean {
  return saved ? saved.lineage === lineage && saved.serial === serial : serial === 0;
}

function folded({ header, records }: Journal, saved: StateFile | undefined): Draft {
  const draft = draftOf(saved ?? freshState(header.lineage, header.service));
  for (const record of records) replayJournal(draft, record);
  return draft;
}

function orphaned(paths: Paths, { header, records }: Journal, saved: StateFile | undefined): StateError {
  const beside = saved ? `the state beside it is serial ${saved.serial}` : "there is no state beside it";
  const whose = saved && saved.lineage !== header.lineage ? `${beside} of another lineage` : beside;
  return new StateError(
    "orphaned-journal",
    paths.journal,
    `${paths.journal} records what an interrupted run did on serial ${header.serial} of the state, but ${whose}. Restore ` +
      `that state (\`git log\` names it, \`git restore\` brings it back) and run the command again; or delete the journal ` +
      `after comparing the objects it names with the service: ${addressesIn(records).join(", ") || "nothing"}.`,
  );
}

function addressesIn(records: readonly JournalRecord[]): string[] {
  const addresses = records.flatMap((record) => {
    if ("intend" in record) return [record.intend.address];
    return "settle" in record ? [record.settle] : [];
  });
  return [...new Set(addresses)].sort();
}
