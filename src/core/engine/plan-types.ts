import { type Action, actionFacts, findKind, type RemovalPolicy, type Value } from "../kinds/index.js";
import type { StateEntry, StoredValue } from "../state/index.js";

export type ChangeReason =
  | "unchanged"
  /** Object that cannot be read, so the last applied values are assumed. */
  | "unobservable"
  /** Write-only value that is not available here, so the last applied value is assumed. */
  | "unverified"
  /** Change in the files. */
  | "configured"
  /** Live object that was edited elsewhere since the last apply. */
  | "drifted"
  /** Different changes in the files and the live object. */
  | "conflicting"
  /** Same change in the files and the live object, so there is nothing to write. */
  | "converged"
  /** Object that is declared for the first time, and not in the account. */
  | "new"
  /** Object that is declared for the first time, and found in the account by its exact name. */
  | "found"
  /** Object that is declared by id for the first time. */
  | "given"
  /** Object whose create response was lost, found in the account. */
  | "recovered"
  /** Object that is no longer in the account. */
  | "vanished"
  /** Object that was removed from the files. */
  | "removed"
  /** Object that was replaced by a rotation and is deleted because of `on_rotation`. */
  | "superseded"
  /** Undeclared object that the user selected (see `prune`). */
  | "undeclared"
  /** New value of a write-only field. */
  | "rotated"
  /** Declared id that differs from the recorded id. */
  | "reidentified"
  /** Declared id that no object has. */
  | "unknown-id"
  /** Object that could not be read, for a reason that does not affect other objects. */
  | "unreadable"
  /** Declared name that several objects have. */
  | "several-found"
  /** Id that several declared objects have in the state. */
  | "shared-id"
  /** Create whose response was lost. Its object cannot be looked up or differs from the request. */
  | "answer-lost";

/** Difference in one field. Write-only fields have no values. */
export interface FieldChange {
  readonly field: string;
  /** Changes to `prose` are shown word by word. */
  readonly type: "string" | "prose" | "number" | "boolean" | "list" | "object" | "write-only" | "reference";
  /** Live value, or the last applied value if unreadable (long texts as digests). Omitted if empty or unknown. */
  readonly before?: Value | StoredValue | undefined;
  /** New value. Omitted for write-only fields. */
  readonly after?: Value;
  /** Address of the referenced object, if its id is not known before the apply. */
  readonly knownAfter?: string | undefined;
  /** Digest of a write-only field's source (such as a variable name), not of its value. */
  readonly source?: string;
  /** Source descriptions for display. Neither saved nor part of the digest. */
  readonly shownSources?: { readonly before?: string; readonly after: string };
  /** Whether the value changed in the files (`configured`), in the account (`drifted`) or in both (`conflicting`). */
  readonly cause: "configured" | "drifted" | "conflicting";
}

/** Possible match for an ambiguous change. */
export interface Candidate {
  readonly id: string;
  readonly label: string;
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
}

/** Change at one address. JSON-serializable and without secrets. */
export interface Change {
  readonly address: string;
  readonly kind: string;
  /** Declared name, or else the recorded name. */
  readonly label: string;
  readonly action: Action;
  readonly reason: ChangeReason;
  readonly id?: string | undefined;
  /** Differences, in the kind's field order. Empty if there is nothing to write. */
  readonly fields: readonly FieldChange[];
  /** Whether the change would overwrite an edit made elsewhere, which needs the user's permission. */
  readonly overwrites: boolean;
  /** Digest of the live object, for changes to an existing object that could be read. */
  readonly liveDigest?: string | undefined;
  /** All declared readable fields, for changes that write. */
  readonly wanted?: Readonly<Record<string, Value>>;
  /** Addresses of referenced objects that this apply creates, by field. */
  readonly references?: Readonly<Record<string, string>> | undefined;
  /** Possible matches for an ambiguous change. */
  readonly candidates?: readonly Candidate[];
  /** Ids of objects that had the name before a create. */
  readonly known?: readonly string[];
  /** Addresses whose changes must come first. */
  readonly after?: readonly string[];
  /**
   * State entry to record without a write, for a keep or an adoption without differences. For a superseding create, the
   * entry of the replaced object if the state lacks it.
   */
  readonly entry?: StateEntry | undefined;
  /** Whether the object is protected after the apply. */
  readonly protect?: true | undefined;
  /** Declared `on_removal`, which the apply records. */
  readonly onRemoval?: RemovalPolicy | undefined;
  /** Address of the successor, for the delete of a superseded object. */
  readonly supersededBy?: string | undefined;
  /**
   * Reason why a write-only value could not be read for the plan. A `missing` value does not exist, a `withheld` value
   * is inaccessible to this run, and an `unknown` value may have changed.
   */
  readonly unread?: "missing" | "withheld" | "unknown" | undefined;
  /** Reason for the hold and how to release it, if the object is on hold. Not part of the digest. */
  readonly held?: string;
  /** Further facts, such as objects that stay in the account and failed checks. */
  readonly notes: readonly string[];
}

/** Returns whether apply skips a change until the user decides. */
export function isWithheld(change: Change, overwriteDrift: boolean): boolean {
  return change.held !== undefined || isSkippedEdit(change, overwriteDrift);
}

/** Returns whether apply skips a change because it would overwrite a dashboard edit. */
export function isSkippedEdit({ overwrites }: Change, overwriteDrift: boolean): boolean {
  return overwrites && !overwriteDrift;
}

/** Returns whether the only difference is a dashboard edit, and the files are unchanged. */
export function isDrift({ action, overwrites, fields }: Change): boolean {
  return overwrites && action !== "delete" && fields.every(({ cause }) => cause === "drifted");
}

/** Returns the changes that apply writes. Excludes skipped edits, changes on hold, and objects that need a decision. */
export function listChangesToWrite(
  { changes }: Pick<Plan, "changes">,
  overwriteDrift: boolean,
): readonly Change[] {
  return changes.filter(
    (change) => actionFacts[change.action].exit === "changes" && !isWithheld(change, overwriteDrift),
  );
}

/**
 * Returns the changes that may affect running sessions. These are writes to existing objects that sessions use, except
 * skipped edits.
 */
export function listChangesInUse(
  { changes }: Pick<Plan, "changes">,
  overwriteDrift: boolean,
): readonly Change[] {
  return changes.filter((change) => {
    const { kind, action, fields } = change;
    const { sends } = actionFacts[action];
    const writes = sends === "delete" || (sends === "update" && fields.length > 0);
    return writes && !isWithheld(change, overwriteDrift) && findKind(kind)?.usedInSessions === true;
  });
}

/** Information about a plan other than its changes. */
export interface Notice {
  readonly code:
    | "behind"
    | "unknown-ancestry"
    | "undeclared-objects"
    | "unstable-list"
    | "ignored-fields"
    | "all-vanished"
    | "apply-running"
    | "interrupted"
    | "threshold"
    | "not-compared"
    | "same-name"
    | "name-taken"
    | "unverified"
    | "superseded-kept"
    | "superseded-objects"
    | "rollback"
    | "only-rotations"
    | "active-sessions"
    | "held"
    | "held-objects"
    | "needs";
  /** Text of at most three sentences. */
  readonly message: string;
}

/** Object counts and limits of a plan that exceeds the threshold and so needs `--allow threshold`. */
export interface ExceededThreshold {
  /** Number of objects in the state. */
  readonly managed: number;
  readonly changed: number;
  readonly removed: number;
  readonly maxPercent: number;
  readonly minObjects: number;
}

/** Sessions that were active when the plan was made, except sandbox sessions. */
export interface ActiveSessions {
  readonly count: number;
  /** Whether `count` covers all pages of the list. */
  readonly complete: boolean;
}

/** Inputs that a plan was computed from. */
export interface PlanContext {
  /** State lineage and serial. Omitted before the first apply. */
  readonly state?: { readonly lineage: string; readonly serial: number } | undefined;
  /** Service base URL. */
  readonly service: string;
  readonly environment?: string | undefined;
  /** Addresses that the plan is limited to. */
  readonly targets?: readonly string[] | undefined;
  /** Set if the plan was compared with the state instead of the account. It then cannot be applied. */
  readonly comparedWith?: "state" | undefined;
  /** Whether the files allow the plan to overwrite edits made elsewhere. */
  readonly overwritesDrift?: true | undefined;
}

/** Earlier state that a plan restores. */
export interface RollbackScope {
  readonly serial: number;
  /** Whether the user named the objects to restore. */
  readonly isLimited: boolean;
  /** Number of objects that the state shows as unchanged since the serial. They were not compared with the account. */
  readonly unchanged: number;
}

/** Files that a saved plan was made from. */
export interface PlanDefinitions {
  /** Id of the checked-out commit. Omitted if git could not read it. */
  readonly commit?: string;
  /** Whether the files differed from the commit. */
  readonly modified?: true;
  /** File digests, by path in the project. */
  readonly files: Readonly<Record<string, string>>;
}

/** Plan as a value that is shown, saved, compared and applied. */
export interface Plan {
  readonly basis: PlanContext;
  /** Changes sorted by kind, then in declaration order, with removals last. Includes keeps. */
  readonly changes: readonly Change[];
  readonly notices: readonly Notice[];
  /** Set if the plan is a rollback. */
  readonly rollback?: RollbackScope;
  /** Object counts and limits, if the plan exceeds the threshold. */
  readonly threshold?: ExceededThreshold;
  /** Whether apply overwrites edits made elsewhere, because of the option or the files. */
  readonly overwritesDrift?: true;
  /** Files that the plan was made from. */
  readonly definitions?: PlanDefinitions;
  /** Running sessions, for display, if the plan changes objects in use. Neither saved nor part of the digest. */
  readonly activeSessions?: ActiveSessions;
  /** Last applied values of conflicting fields, by `ADDRESS.FIELD`, if known. Neither saved nor part of the digest. */
  readonly lastApplied?: Readonly<Record<string, Value>>;
  /** Number of requests sent to compute the plan. */
  readonly requests: number;
  /** Digest of the basis and all changes except keeps. */
  readonly digest: string;
}
