import {
  type Action,
  type Field,
  getEmptyValue,
  listReadableFields,
  listWriteOnlyFields,
  parseAddress,
  withEveryField,
} from "../../core/kinds/index.js";
import {
  type CommitRecord,
  type RecordedDefinitions,
  type RecordedPullRequest,
  type StateEntry,
  selectPullRequests,
} from "../../core/state/index.js";
import { createHead } from "./document.js";
import type { ForgottenText, PlanDocument, ShownField, ShownValue } from "./plan-document.js";

/** First keys of a history. The items are streamed separately, because a history may be long. */
export type HistoryHead = ReturnType<typeof createHistoryHead>;

/** A record or a gap. Histories start with the newest item. */
export type HistoryItemDocument = HistoryRecordDocument | HistoryGapDocument;

export type HistoryRecordDocument = ReturnType<typeof toHistoryRecord>;
export type HistoryChange = ReturnType<typeof listChanges>[number];
export type BlameDocument = ReturnType<typeof toBlameDocument>;
export interface ComparedObject {
  readonly address: string;
  readonly fields: readonly HistoryField[];
  readonly only_in?: string | undefined;
  /** Reasons why there may be more differences, as sentences. */
  readonly notes?: readonly string[] | undefined;
}
export type DiffDocument = ReturnType<typeof toDiffDocument>;
export type ObjectDocument = ReturnType<typeof toObjectDocument>;
export type ShownPoint = ReturnType<typeof toShownPoint>;
export type ShownCommit = ReturnType<typeof toShownCommit>;

export interface HistoryField {
  readonly field: string;
  readonly type: ShownField["type"];
  readonly before?: ShownValue | ForgottenText;
  readonly after?: ShownValue | ForgottenText;
  /** Reason why a text cannot be shown, as the end of a sentence. */
  readonly missing?: string;
}

/** Serials without a readable record. */
export interface HistoryGapDocument {
  readonly gap: "missing" | "newer" | "damaged";
  readonly from?: number;
  readonly to?: number;
}

/** An applied field of an object. */
export interface RecordedField {
  readonly field: string;
  readonly type: ShownField["type"];
  readonly value: ShownValue | ForgottenText;
  /** Reason why a text cannot be shown, as the end of a sentence. */
  readonly missing?: string;
}

export function createHistoryHead(address: string | undefined) {
  return { ...createHead("history"), address };
}

/** Shows a record, limited to one object if `address` is given. */
export function toHistoryRecord(
  record: CommitRecord,
  { address, earlierState }: { readonly address?: string | undefined; readonly earlierState?: boolean } = {},
) {
  const { serial, lineage, at, command, recovered, by, definitions, plan, ...more } = record;
  const { moved, project, service, restored, held, released } = more;
  const { user, host, ci, run } = by;
  return {
    ...{ serial, lineage },
    /** Whether the record belongs to a replaced state, so its serial is not unique. */
    earlier_state: earlierState || undefined,
    ...{ at, command },
    /**
     * Whether an interrupted run made the change. `command` is then the command of the later run that found the change.
     */
    recovered,
    /** Change author, unverified. */
    by: { user, host, ci, run },
    commit: definitions && toShownCommit(definitions),
    environment: definitions?.environment,
    /**
     * Pull requests as reported by the code host. With `address`, only the pull requests of the change to that object.
     */
    pull_requests: toShownPullRequests(record, address),
    plan_digest: plan,
    moved,
    /** Project that owns the state after the record (`to`) and before it (`from`). */
    project,
    /** Base URL of the account after the record (`to`) and before it (`from`). */
    service,
    /** Serial that a rollback restored. */
    restored,
    /** Hold that the record placed. */
    held,
    released,
    changes: listChanges(record).filter((change) => address === undefined || change.address === address),
  };
}

function toShownPullRequests(record: CommitRecord, address: string | undefined) {
  const { pullRequest, pullRequests = pullRequest ? [pullRequest] : [] } = record;
  const { known, possible } = selectPullRequests(record, address ?? "");
  const shown = pullRequests.filter((one) => address === undefined || [...known, ...possible].includes(one));
  return shown.length > 0 ? shown.map(toShownPullRequest) : undefined;
}

export type ShownPullRequest = Omit<RecordedPullRequest, "changes" | "possible">;

/** Returns a pull request without its changes. */
export function toShownPullRequest({
  changes: _,
  possible: __,
  ...shown
}: RecordedPullRequest): ShownPullRequest {
  return shown;
}

/** A sentence in a live text, with its origin and the record of the change that added the sentence, if any. */
export interface BlamedSentence {
  readonly text: string;
  readonly by: "apply" | "dashboard" | "unknown";
  readonly serial?: number | undefined;
  /** Time of the object's last change according to the service, for an edit without a record. ISO 8601. */
  readonly at?: string | undefined;
  readonly commit?: string | undefined;
  /** Pull requests that the change came from. */
  readonly pull_requests?: readonly ShownPullRequest[] | undefined;
  /** Pull requests that may be the origin of the change. */
  readonly possible_pull_requests?: readonly ShownPullRequest[] | undefined;
  /** Reason why the origin is unknown or may be an earlier change, as a clause. */
  readonly missing?: string | undefined;
}

/** Creates the document for a live text, sentence by sentence. */
export function toBlameDocument(address: string, field: string, sentences: readonly BlamedSentence[]) {
  return { ...createHead("blame"), address, field, sentences };
}

/** Creates the document for the differences between two sides. A side is `files`, `account`, or an environment's files. */
export function toDiffDocument(from: string, to: string, objects: readonly ComparedObject[]) {
  return { ...createHead("diff"), from, to, objects };
}

/** By planned action, the only side that has the object. */
const onlyIn: Readonly<Partial<Record<Action, "account" | "files">>> = {
  ...{ create: "files", missing: "files", delete: "account", forget: "account", protected: "account" },
};

/** Converts planned changes to differences between account and files, in the given direction. */
export function toDiff({ changes }: PlanDocument, from: string, to: string): DiffDocument {
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
  return toDiffDocument(from, to, objects);
}

/** Creates the document for an object as of one serial. */
export function toObjectDocument(
  address: string,
  id: string,
  at: ShownPoint,
  fields: readonly RecordedField[],
) {
  return { ...createHead("object"), address, id, at, fields };
}

/** Shows a serial with the time and commit of its record. */
export function toShownPoint({
  serial,
  record,
}: {
  readonly serial: number;
  readonly record?: Pick<CommitRecord, "at" | "definitions"> | undefined;
}) {
  return {
    serial,
    at: record?.at,
    commit: record?.definitions && toShownCommit(record.definitions),
  };
}

/** Shows the applied files' commit. */
export function toShownCommit({ commit, modified, folder, file }: RecordedDefinitions) {
  return {
    id: commit,
    /** Whether the working tree had uncommitted changes. */
    modified,
    /** Main file path, relative to the repository. */
    file: folder === "" ? file : `${folder}/${file}`,
  };
}

/** Effect on an object's entry in the state. "none" if the change failed or was skipped. */
type Effect = "added" | "changed" | "removed" | "none";

/** Lists the change to each object, by address. */
function listChanges(record: CommitRecord) {
  const { objects, results = [] } = record;
  const outcomes = new Map(results.map((result) => [result.address, result]));
  const addresses = [...new Set([...Object.keys(objects), ...outcomes.keys()])].sort();
  return addresses.map((address) => {
    const { before, after } = Object.hasOwn(objects, address) ? (objects[address] ?? {}) : {};
    const effect: Effect = after ? (before ? "changed" : "added") : before ? "removed" : "none";
    const { action, status, reason, label, problem, overwritten } = outcomes.get(address) ?? {};
    const { known: pulls, possible } = selectPullRequests(record, address);
    const live = after &&
      overwritten && { ...after, applied: { ...(before ?? after).applied, ...overwritten } };
    const [was, is] = [before, after].map((entry) => entry?.protected ?? false);
    const [policyBefore, policy] = [before, after].map((entry) => entry?.onRemoval ?? "default");
    return {
      ...{ address, effect },
      id: (after ?? before)?.id,
      ...{ action, status, reason },
      /** Numbers of the pull requests that the change came from. */
      pull_requests: listNumbers(pulls),
      /** Numbers of pull requests that the change may have come from. */
      possible_pull_requests: listNumbers(possible),
      /** Display name, only for a deleted object. */
      label,
      /** Error code. */
      problem,
      /** Fields whose dashboard edit was overwritten. The edit is in `before`. */
      overwritten: overwritten && Object.keys(overwritten),
      /** New value of `protect`, if it changed. */
      protect: was === is || effect === "removed" ? undefined : is,
      /** New value of `on_removal`, if it changed. */
      on_removal: policyBefore === policy || effect === "removed" ? undefined : policy,
      fields:
        effect === "removed"
          ? []
          : listDifferingFields(address, live ?? before, after).map((field) => fillCleared(address, field)),
    };
  });
}

/** Fills in the value that apply sent to clear a field that the files no longer declare. */
function fillCleared(address: string, shown: HistoryField): HistoryField {
  if (shown.before === undefined || shown.after !== undefined) return shown;
  const parsed = parseAddress(address);
  const field = parsed && withEveryField(parsed.kind).fields[shown.field];
  return { ...shown, after: field && getEmptyValue(field) };
}

function listNumbers(pulls: readonly RecordedPullRequest[]): readonly number[] | undefined {
  return pulls.length > 0 ? pulls.map(({ number }) => number) : undefined;
}

type ShownEntry = Pick<StateEntry, "id" | "applied" | "fingerprints">;

/** Compares two state entries of an object. */
export function listDifferingFields(
  address: string,
  before: ShownEntry | undefined,
  after: ShownEntry | undefined,
): HistoryField[] {
  const parsed = parseAddress(address);
  if (!parsed) return [];
  const kind = withEveryField(parsed.kind);
  const readable = listReadableFields(kind).flatMap(([name, field]): HistoryField[] => {
    const [old, now] = [before?.applied[name], after?.applied[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    return [{ field: name, type: toShownType(field), before: old, after: now }];
  });
  const writeOnly = listWriteOnlyFields(kind).filter(
    (name) => before?.fingerprints?.[name] !== after?.fingerprints?.[name] || before?.id !== after?.id,
  );
  return [...readable, ...writeOnly.map((field) => ({ field, type: "write-only" as const }))];
}

/** Returns a field's type in documents, which distinguish prose from other strings. */
export function toShownType(field: Field): ShownField["type"] {
  if (field.type !== "string") return field.type;
  return field.prose ? "prose" : "string";
}
