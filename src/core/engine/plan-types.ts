import { type Action, actionFacts, findKind, type RemovalPolicy, type Value } from "../kinds/index.js";
import type { StateEntry, StoredValue } from "../state/index.js";

export type ChangeReason =
  | "unchanged"
  /** It cannot be read, so the last applied values are assumed. */
  | "unobservable"
  /** A write-only value is not available here, so the last applied one is assumed. */
  | "unverified"
  /** The files changed. */
  | "configured"
  /** The live object was edited elsewhere. */
  | "drifted"
  /** Both changed, differently. */
  | "conflicting"
  /** Both changed to the same value, so there is nothing to write. */
  | "converged"
  /** Declared for the first time, and not in the account. */
  | "new"
  /** Declared for the first time, and found in the account by its exact name. */
  | "found"
  /** Declared for the first time, by id. */
  | "given"
  /** Made by a create whose response was lost, and found in the account. */
  | "recovered"
  /** It was in the account and no longer is. */
  | "vanished"
  /** No longer declared. */
  | "removed"
  /** Replaced by a rotation, and `on_rotation` deletes it. */
  | "superseded"
  /** Not declared, and selected by the user: see `prune`. */
  | "undeclared"
  /** A write-only field has a new value. */
  | "rotated"
  /** The declared id is not the one in the state. */
  | "reidentified"
  /** No object has the declared id. */
  | "unknown-id"
  /** Reading it failed for a reason that does not affect other objects. */
  | "unreadable"
  /** Several objects have the declared name. */
  | "several-found"
  /** A create's response was lost, and its object cannot be looked up or differs from the request. */
  | "answer-lost";

/** The difference of one field. Write-only fields have no values. */
export interface FieldChange {
  readonly field: string;
  /** `prose` is shown word by word. */
  readonly type: "string" | "prose" | "number" | "boolean" | "list" | "object" | "write-only" | "reference";
  /** Live value, or the last applied one if it cannot be read, with digests for long texts. Absent if empty or unknown. */
  readonly before?: Value | StoredValue | undefined;
  /** New value; absent for write-only fields. */
  readonly after?: Value;
  /** Address of the object to create, for a reference whose id is not known yet. */
  readonly knownAfter?: string | undefined;
  /** Digest of a write-only field's source, such as the name of a variable, not of its value. */
  readonly source?: string;
  /** Descriptions of the sources, for display: neither saved nor part of the digest. */
  readonly shownSources?: { readonly before?: string; readonly after: string };
  /** Where the value changed: in the files (`configured`), in the account (`drifted`) or both (`conflicting`). */
  readonly cause: "configured" | "drifted" | "conflicting";
}

/** A possible match for an ambiguous change. */
export interface Candidate {
  readonly id: string;
  readonly label: string;
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
}

/** The change at one address. JSON-serialisable and without secrets. */
export interface Change {
  readonly address: string;
  readonly kind: string;
  /** The declared or else the recorded name. */
  readonly label: string;
  readonly action: Action;
  readonly reason: ChangeReason;
  readonly id?: string | undefined;
  /** The differences, in the kind's field order; empty if there is nothing to write. */
  readonly fields: readonly FieldChange[];
  /** Whether it would overwrite an edit made elsewhere, which needs the user's permission. */
  readonly overwrites: boolean;
  /** Digest of the live object, for updates and adoptions of readable objects. */
  readonly liveDigest?: string | undefined;
  /** All declared readable fields, for changes that write. */
  readonly wanted?: Readonly<Record<string, Value>>;
  /** Addresses of referenced objects that this apply creates, by field. */
  readonly references?: Readonly<Record<string, string>> | undefined;
  /** For ambiguous changes. */
  readonly candidates?: readonly Candidate[];
  /** Ids of objects that had the name before a create. */
  readonly known?: readonly string[];
  /** Addresses whose changes must come first. */
  readonly after?: readonly string[];
  /**
   * New state entry of a keep or an adoption without differences. For a supersede, the replaced object if the state does not
   * contain it yet.
   */
  readonly entry?: StateEntry | undefined;
  /** Whether it is protected after the apply. */
  readonly protect?: true | undefined;
  /** Declared `on_removal`, recorded by the apply. */
  readonly onRemoval?: RemovalPolicy | undefined;
  /** Address of the object that superseded a deleted one. */
  readonly supersededBy?: string | undefined;
  /**
   * Set if a write-only value could not be read where the plan was made. `missing`: the value does not exist. `withheld`:
   * this run has no access to it, which a plan does not need. `unknown`: it may have changed.
   */
  readonly unread?: "missing" | "withheld" | "unknown" | undefined;
  /** Why it is on hold and how to release it. Not part of the digest. */
  readonly held?: string;
  /** Further facts, such as objects that stay in the account and failed checks. */
  readonly notes: readonly string[];
}

/** Whether apply skips a change until the user decides. */
export function isWithheld(change: Change, overwriteDrift: boolean): boolean {
  return change.held !== undefined || isSkippedEdit(change, overwriteDrift);
}

/** Whether apply skips a change because it would overwrite a dashboard edit. */
export function isSkippedEdit({ overwrites }: Change, overwriteDrift: boolean): boolean {
  return overwrites && !overwriteDrift;
}

/** Whether the only difference is a dashboard edit, and the files are unchanged. */
export function isDrift({ action, overwrites, fields }: Change): boolean {
  return overwrites && action !== "delete" && fields.every(({ cause }) => cause === "drifted");
}

/** Returns the changes that apply writes, without skipped edits, holds, and objects that need a decision. */
export function listChangesToWrite(
  { changes }: Pick<Plan, "changes">,
  overwriteDrift: boolean,
): readonly Change[] {
  return changes.filter(
    (change) => actionFacts[change.action].exit === "changes" && !isWithheld(change, overwriteDrift),
  );
}

/**
 * Returns the changes that may affect running sessions: writes of existing objects that sessions use, without skipped edits.
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

/** A fact that is not a change. */
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
    | "unverified"
    | "superseded-kept"
    | "rollback"
    | "only-rotations"
    | "active-sessions"
    | "held"
    | "held-objects";
  /** One sentence. */
  readonly message: string;
}

/** Numbers of a plan above the threshold, which apply carries out only with --force. */
export interface ExceededThreshold {
  /** Objects in the state. */
  readonly managed: number;
  readonly changed: number;
  readonly removed: number;
  readonly maxPercent: number;
  readonly minObjects: number;
}

/** Sessions that were active when the plan was made, without sandbox sessions. */
export interface ActiveSessions {
  readonly count: number;
  /** False if there are more, on further pages of the list. */
  readonly complete: boolean;
}

/** Context from which a plan was computed. */
export interface PlanContext {
  /** Lineage and serial of the state; absent before the first apply. */
  readonly state?: { readonly lineage: string; readonly serial: number } | undefined;
  /** Base URL. */
  readonly service: string;
  readonly environment?: string | undefined;
  /** Addresses to which the plan was limited. */
  readonly targets?: readonly string[] | undefined;
  /** Set if it was compared with the state instead of the account. Such a plan cannot be applied. */
  readonly comparedWith?: "state" | undefined;
  /** Set if the files allow overwriting edits made elsewhere, and the plan overwrites some. */
  readonly overwritesDrift?: true | undefined;
}

/** The files from which a saved plan was made. */
export interface PlanDefinitions {
  /** Id of the checked-out commit; absent if git could not read it. */
  readonly commit?: string;
  /** Set if the files differed from the commit. */
  readonly modified?: true;
  /** Digests of the files by path in the project. */
  readonly files: Readonly<Record<string, string>>;
}

/** A plan as a value that is shown, saved, compared and applied. */
export interface Plan {
  readonly basis: PlanContext;
  /** Sorted by kind, then in declaration order, with forgets last. Includes keeps. */
  readonly changes: readonly Change[];
  readonly notices: readonly Notice[];
  /** Set if the plan exceeds the threshold. */
  readonly threshold?: ExceededThreshold;
  /** Set if apply overwrites edits made elsewhere, because of the option or the files. */
  readonly overwritesDrift?: true;
  /** Files of a saved plan. */
  readonly definitions?: PlanDefinitions;
  /** For display if the plan changes objects that sessions use: neither saved nor part of the digest. */
  readonly activeSessions?: ActiveSessions;
  /** Number of requests sent to compute it. */
  readonly requests: number;
  /** Digest of the basis and all changes except keeps. */
  readonly digest: string;
}
