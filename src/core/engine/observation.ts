import { type Doubt, type ListedObject, type Listing, type Live, oldestFirst } from "../kinds/index.js";
import type { ReferringObject } from "../lifecycle/index.js";
import type { SourceErrorCode } from "../secrets/index.js";
import type { ValueVersion } from "../state/index.js";
import type { Candidate } from "./plan-types.js";
import type { Unreadable } from "./unreadable.js";

/** What was observed of the declared objects, and of those to be deleted. Result of reading only. */
export interface Observation {
  /** By address. */
  readonly objects: ReadonlyMap<string, Observed>;
  /** By kind name: the lists. Only for kinds that were looked for. */
  readonly listings: ReadonlyMap<string, Listing>;
  /** By address: the result of checking write-only values. */
  readonly rotations: ReadonlyMap<string, Rotation>;
  /**
   * By kind name: what refers to its objects, by id in lower case. Only for kinds with objects that are superseded and to be
   * deleted; absent where it could not be read.
   */
  readonly references?: ReadonlyMap<string, ReadonlyMap<string, readonly ReferringObject[]>>;
  readonly requests: number;
}

export type Observed =
  /**
   * The object was read. `settled`: its `updatedAt` was old enough to be trusted later. `recovered`: created
   * by a create whose answer was lost. `recreated`: the managed object is gone, and this one has its name.
   */
  | {
      readonly seen: "live";
      readonly live: Live;
      readonly settled: boolean;
      readonly recovered?: true;
      readonly recreated?: true;
    }
  /** The list shows the `updated_at` at which it equalled what was applied. */
  | { readonly seen: "unmoved" }
  /** There is no object with the id. */
  | { readonly seen: "absent" }
  /** The service cannot show it. */
  | { readonly seen: "unobservable" }
  /** Reading it failed, and nothing else shows its state. */
  | Unreadable
  /** A create without an outcome, not found so far: an apply is running, or was interrupted. `since`: ISO 8601. */
  | { readonly seen: "under-way"; readonly since: string }
  /** It has no id yet, and nothing in the account has its name. */
  | { readonly seen: "nothing" }
  /** It has no id yet, and the list cannot show that nothing in the account has its name. */
  | { readonly seen: "unconfirmed"; readonly doubt: Doubt }
  /** Several objects have its name. */
  | { readonly seen: "several"; readonly candidates: readonly Candidate[] }
  /** A create's answer was lost, and its outcome cannot be determined. */
  | { readonly seen: "unclear"; readonly candidates: readonly Candidate[] };

/** What is known of a write-only value, without the value. */
export type Rotation =
  /** It is the last one sent. `versions`: what was learnt of it and is not recorded yet. */
  | { readonly value: "same"; readonly versions?: Readonly<Record<string, ValueVersion>> }
  /**
   * `because` is a sentence, and `version` the new version, if versions show it. `problem`: why there is none at its
   * source now, where that was found out. `inFiles`: the files say so, by another source or another version; otherwise
   * its source has another value.
   */
  | {
      readonly value: "changed";
      readonly inFiles?: true;
      readonly because?: string;
      readonly version?: string;
      readonly problem?: SourceProblem;
    }
  /** There is nothing to compare it with. */
  | { readonly value: "unrecorded" }
  /** The fingerprint was made with another `fingerprint_key`. */
  | { readonly value: "other-key" }
  /** It is not available here; `problem` says why. Undefined: nothing was asked. */
  | { readonly value: "unavailable"; readonly problem: SourceProblem | undefined };

/** Why a source has no value. `unset`: a variable of this environment is not set, which it may be in another. */
export interface SourceProblem {
  readonly code: SourceErrorCode | "unset";
  readonly message: string;
}

/** Listed objects as candidates to choose from, oldest first. */
export function toCandidates(listed: readonly ListedObject[]): Candidate[] {
  return oldestFirst(listed).map(({ id, label, createdAt, updatedAt }) => {
    return { id, label, createdAt: createdAt || undefined, updatedAt: updatedAt || undefined };
  });
}
