import { type Field, parseAddress, readableFields, writeOnlyFields } from "../../core/kinds/index.js";
import type { CommitRecord, Definitions, Entry } from "../../core/state/index.js";
import { given, type Head, head } from "./document.js";
import type { ForgottenText, ShownField, ShownValue } from "./plan-document.js";

/** The head of a history; its items follow one by one, because there may be many. */
export interface HistoryHead extends Head<"history"> {
  readonly address?: string;
}

/** One part of a history, newest first. */
export type HistoryItemDocument = HistoryRecordDocument | HistoryGapDocument;

/** A commit of the state. */
export interface HistoryRecordDocument {
  readonly serial: number;
  readonly lineage: string;
  /** It is of a state that was replaced by another one: its serial cannot be named. */
  readonly earlier_state?: true;
  readonly at: string;
  readonly command: string;
  /** An interrupted run had done it; the command is that of the run that found it. */
  readonly recovered?: true;
  /** Nobody has checked it. */
  readonly by: CommitRecord["by"];
  readonly commit?: ShownCommit;
  readonly environment?: string;
  readonly plan_digest?: string;
  readonly moved?: { readonly from: string; readonly to: string };
  /** Of a rollback: what it went back to. */
  readonly restored?: { readonly serial: number; readonly commit?: string };
  readonly changes: readonly HistoryChange[];
}

/** The commit of the files. */
export interface ShownCommit {
  readonly id: string;
  /** The files differed from it. */
  readonly modified: boolean;
  /** The main file, relative to the repository. */
  readonly file: string;
}

/** What was done to one object. */
export interface HistoryChange {
  readonly address: string;
  /** What became of its entry in the state; "none" if the change failed or was skipped. */
  readonly effect: "added" | "changed" | "removed" | "none";
  readonly id?: string;
  readonly action?: string;
  readonly status?: string;
  readonly reason?: string;
  /** The error's code. */
  readonly problem?: string;
  /** Fields that were edited elsewhere: `before` is that edit, which was overwritten. */
  readonly overwritten?: readonly string[];
  /** `protect` was set, or taken away. */
  readonly protect?: boolean;
  readonly fields: readonly HistoryField[];
}

/** The difference of one field. */
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

/** What an object had at two moments, field by field. */
export interface HistoryDiffDocument extends Head<"history-diff"> {
  readonly address: string;
  readonly from: ShownPoint;
  readonly to: ShownPoint;
  readonly fields: readonly HistoryField[];
}

/** An object as it was applied. */
export interface ObjectDocument extends Head<"object"> {
  readonly address: string;
  readonly id: string;
  readonly at: ShownPoint;
  readonly fields: readonly ObjectField[];
}

/** A moment of a history. */
export interface ShownPoint {
  readonly serial: number;
  readonly at?: string;
  readonly commit?: ShownCommit;
}

/** A field of an object as it was applied. */
export interface ObjectField {
  readonly field: string;
  readonly type: ShownField["type"];
  readonly value: ShownValue | ForgottenText;
  /** Why a text cannot be shown: the end of a sentence. */
  readonly missing?: string;
}

/** Starts a history. */
export function historyHead(address: string | undefined): HistoryHead {
  return { ...head("history"), ...given("address", address) };
}

/** One record; of one object only if it is named. */
export function historyRecord(
  record: CommitRecord,
  { address, earlierState }: { readonly address?: string | undefined; readonly earlierState?: boolean } = {},
): HistoryRecordDocument {
  const { serial, lineage, at, command, recovered, by, definitions, plan, moved, restored } = record;
  const { user, host, ci, run } = by;
  return {
    ...{ serial, lineage },
    ...(earlierState ? { earlier_state: true } : {}),
    ...{ at, command },
    ...given("recovered", recovered),
    by: { ...given("user", user), ...given("host", host), ...given("ci", ci), ...given("run", run) },
    ...given("commit", definitions && shownCommit(definitions)),
    ...given("environment", definitions?.environment),
    ...given("plan_digest", plan),
    ...given("moved", moved),
    ...given("restored", restored),
    changes: changesIn(record).filter((change) => address === undefined || change.address === address),
  };
}

/** The difference of an object at two moments, with the texts where they were found. */
export function historyDiff(
  address: string,
  from: ShownPoint,
  to: ShownPoint,
  fields: readonly HistoryField[],
): HistoryDiffDocument {
  return { ...head("history-diff"), address, from, to, fields };
}

/** An object as it was applied. */
export function objectDocument(
  address: string,
  id: string,
  at: ShownPoint,
  fields: readonly ObjectField[],
): ObjectDocument {
  return { ...head("object"), address, id, at, fields };
}

/** The moment of a record. */
export function shownPoint({
  serial,
  record,
}: {
  readonly serial: number;
  readonly record?: Pick<CommitRecord, "at" | "definitions"> | undefined;
}): ShownPoint {
  return {
    serial,
    ...given("at", record?.at),
    ...given("commit", record?.definitions && shownCommit(record.definitions)),
  };
}

/** The commit of the files of a record. */
export function shownCommit(definitions: Definitions): ShownCommit {
  const { commit, modified, folder, file } = definitions;
  return { id: commit, modified, file: folder === "" ? file : `${folder}/${file}` };
}

function changesIn({ objects, results = [] }: CommitRecord): HistoryChange[] {
  const known = new Map(results.map((result) => [result.address, result]));
  const addresses = [...new Set([...Object.keys(objects), ...known.keys()])].sort();
  return addresses.map((address) => {
    const change = Object.hasOwn(objects, address) ? (objects[address] ?? {}) : {};
    const { before, after } = change;
    const effect = after ? (before ? "changed" : "added") : before ? "removed" : "none";
    const { action, status, reason, problem, overwritten } = known.get(address) ?? {};
    const live = after &&
      overwritten && { ...after, applied: { ...(before ?? after).applied, ...overwritten } };
    const isProtected = [before, after].map((entry) => entry?.protected ?? false);
    return {
      ...{ address, effect },
      ...given("id", (after ?? before)?.id),
      ...{ ...given("action", action), ...given("status", status) },
      ...{ ...given("reason", reason), ...given("problem", problem) },
      ...given("overwritten", overwritten && Object.keys(overwritten)),
      ...given(
        "protect",
        isProtected[0] === isProtected[1] || effect === "removed" ? undefined : isProtected[1],
      ),
      fields: effect === "removed" ? [] : fieldsThatDiffer(address, live ?? before, after),
    };
  });
}

type ShownEntry = Pick<Entry, "id" | "applied" | "fingerprints">;

/** The fields that differ between two entries of an object. */
export function fieldsThatDiffer(
  address: string,
  before: ShownEntry | undefined,
  after: ShownEntry | undefined,
): HistoryField[] {
  const kind = parseAddress(address)?.kind;
  if (!kind) return [];
  const readable = readableFields(kind).flatMap(([name, field]): HistoryField[] => {
    const [old, now] = [before?.applied[name], after?.applied[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    return [{ field: name, type: shownType(field), ...given("before", old), ...given("after", now) }];
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
