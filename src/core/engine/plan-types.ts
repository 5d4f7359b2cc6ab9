import { type Action, actionFacts, kindNamed, type RemovalPolicy, type Value } from "../kinds/index.js";
import type { Entry, StoredValue } from "../state/index.js";

export type Reason =
  | "unchanged"
  /** It cannot be read, so it is assumed to be as last applied. */
  | "unobservable"
  /** The value of a write-only field is not available here, so it is assumed to be as last applied. */
  | "unverified"
  /** The files changed. */
  | "configured"
  /** Somebody else changed the live object. */
  | "drifted"
  /** Both changed, differently. */
  | "conflicting"
  /** Both changed, to the same value: nothing to write. */
  | "converged"
  /** Declared for the first time, and not in the account. */
  | "new"
  /** Declared for the first time, and found in the account by its exact name. */
  | "found"
  /** Declared for the first time, by id. */
  | "given"
  /** Made by a create of ours whose answer was lost, and found in the account. */
  | "recovered"
  /** It was in the account and no longer is. */
  | "vanished"
  /** No longer declared. */
  | "removed"
  /** A rotation has replaced it, and the files say that it is deleted then. */
  | "superseded"
  /** In no file, and named by a person: see `prune`. */
  | "undeclared"
  /** A write-only field has a new value. */
  | "rotated"
  /** The declared id is not the one in the state. */
  | "reidentified"
  /** No object has the declared id. */
  | "unknown-id"
  /** Reading it failed, for a reason that does not concern other objects. */
  | "unreadable"
  /** Several objects have the declared name. */
  | "several-found"
  /** A create's answer was lost, and its object cannot be looked up, or differs from what was sent. */
  | "answer-lost";

/** The difference of one field. Write-only fields have neither value. */
export interface FieldChange {
  readonly field: string;
  /** Prose is shown word by word. */
  readonly type: "string" | "prose" | "number" | "boolean" | "list" | "object" | "write-only" | "reference";
  /** Live; as last applied if it cannot be read (long texts then are digests); absent: empty, or unknown. */
  readonly before?: Value | StoredValue | undefined;
  /** What will be written; absent for write-only fields. */
  readonly after?: Value;
  /** Address of the object that this apply makes, for a reference whose id is not known yet. */
  readonly knownAfter?: string | undefined;
  /** Digest of the source of a write-only field, e.g. of the name of a variable; not of its value. */
  readonly source?: string;
  /** Descriptions of the last source and another one, in a plan that is shown: neither saved nor part of the digest. */
  readonly shownSources?: { readonly before?: string; readonly after: string };
  /** Whose edit it is: ours (`configured`), somebody else's (`drifted`), or both (`conflicting`). */
  readonly cause: "configured" | "drifted" | "conflicting";
}

/** An object that may be the right one. */
export interface Candidate {
  readonly id: string;
  readonly label: string;
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
}

/** The change at one address. JSON-serialisable; without secrets. */
export interface Change {
  readonly address: string;
  readonly kind: string;
  /** The object's label; as declared, otherwise as recorded. */
  readonly label: string;
  readonly action: Action;
  readonly reason: Reason;
  readonly id?: string | undefined;
  /** The differences, in the kind's field order; empty if there is nothing to write. */
  readonly fields: readonly FieldChange[];
  /** Applying it would overwrite an edit made elsewhere: refused unless the user allows it. */
  readonly overwrites: boolean;
  /** Digest of the live object it was computed from; for updates and adoptions of readable objects. */
  readonly liveDigest?: string | undefined;
  /** Every declared readable field; for changes that write. */
  readonly wanted?: Readonly<Record<string, Value>>;
  /** Declared references whose ids are not known yet, by field: the addresses of the objects that this apply makes. */
  readonly references?: Readonly<Record<string, string>> | undefined;
  /** For ambiguous changes. */
  readonly candidates?: readonly Candidate[];
  /** Ids that already have the label; none of them is the object that a create makes. */
  readonly known?: readonly string[];
  /** Addresses whose change must come first (they give up the name that this one takes). */
  readonly after?: readonly string[];
  /**
   * The state entry once nothing is left to write: for keeps and adoptions without differences, if it
   * changes. For a supersede, the object that it replaces, if the state does not know it yet.
   */
  readonly entry?: Entry | undefined;
  /** It is protected once this is applied: neither deleted nor forgotten. */
  readonly protect?: true | undefined;
  /** What becomes of it when it leaves the files after this is applied, if its declaration says so. */
  readonly onRemoval?: RemovalPolicy | undefined;
  /** The address that has superseded a deleted object. */
  readonly supersededBy?: string | undefined;
  /**
   * A write-only value could not be read or compared where this plan was made. `missing`: there is none to send; `unknown`: it may
   * have changed, or others may read it.
   */
  readonly unread?: "missing" | "unknown" | undefined;
  /** Why it is on hold, and how to end that; not part of the digest. */
  readonly held?: string;
  /** Further facts: what stays behind, what could not be checked. */
  readonly notes: readonly string[];
}

/** Whether apply leaves a change alone until somebody decides. */
export function isLeftAlone(change: Change, overwriteDrift: boolean): boolean {
  return change.held !== undefined || isSkippedEdit(change, overwriteDrift);
}

/** Whether apply skips a change because it would overwrite a dashboard edit. */
export function isSkippedEdit({ overwrites }: Change, overwriteDrift: boolean): boolean {
  return overwrites && !overwriteDrift;
}

/** Whether the only difference is a dashboard edit: the declared values are those last applied. */
export function isDrift({ action, overwrites, fields }: Change): boolean {
  return overwrites && action !== "delete" && fields.every(({ cause }) => cause === "drifted");
}

/** The changes that apply writes to the account or the state: without skipped edits, holds, and objects that need a decision. */
export function changesToWrite(
  { changes }: Pick<Plan, "changes">,
  overwriteDrift: boolean,
): readonly Change[] {
  return changes.filter(
    (change) => actionFacts[change.action].exit === "changes" && !isLeftAlone(change, overwriteDrift),
  );
}

/**
 * The changes of a plan that people in a running session may notice: those that write to an existing object which
 * sessions use. A new object is used by none, and an edit made elsewhere that is left alone is not written.
 */
export function changesInUse({ changes }: Pick<Plan, "changes">, overwriteDrift: boolean): readonly Change[] {
  return changes.filter((change) => {
    const { kind, action, fields } = change;
    const { sends } = actionFacts[action];
    const writes = sends === "delete" || (sends === "update" && fields.length > 0);
    return writes && !isLeftAlone(change, overwriteDrift) && kindNamed(kind)?.usedInSessions === true;
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

/** More would be changed or removed than apply does without being forced to. */
export interface ExceededThreshold {
  /** Objects in the state. */
  readonly managed: number;
  readonly changed: number;
  readonly removed: number;
  readonly maxPercent: number;
  readonly minObjects: number;
}

/** The sessions that were active when a plan was made, without those of the sandbox. */
export interface ActiveSessions {
  readonly count: number;
  /** False: there are more, on further pages of the list. */
  readonly complete: boolean;
}

/** What the plan was computed from. */
export interface Basis {
  /** Lineage and serial of the state; absent if there was none yet. */
  readonly state?: { readonly lineage: string; readonly serial: number } | undefined;
  /** Base URL. */
  readonly service: string;
  readonly environment?: string | undefined;
  /** The addresses the plan was limited to. */
  readonly targets?: readonly string[] | undefined;
  /** It was compared with what was last applied, and not with the account: it cannot be applied. */
  readonly comparedWith?: "state" | undefined;
  /** The files say that edits made elsewhere are overwritten, and some are. */
  readonly overwritesDrift?: true | undefined;
}

/** The files that a saved plan was made of. */
export interface PlanDefinitions {
  /** The id of the commit that was checked out; absent if git could not tell. */
  readonly commit?: string;
  /** The files differed from those of the commit. */
  readonly modified?: true;
  /** The digest of each file's text, by its path in the project. */
  readonly files: Readonly<Record<string, string>>;
}

/** The plan: a value that is shown, saved, compared and applied. */
export interface Plan {
  readonly basis: Basis;
  /** In the order of kinds, then as declared; forgets last. Includes keeps. */
  readonly changes: readonly Change[];
  readonly notices: readonly Notice[];
  /** Absent if it is not exceeded. */
  readonly threshold?: ExceededThreshold;
  /** Apply overwrites the edits made elsewhere, by its option or by the files. */
  readonly overwritesDrift?: true;
  /** What a saved plan was made of. */
  readonly definitions?: PlanDefinitions;
  /** Given for a plan that is shown, and changes what sessions use: neither saved nor part of the digest. */
  readonly activeSessions?: ActiveSessions;
  /** Requests sent to compute it. */
  readonly requests: number;
  /** Digest over the basis and all changes except keeps. */
  readonly digest: string;
}
