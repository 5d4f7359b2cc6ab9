import type { Diagnostic } from "../diagnostics/index.js";
import type {
  Candidate,
  Change,
  ExceededThreshold,
  FieldChange,
  Notice,
  Plan,
  Reason,
  Undeclared,
} from "../engine/index.js";
import { type Action, comparable, kindNamed, type PlanExit, type Value } from "../kinds/index.js";
import { findingsIn, type ShownFinding } from "./diagnostics-document.js";
import { given, type Head, head } from "./document.js";
import { type PlanSummary, planExit, summaryOf } from "./verdict.js";

/** A plan to show: every change except `keep`, which is only counted. Not enough to apply it. */
export interface PlanDocument extends Head<"plan"> {
  readonly service: string;
  readonly environment?: string;
  readonly targets?: readonly string[];
  readonly state?: { readonly lineage: string; readonly serial: number };
  /** It was compared with what was last applied, because there was no API key. Absent: with the account. */
  readonly compared_with?: "state";
  readonly exit: PlanExit;
  readonly summary: PlanSummary;
  readonly changes: readonly ShownChange[];
  readonly notices: readonly { readonly code: Notice["code"]; readonly message: string }[];
  /** What the policies say of the files and of the plan; absent if nothing. */
  readonly policies?: readonly ShownFinding[];
  /** The thresholds that it exceeds: `apply` needs `--force`. Absent if none. */
  readonly thresholds?: readonly ShownThreshold[];
  /** With --undeclared: the objects of the account that no file declares. */
  readonly undeclared?: readonly ShownUndeclared[];
  /** Of a plan that changes contexts: the sessions that were active, without the sandbox. Absent: not known. */
  readonly active_sessions?: { readonly count: number; readonly complete: boolean };
  /** Requests sent to compute the plan. */
  readonly requests: number;
  readonly digest: string;
}

/** How much would be changed and removed, and the threshold. */
export interface ShownThreshold {
  /** The kind with numbers of its own; absent: all other kinds together. */
  readonly kind?: string;
  readonly managed: number;
  readonly changed: number;
  readonly removed: number;
  readonly max_percent: number;
  readonly min_objects: number;
}

/** One change, without what only apply needs. */
export interface ShownChange {
  readonly address: string;
  readonly kind: string;
  readonly label: string;
  readonly action: Exclude<Action, "keep">;
  readonly reason: Reason;
  readonly id?: string;
  readonly overwrites: boolean;
  readonly fields: readonly ShownField[];
  readonly candidates?: readonly ShownCandidate[];
  readonly notes: readonly string[];
  /** Where it is declared; the file is relative to the project. Absent if no file declares it. */
  readonly declared_at?: ShownLine;
}

/** A line of a file, 1-based. */
export interface ShownLine {
  readonly file: string;
  readonly line: number;
}

/** The difference of one field; no document contains values of write-only fields. */
export interface ShownField {
  readonly field: string;
  readonly type: FieldChange["type"];
  readonly cause: FieldChange["cause"];
  /** Absent: empty, or unknown. */
  readonly before?: ShownValue | ForgottenText;
  readonly after?: ShownValue;
  /** Of a reference: the address of the object whose id it will be, known after apply. */
  readonly known_after?: string;
  /**
   * For prose that consists of whole lines of a file: the file, relative to the project, and its first line,
   * 1-based.
   */
  readonly place?: ShownLine;
  /** Where it is written in the files: the first line of its text, or its key. */
  readonly declared_at?: ShownLine;
}

/** Finds where an object, or a field of it, is declared. */
export type DeclaredAt = (address: string, field?: string) => ShownLine | undefined;

/** Finds the place of a field's text. */
export type PlaceOfText = (address: string, field: string) => ShownField["place"];

/** A text, or the entries of a list without server-assigned keys. */
export type ShownValue = string | readonly Readonly<Record<string, string>>[];

/** A text of which only digest and length (UTF-16 code units) are recorded. */
export interface ForgottenText {
  readonly digest: string;
  readonly length: number;
}

/** An object that may be the right one. */
export interface ShownCandidate {
  readonly id: string;
  readonly label: string;
  readonly created_at?: string;
  readonly updated_at?: string;
}

/** An object of the account that no file declares. */
export interface ShownUndeclared {
  readonly kind: string;
  readonly id: string;
  readonly label: string;
  readonly updated_at?: string;
}

/** Creates the document for a plan: with undeclared objects if requested, and places of texts where known. */
export function planDocument(
  plan: Plan,
  undeclared?: readonly Undeclared[],
  placeOf: PlaceOfText = () => undefined,
  declaredAt: DeclaredAt = () => undefined,
  findings: readonly Diagnostic[] = [],
): PlanDocument {
  const { basis } = plan;
  return {
    ...head("plan"),
    service: basis.service,
    ...given("environment", basis.environment),
    ...given("targets", basis.targets),
    ...given("state", basis.state && { lineage: basis.state.lineage, serial: basis.state.serial }),
    ...given("compared_with", basis.comparedWith),
    exit: planExit(plan),
    summary: summaryOf(plan),
    changes: plan.changes.flatMap((change) => shownChange(change, placeOf, declaredAt)),
    notices: plan.notices.map(({ code, message }) => ({ code, message })),
    ...given("policies", findingsIn(findings)),
    ...given("thresholds", plan.thresholds?.map(shownThreshold)),
    ...given("undeclared", undeclared?.map(shownUndeclared)),
    ...given("active_sessions", plan.activeSessions),
    requests: plan.requests,
    digest: plan.digest,
  };
}

function shownThreshold({ maxPercent, minObjects, ...numbers }: ExceededThreshold): ShownThreshold {
  return { ...numbers, max_percent: maxPercent, min_objects: minObjects };
}

function shownChange(change: Change, placeOf: PlaceOfText, declaredAt: DeclaredAt): ShownChange[] {
  const { address, kind, label, action, reason, id, overwrites, candidates, notes } = change;
  if (action === "keep") return [];
  return [
    {
      address,
      kind,
      label,
      action,
      reason,
      ...given("id", id),
      overwrites,
      fields: change.fields.map((field) => {
        const place = field.type === "prose" ? placeOf(address, field.field) : undefined;
        const at = declaredAt(address, field.field);
        return { ...shownField(kind, field), ...given("place", place), ...given("declared_at", at) };
      }),
      ...given("candidates", candidates?.map(shownCandidate)),
      notes,
      ...given("declared_at", declaredAt(address)),
    },
  ];
}

/** Built key by key, so that a value of a write-only field cannot slip in. */
function shownField(
  kind: string,
  { field, type, cause, before, after, knownAfter }: FieldChange,
): ShownField {
  if (type === "write-only") return { field, type, cause };
  const shown = (value: Value) => shownValue(kind, field, value);
  return {
    field,
    type,
    cause,
    ...given("before", before === undefined || isForgotten(before) ? before : shown(before)),
    ...given("after", after === undefined ? undefined : shown(after)),
    ...given("known_after", knownAfter),
  };
}

/** Server-assigned keys of list entries are not compared, so they are not shown. */
function shownValue(kind: string, field: string, value: Value): ShownValue {
  const described = kindNamed(kind)?.fields[field];
  return described && typeof value !== "string" ? (comparable(described, value) ?? []) : value;
}

/** Whether only the digest of a value is known. */
export function isForgotten(value: ShownValue | ForgottenText): value is ForgottenText {
  return typeof value === "object" && "digest" in value && typeof value.digest === "string";
}

function shownCandidate({ id, label, createdAt, updatedAt }: Candidate): ShownCandidate {
  return { id, label, ...given("created_at", createdAt), ...given("updated_at", updatedAt) };
}

/** An object without a declaration, as shown. */
export function shownUndeclared({ kind, id, label, updatedAt }: Undeclared): ShownUndeclared {
  return { kind, id, label, ...given("updated_at", updatedAt) };
}
