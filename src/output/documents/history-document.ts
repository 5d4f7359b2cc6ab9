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
  /** Notes on possible further differences, as sentences. */
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
  /** Why a text is not available, phrased as the end of a sentence. */
  readonly missing?: string;
}

/** Range of serials without a readable record. */
export interface HistoryGapDocument {
  readonly gap: "missing" | "newer" | "damaged";
  readonly from?: number;
  readonly to?: number;
}

export interface RecordedField {
  readonly field: string;
  readonly type: ShownField["type"];
  readonly value: ShownValue | ForgottenText;
  /** Why a text is not available, phrased as the end of a sentence. */
  readonly missing?: string;
}

export function createHistoryHead(address: string | undefined) {
  return { ...createHead("history"), address };
}

/** Converts a record, limited to one object if `address` is given. */
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
     * Whether the change was made by an interrupted run. `command` is then the command of the later run that discovered
     * it.
     */
    recovered,
    /** Change author, unverified. */
    by: { user, host, ci, run },
    commit: definitions && toShownCommit(definitions),
    environment: definitions?.environment,
    /** Pull requests as reported by the code host. With `address`, only those that changed the object. */
    pull_requests: toShownPullRequests(record, address),
    plan_digest: plan,
    moved,
    /** Owning project before (`from`) and after the record (`to`). */
    project,
    /** Base URL of the account before (`from`) and after the record (`to`). */
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

/** A sentence of a live text, with its origin and the record of the change that added it, if there is one. */
export interface BlamedSentence {
  readonly text: string;
  readonly by: "apply" | "dashboard" | "unknown";
  readonly serial?: number | undefined;
  /** When the object last changed (ISO 8601), according to the service. Only for an edit without a record. */
  readonly at?: string | undefined;
  readonly commit?: string | undefined;
  /** Pull requests that the change came from. */
  readonly pull_requests?: readonly ShownPullRequest[] | undefined;
  /** Pull requests that the change may have come from. */
  readonly possible_pull_requests?: readonly ShownPullRequest[] | undefined;
  /** Why the origin is unknown or may be an earlier change, phrased as a clause. */
  readonly missing?: string | undefined;
}

export function toBlameDocument(address: string, field: string, sentences: readonly BlamedSentence[]) {
  return { ...createHead("blame"), address, field, sentences };
}

/** Creates the document for the differences between two sides. A side is `files`, `account`, or an environment's files. */
export function toDiffDocument(from: string, to: string, objects: readonly ComparedObject[]) {
  return { ...createHead("diff"), from, to, objects };
}

/** Side that has the object, for planned actions on objects that only one side has. */
const onlyIn: Readonly<Partial<Record<Action, "account" | "files">>> = {
  ...{ create: "files", missing: "files", delete: "account", forget: "account", protected: "account" },
};

/** Converts planned changes to differences between the account and the files, in the given direction. */
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

export function toObjectDocument(
  address: string,
  id: string,
  at: ShownPoint,
  fields: readonly RecordedField[],
) {
  return { ...createHead("object"), address, id, at, fields };
}

/** Converts a serial, with the time and commit of its record. */
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

/** Converts the commit of the applied files. */
export function toShownCommit({ commit, modified, folder, file }: RecordedDefinitions) {
  return {
    id: commit,
    /** Whether the working tree had uncommitted changes. */
    modified,
    /** Main file path, relative to the repository. */
    file: folder === "" ? file : `${folder}/${file}`,
  };
}

/** Effect on the object's state entry: "none" if the change failed or was skipped. */
type Effect = "added" | "changed" | "removed" | "none";

/** Lists the changes, sorted by address. */
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

/** Fills in the empty value that apply sent to clear an undeclared field. */
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

/** Lists the fields that differ between two state entries of an object. */
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
