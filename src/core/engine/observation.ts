import {
  type Doubt,
  type ListedObject,
  type Listing,
  type RemoteObject,
  sortOldestFirst,
} from "../kinds/index.js";
import type { ReferringObject } from "../lifecycle/index.js";
import type { SourceErrorCode } from "../secrets/index.js";
import type { ValueVersion } from "../state/index.js";
import type { Candidate } from "./plan-types.js";
import type { Unreadable } from "./unreadable.js";

/** Declared objects and objects to delete, as read from the account. */
export interface Observation {
  /** By address. */
  readonly objects: ReadonlyMap<string, Observed>;
  /** Lists that were read, by kind name. */
  readonly listings: ReadonlyMap<string, Listing>;
  /** Results of checking write-only values, by address. */
  readonly rotations: ReadonlyMap<string, Rotation>;
  /**
   * Referring objects, by kind name and lower-case id of the referenced object. Contains only kinds with superseded objects
   * to delete whose references could be read.
   */
  readonly references?: ReadonlyMap<string, ReadonlyMap<string, readonly ReferringObject[]>>;
  readonly requests: number;
}

export type Observed =
  /**
   * The object was read. `settled` means that its `updatedAt` is reliable, `recovered` that a lost create made it, and
   * `recreated` that the managed object is gone and this one has its name.
   */
  | {
      readonly seen: "live";
      readonly live: RemoteObject;
      readonly settled: boolean;
      readonly recovered?: true;
      readonly recreated?: true;
    }
  /** The list shows the recorded `updated_at`, so the object equals the applied values. */
  | { readonly seen: "unmoved" }
  /** No object has the id. */
  | { readonly seen: "absent" }
  /** The service cannot return the object. */
  | { readonly seen: "unobservable" }
  /** The read failed. */
  | Unreadable
  /** A create started at `since` (ISO 8601), but its object was not found. An apply is running or was interrupted. */
  | { readonly seen: "under-way"; readonly since: string }
  /** The declaration has no id yet, and no object has its name. */
  | { readonly seen: "nothing" }
  /** The declaration has no id yet, and an object with its name may be missing from the list. */
  | { readonly seen: "unconfirmed"; readonly doubt: Doubt }
  /** Several objects have the declared name. */
  | { readonly seen: "several"; readonly candidates: readonly Candidate[] }
  /** A create's response was lost, and its outcome cannot be determined. */
  | { readonly seen: "unclear"; readonly candidates: readonly Candidate[] };

/** Result of comparing a write-only value with the last one sent, without the value. */
export type Rotation =
  /** The value is unchanged. `versions` are not recorded yet. */
  | { readonly value: "same"; readonly versions?: Readonly<Record<string, ValueVersion>> }
  /** The value differs. */
  | {
      readonly value: "changed";
      /** Set if the files contain another source or version. Otherwise, the same source has a new value. */
      readonly inFiles?: true;
      /** Explanation for the plan, if versions show the change. */
      readonly because?: string;
      /** New version, if versions show the change. */
      readonly version?: string;
      /** Why the source has no value, if it was read. */
      readonly problem?: UnresolvedSource;
    }
  /** No earlier value is recorded. */
  | { readonly value: "unrecorded" }
  /** The fingerprint was made with another `fingerprint_key`. */
  | { readonly value: "other-key" }
  /** The value is not available here. `problem` is undefined if the source was not read. */
  | { readonly value: "unavailable"; readonly problem: UnresolvedSource | undefined };

/** Why a source has no value. `unset` means an environment variable that may be set where the plan is applied. */
export interface UnresolvedSource {
  readonly code: SourceErrorCode | "unset" | "unusable";
  readonly message: string;
}

/** Converts listed objects to candidates, oldest first. */
export function toCandidates(listed: readonly ListedObject[]): Candidate[] {
  return sortOldestFirst(listed).map(({ id, label, createdAt, updatedAt }) => {
    return { id, label, createdAt: createdAt || undefined, updatedAt: updatedAt || undefined };
  });
}
