import type { Diagnostic } from "../../base/diagnostics/index.js";
import {
  type Change,
  type FieldChange,
  type MergeConflict,
  mergeValues,
  type Plan,
} from "../../core/engine/index.js";
import {
  actionFacts,
  actionNames,
  findKind,
  normalizeForComparison,
  type PlanExit,
  planExits,
  type Value,
} from "../../core/kinds/index.js";
import { isDigest } from "../../core/state/index.js";
import { listFindings } from "./diagnostics-document.js";
import { createHead, type Parsed } from "./document.js";
import type { forgottenText, planForm, value } from "./schemas/plan-form.js";

/**
 * A plan for display, without the fields that only apply needs. Contains every change except `keep`, which is only
 * counted. `schemas/plan-v1.schema.json` describes each key.
 */
export interface PlanDocument extends Parsed<typeof planForm> {}

/** One change, without fields that only apply needs. */
export type ShownChange = PlanDocument["changes"][number];

/** Difference in one field. Values of write-only fields are never part of a document. */
export type ShownField = ShownChange["fields"][number];

/** Line of a file. The number is 1-based, and the path is relative to the project. */
export type ShownLine = NonNullable<ShownField["location"]>;

/** Value of a field. List entries lack server-assigned keys. */
export type ShownValue = Parsed<typeof value>;

/** Recorded digest and length (UTF-16 code units) of a text. */
export type ForgottenText = Parsed<typeof forgottenText>;

/** Finds the declaration of an object, of a field, or of a part of a field. */
export type DeclarationLocator = (
  address: string,
  field?: string,
  part?: Pick<MergeConflict, "part" | "line">,
) => ShownLine | undefined;

export type ShownConflict = NonNullable<ShownField["conflicts"]>[number];

type Composed = NonNullable<ShownField["composed"]>;

/** Finds the source lines of each part of a composed text. */
export type TextLocator = (address: string, field: string) => Composed["stretches"] | undefined;

/**
 * Returns the location of a text. For a composed text, returns the location of each part, or nothing if `of` is
 * undefined.
 */
export function toShownLocations(
  stretches: ReturnType<TextLocator> = [],
  of: Composed["of"] | undefined,
): Pick<ShownField, "location" | "composed"> {
  const [first, ...more] = stretches;
  if (more.length > 0) return of ? { composed: { of, stretches } } : {};
  return first ? { location: { file: first.file, line: first.line } } : {};
}

export function toPlanDocument(
  plan: Plan,
  locateText: TextLocator = () => undefined,
  locateDeclaration: DeclarationLocator = () => undefined,
  findings: readonly Diagnostic[] = [],
): PlanDocument {
  const { basis } = plan;
  return {
    ...createHead("plan"),
    service: basis.service,
    environment: basis.environment,
    targets: plan.rollback?.isLimited === false ? undefined : basis.targets,
    restored_serial: plan.rollback?.serial,
    state: basis.state && { lineage: basis.state.lineage, serial: basis.state.serial },
    compared_with: basis.comparedWith,
    exit: toPlanExit(plan),
    summary: countChanges(plan),
    changes: plan.changes.flatMap((change) =>
      toShownChanges(change, locateText, locateDeclaration, plan.lastApplied),
    ),
    overwrites_drift: plan.overwritesDrift,
    notices: plan.notices.map(({ code, message }) => ({ code, message })),
    policies: listFindings(findings),
    active_sessions: plan.activeSessions,
    requests: plan.requests,
    digest: plan.digest,
  };
}

/** Returns whether a notice is unrelated to the changes, so that every plan would show it. */
export function isHint({ code }: PlanDocument["notices"][number]): boolean {
  return code === "undeclared-objects" || code === "superseded-objects";
}

/** Omits hints. */
export function dropHints(document: PlanDocument): PlanDocument {
  return { ...document, notices: document.notices.filter((notice) => !isHint(notice)) };
}

function countChanges(plan: Plan): PlanDocument["summary"] {
  const none = [...actionNames, "drifted" as const].map((name) => [name, 0]);
  const summary = Object.fromEntries(none) as { -readonly [Name in keyof PlanDocument["summary"]]: number };
  for (const change of plan.changes) {
    summary[change.action] += 1;
    if (change.overwrites) summary.drifted += 1;
  }
  summary.keep += plan.rollback?.unchanged ?? 0;
  return summary;
}

/**
 * Returns the overall result of a plan. Problems take precedence over changes. The CLI maps the result to an exit code.
 */
export function toPlanExit({ changes }: Pick<Plan, "changes">): PlanExit {
  const exits = new Set(
    changes.map(({ action, unread }) => {
      if (unread === "missing") return "missing";
      return action === "keep" && unread === "unknown" ? "unverified" : actionFacts[action].exit;
    }),
  );
  return planExits.find((exit) => exits.has(exit)) ?? "nothing";
}

/** Returns whether a plan has nothing to apply. */
export function isSettledExit(exit: PlanExit | "refused"): boolean {
  return exit === "nothing" || exit === "unverified";
}

function toShownChanges(
  change: Change,
  locateText: TextLocator,
  locateDeclaration: DeclarationLocator,
  lastApplied: Plan["lastApplied"] = {},
): ShownChange[] {
  const { address, kind, label, action, reason, id, overwrites, candidates, notes } = change;
  if (action === "keep") return [];
  return [
    {
      address,
      kind,
      label,
      action,
      reason,
      id,
      overwrites,
      fields: change.fields.map((field) => {
        const locations =
          field.type === "prose" ? toShownLocations(locateText(address, field.field), "after") : {};
        const at = locateDeclaration(address, field.field);
        const sides = toShownSides(kind, field, lastApplied[`${address}.${field.field}`], (conflict) =>
          locateDeclaration(address, field.field, conflict),
        );
        return { ...toShownField(kind, field), ...sides, ...locations, declared_at: at };
      }),
      candidates: candidates?.map(({ id, label, createdAt, updatedAt }) => ({
        id,
        label,
        created_at: createdAt,
        updated_at: updatedAt,
      })),
      held: change.held,
      notes,
      declared_at: locateDeclaration(address),
    },
  ];
}

/** Copies key by key, so that values of write-only fields are never included. */
function toShownField(
  kind: string,
  { field, type, cause, before, after, knownAfter, shownSources }: FieldChange,
): ShownField {
  if (type === "write-only")
    return { field, type, cause, source_before: shownSources?.before, source: shownSources?.after };
  const showValue = (value: Value) => toShownValue(kind, field, value);
  return {
    field,
    type,
    cause,
    before: before === undefined || isForgotten(before) ? before : showValue(before),
    after: after === undefined ? undefined : showValue(after),
    known_after: knownAfter,
  };
}

/** Returns the last applied value of a conflicting field, and the conflicts that `pull` finds. */
function toShownSides(
  kind: string,
  { field, cause, before, after }: FieldChange,
  applied: Value | undefined,
  locateText: (conflict: MergeConflict) => ShownLine | undefined,
): Pick<ShownField, "applied" | "conflicts"> {
  const facts = findKind(kind)?.fields[field];
  if (cause !== "conflicting" || !facts || applied === undefined || after === undefined) return {};
  const { conflicts } = mergeValues(facts, { applied, yours: after, dashboard: (before as Value) ?? "" });
  return {
    applied: toShownValue(kind, field, applied),
    conflicts: conflicts.map((one) => toShownConflict(one, locateText(one))),
  };
}

/** Replaces line numbers within the text with the location in the files. */
export function toShownConflict(
  { line: _, mergedLine: _merged, ...sides }: MergeConflict,
  location: ShownLine | undefined,
): ShownConflict {
  return { ...sides, location };
}

/** Omits server-assigned keys of list entries, which comparisons also ignore. */
function toShownValue(kind: string, field: string, value: Value): ShownValue {
  const described = findKind(kind)?.fields[field];
  return described && typeof value === "object" ? (normalizeForComparison(described, value) ?? []) : value;
}

/** Returns whether only the digest and length of the value are known. */
export function isForgotten(value: ShownValue | ForgottenText): value is ForgottenText {
  return isDigest(value);
}
