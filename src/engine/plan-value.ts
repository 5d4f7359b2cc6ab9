import type { Action, Value } from "../kinds/index.js";
import type { Entry, StoredValue } from "../state/index.js";

/** Why. A reason explains; it never decides. */
export type Reason =
  | "unchanged"
  /** Nothing can be read, so it is taken to be as last applied. */
  | "unobservable"
  /** The value of a write-only field is not available here, so it is taken to be as last applied. */
  | "unverified"
  /** The files changed. */
  | "configured"
  /** Somebody else changed the live object. */
  | "drifted"
  /** Both changed, differently. */
  | "conflicting"
  /** Both changed, to the same: nothing to write. */
  | "converged"
  /** Declared for the first time, and not in the account. */
  | "new"
  /** Declared for the first time, and found in the account by its exact name. */
  | "found"
  /** Declared for the first time, by id. */
  | "given"
  /** A create of ours whose answer was lost was found in the account. */
  | "recovered"
  /** It was there and is gone. */
  | "vanished"
  /** No longer declared. */
  | "removed"
  /** A write-only field has a new value. */
  | "rotated"
  /** The declared id is not the one in the state. */
  | "reidentified"
  /** No object has the declared id. */
  | "unknown-id"
  /** Reading it failed, for a reason that says nothing of the others. */
  | "unreadable"
  /** Several objects have the declared name. */
  | "several-found"
  /** A create's answer was lost and the object cannot be looked up, or what is found is not what was sent. */
  | "answer-lost";

/** The difference of one field. Write-only fields appear with neither value. */
export interface FieldChange {
  readonly field: string;
  /** Prose is shown word by word. */
  readonly type: "string" | "prose" | "list" | "write-only" | "reference";
  /** Live; as last applied where it cannot be read (then long texts are digests); absent: nothing, or not known. */
  readonly before?: Value | StoredValue;
  /** What will be written; absent for write-only fields. */
  readonly after?: Value;
  /** Of a reference whose id is not known yet: the address of the object that this apply makes. */
  readonly knownAfter?: string;
  /** Whose edit it is: ours (`configured`), somebody else's (`drifted`), or both (`conflicting`). */
  readonly cause: "configured" | "drifted" | "conflicting";
}

/** An object that could be the one meant. */
export interface Candidate {
  readonly id: string;
  readonly label: string;
  readonly createdAt?: string;
  readonly updatedAt?: string;
}

/** What will happen to one address. JSON-serialisable; holds no secret. */
export interface Change {
  readonly address: string;
  readonly kind: string;
  /** What people call the object; as declared, else as remembered. */
  readonly label: string;
  readonly action: Action;
  readonly reason: Reason;
  /** The object's id, where there is one already. */
  readonly id?: string;
  /** What differs, in the kind's field order; empty when nothing is to be written. */
  readonly fields: readonly FieldChange[];
  /** Applying it would overwrite an edit made elsewhere: refused unless told otherwise. */
  readonly overwrites: boolean;
  /** Digest of the live object this was computed from; of updates and adoptions that were read. */
  readonly liveDigest?: string;
  /** Every declared readable field; of changes that write. */
  readonly wanted?: Readonly<Record<string, Value>>;
  /** Declared references whose ids are not known yet, by field: the addresses of the objects that this apply makes. */
  readonly references?: Readonly<Record<string, string>>;
  /** Of ambiguous changes. */
  readonly candidates?: readonly Candidate[];
  /** Ids the label belongs to already; none of them is the object a create makes. */
  readonly known?: readonly string[];
  /** Addresses whose change must come first (they give up the name this one takes). */
  readonly after?: readonly string[];
  /**
   * Names go round in a circle, and this one steps out of it: it is given a temporary name first, which is all that those
   * wait for that name it in `after`; the rest is written when `until` has given up the name it takes.
   */
  readonly aside?: { readonly name: string; readonly until: string };
  /**
   * The state entry once nothing is left to write: of keeps and adoptions without differences, if it changes. Of a
   * supersede, the object in whose place it is made, where the state does not know it yet.
   */
  readonly entry?: Entry;
  /** It is protected from deletion once this is applied. */
  readonly protect?: true;
  /** Sentences worth knowing: what stays behind, what could not be checked. */
  readonly notes: readonly string[];
}

/** Something to know that is no change. */
export interface Notice {
  readonly code:
    | "undeclared-objects"
    | "same-name"
    | "unstable-list"
    | "all-vanished"
    | "apply-running"
    | "interrupted"
    | "unverified";
  /** One sentence. */
  readonly message: string;
}

/** An object of the account that no declaration stands for. */
export interface Undeclared {
  /** Name of its kind. */
  readonly kind: string;
  readonly id: string;
  readonly label: string;
  /** As the service wrote it. */
  readonly updatedAt?: string;
}

/** What the plan was computed from. */
export interface Basis {
  /** Lineage and serial of the state; absent where there was none yet. */
  readonly state?: { readonly lineage: string; readonly serial: number };
  /** Base URL. */
  readonly service: string;
  readonly environment?: string;
  /** The addresses the plan was limited to. */
  readonly targets?: readonly string[];
}

/** The plan: a value that is shown, saved, compared and applied. */
export interface Plan {
  readonly basis: Basis;
  /** In the order of kinds, then as declared; forgets last. Keeps included. */
  readonly changes: readonly Change[];
  readonly notices: readonly Notice[];
  /** Requests made to compute it. */
  readonly requests: number;
  /** Digest over the basis and all changes but the keeps. */
  readonly digest: string;
}
