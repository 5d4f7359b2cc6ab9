import {
  type Action,
  type Field,
  parseAddress,
  readableFields,
  withEveryField,
  writeOnlyFields,
} from "../../core/kinds/index.js";
import {
  type CommitRecord,
  type Definitions,
  type Entry,
  pullRequestsOf,
  type RecordedPullRequest,
} from "../../core/state/index.js";
import { head } from "./document.js";
import type { ForgottenText, PlanDocument, ShownField, ShownValue } from "./plan-document.js";

/** The head of a history; its items follow one by one, because there may be many. */
export type HistoryHead = ReturnType<typeof historyHead>;

/** One part of a history, newest first. */
export type HistoryItemDocument = HistoryRecordDocument | HistoryGapDocument;

export type HistoryRecordDocument = ReturnType<typeof historyRecord>;
export type HistoryChange = ReturnType<typeof listChanges>[number];
export type BlameDocument = ReturnType<typeof blameDocument>;
export interface ComparedObject {
  readonly address: string;
  readonly fields: readonly HistoryField[];
  readonly only_in?: string | undefined;
  /** Why it cannot be told whether more differs: sentences. */
  readonly notes?: readonly string[] | undefined;
}
export type DiffDocument = ReturnType<typeof diffDocument>;
export type ObjectDocument = ReturnType<typeof objectDocument>;
export type ShownPoint = ReturnType<typeof shownPoint>;
export type ShownCommit = ReturnType<typeof shownCommit>;

export interface HistoryField {
  readonly field: string;
  readonly type: ShownField["type"];
  readonly before?: ShownValue | ForgottenText;
  readonly after?: ShownValue | ForgottenText;
  /** Why a text cannot be shown: the end of a sentence. */
  readonly missing?: string;
}

/** Serials without a record, or a record that cannot be used. */
export interface HistoryGapDocument {
  readonly gap: "missing" | "newer" | "damaged";
  readonly from?: number;
  readonly to?: number;
}

/** A field of an object as it was applied. */
export interface ObjectField {
  readonly field: string;
  readonly type: ShownField["type"];
  readonly value: ShownValue | ForgottenText;
  /** Why a text cannot be shown: the end of a sentence. */
  readonly missing?: string;
}

export function historyHead(address: string | undefined) {
  return { ...head("history"), address };
}

/** One record; of one object only if it is named. */
export function historyRecord(
  record: CommitRecord,
  { address, earlierState }: { readonly address?: string | undefined; readonly earlierState?: boolean } = {},
) {
  const { serial, lineage, at, command, recovered, by, definitions, plan, ...more } = record;
  const { moved, project, restored, held, released } = more;
  const { user, host, ci, run } = by;
  return {
    ...{ serial, lineage },
    /** It is of a state that was replaced by another one: its serial cannot be named. */
    earlier_state: earlierState || undefined,
    ...{ at, command },
    /** An interrupted run had done it; the command is that of the run that found it. */
    recovered,
    /** Nobody has checked it. */
    by: { user, host, ci, run },
    commit: definitions && shownCommit(definitions),
    environment: definitions?.environment,
    /** As the code host said: number, url, author, and those who approved it. Of one object, those of its change. */
    pull_requests: shownPullRequests(record, address),
    plan_digest: plan,
    moved,
    /** The project that the state belongs to since then (`to`), and the recorded one before (`from`). */
    project,
    /** What a rollback went back to. */
    restored,
    /** A hold that was placed, and those that were ended. */
    held,
    released,
    changes: listChanges(record).filter((change) => address === undefined || change.address === address),
  };
}

function shownPullRequests(record: CommitRecord, address: string | undefined) {
  const { pullRequest, pullRequests = pullRequest ? [pullRequest] : [] } = record;
  const { known, possible } = pullRequestsOf(record, address ?? "");
  const shown = pullRequests.filter((one) => address === undefined || [...known, ...possible].includes(one));
  return shown.length > 0 ? shown.map(shownPullRequest) : undefined;
}

export type ShownPullRequest = Omit<RecordedPullRequest, "changes" | "possible">;

/** A pull request without its changes. */
export function shownPullRequest({
  changes: _,
  possible: __,
  ...shown
}: RecordedPullRequest): ShownPullRequest {
  return shown;
}

/** A sentence of a live text, and what brought it, with what is known of the record of that. */
export interface BlamedSentence {
  readonly text: string;
  readonly by: "apply" | "dashboard" | "unknown";
  readonly serial?: number | undefined;
  /** When the service says that the object was changed last, for an edit without a record. ISO 8601. */
  readonly at?: string | undefined;
  readonly commit?: string | undefined;
  /** Those that the change of the serial came from. */
  readonly pull_requests?: readonly ShownPullRequest[] | undefined;
  /** Those that it may have come from. */
  readonly possible_pull_requests?: readonly ShownPullRequest[] | undefined;
  /** Why it is not known, or may be an earlier one: a clause. */
  readonly missing?: string | undefined;
}

/** A live text, sentence by sentence. */
export function blameDocument(address: string, field: string, sentences: readonly BlamedSentence[]) {
  return { ...head("blame"), address, field, sentences };
}

/** Where two sides differ: `files`, `account`, or the files of an environment. */
export function diffDocument(from: string, to: string, objects: readonly ComparedObject[]) {
  return { ...head("diff"), from, to, objects };
}

/** Where an object is, by the action that a plan has for it, if it is on one side only. */
const onlyIn: Readonly<Partial<Record<Action, "account" | "files">>> = {
  ...{ create: "files", missing: "files", delete: "account", forget: "account", protected: "account" },
};

/** The changes of a plan as what differs between the account and the files, in the direction of these sides. */
export function planAsDiff({ changes }: PlanDocument, from: string, to: string): DiffDocument {
  const isReversed = to === "account";
  const [account, files] = isReversed ? [to, from] : [from, to];
  const objects = changes.flatMap(({ address, action, fields, notes }): ComparedObject[] => {
    if (action === "adopt" && fields.length === 0) return [];
    const only = onlyIn[action];
    const shown = fields.map(({ field, type, before, after, known_after: later }): HistoryField => {
      const [old, now] = isReversed ? [after ?? later, before] : [before, after ?? later];
      return { field, type, before: old, after: now };
    });
    const side = only && { account, files }[only];
    return [
      {
        address,
        only_in: side,
        fields: shown,
        notes: notes.length > 0 ? notes : undefined,
      },
    ];
  });
  return diffDocument(from, to, objects);
}

/** An object as it was applied. */
export function objectDocument(address: string, id: string, at: ShownPoint, fields: readonly ObjectField[]) {
  return { ...head("object"), address, id, at, fields };
}

/** A moment of a history. */
export function shownPoint({
  serial,
  record,
}: {
  readonly serial: number;
  readonly record?: Pick<CommitRecord, "at" | "definitions"> | undefined;
}) {
  return {
    serial,
    at: record?.at,
    commit: record?.definitions && shownCommit(record.definitions),
  };
}

/** The commit of the files. */
export function shownCommit({ commit, modified, folder, file }: Definitions) {
  return {
    id: commit,
    /** The files differed from it. */
    modified,
    /** The main file, relative to the repository. */
    file: folder === "" ? file : `${folder}/${file}`,
  };
}

/** On an object's entry in the state; "none" if the change failed or was skipped. */
type Effect = "added" | "changed" | "removed" | "none";

/** What was done to each object. */
function listChanges(record: CommitRecord) {
  const { objects, results = [] } = record;
  const outcomes = new Map(results.map((result) => [result.address, result]));
  const addresses = [...new Set([...Object.keys(objects), ...outcomes.keys()])].sort();
  return addresses.map((address) => {
    const { before, after } = Object.hasOwn(objects, address) ? (objects[address] ?? {}) : {};
    const effect: Effect = after ? (before ? "changed" : "added") : before ? "removed" : "none";
    const { action, status, reason, label, problem, overwritten } = outcomes.get(address) ?? {};
    const { known: pulls, possible } = pullRequestsOf(record, address);
    const live = after &&
      overwritten && { ...after, applied: { ...(before ?? after).applied, ...overwritten } };
    const [was, is] = [before, after].map((entry) => entry?.protected ?? false);
    const [policyBefore, policy] = [before, after].map((entry) => entry?.onRemoval ?? "default");
    return {
      ...{ address, effect },
      id: (after ?? before)?.id,
      ...{ action, status, reason },
      /** Numbers of the pull requests that the change came from. */
      pull_requests: numbersOf(pulls),
      /** Numbers of those that it may have come from. */
      possible_pull_requests: numbersOf(possible),
      /** The name of a deleted object. */
      label,
      /** The error's code. */
      problem,
      /** Fields that were edited elsewhere: `before` is that edit, which was overwritten. */
      overwritten: overwritten && Object.keys(overwritten),
      /** `protect` was set, or taken away. */
      protect: was === is || effect === "removed" ? undefined : is,
      /** `on_removal` as it is now, if it changed. */
      on_removal: policyBefore === policy || effect === "removed" ? undefined : policy,
      fields: effect === "removed" ? [] : fieldsThatDiffer(address, live ?? before, after),
    };
  });
}

function numbersOf(pulls: readonly RecordedPullRequest[]): readonly number[] | undefined {
  return pulls.length > 0 ? pulls.map(({ number }) => number) : undefined;
}

type ShownEntry = Pick<Entry, "id" | "applied" | "fingerprints">;

/** The fields that differ between two entries of an object. */
export function fieldsThatDiffer(
  address: string,
  before: ShownEntry | undefined,
  after: ShownEntry | undefined,
): HistoryField[] {
  const parsed = parseAddress(address);
  if (!parsed) return [];
  const kind = withEveryField(parsed.kind);
  const readable = readableFields(kind).flatMap(([name, field]): HistoryField[] => {
    const [old, now] = [before?.applied[name], after?.applied[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    return [{ field: name, type: shownType(field), before: old, after: now }];
  });
  const writeOnly = writeOnlyFields(kind).filter(
    (name) => before?.fingerprints?.[name] !== after?.fingerprints?.[name] || before?.id !== after?.id,
  );
  return [...readable, ...writeOnly.map((field) => ({ field, type: "write-only" as const }))];
}

/** The type of a field as it is shown. */
export function shownType(field: Field): ShownField["type"] {
  if (field.type !== "string") return field.type;
  return field.prose ? "prose" : "string";
}
