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
  /** Observations by address. */
  readonly objects: ReadonlyMap<string, Observed>;
  /** Every list that was read, by kind name. */
  readonly listings: ReadonlyMap<string, Listing>;
  /** Results of checking write-only values, by address. */
  readonly rotations: ReadonlyMap<string, Rotation>;
  /**
   * Objects that refer to others, by the kind name and lower-case id of the referenced object. Only for kinds with
   * superseded objects to delete, and only if their references could be read.
   */
  readonly references?: ReadonlyMap<string, ReadonlyMap<string, readonly ReferringObject[]>>;
  readonly requests: number;
}

export type Observed =
  /**
   * Object that was read. `hasReliableTimestamp` means that any later edit changes its `updatedAt`. A `recovered`
   * object comes from a lost create, and a `recreated` one has the name of a managed object that is gone.
   */
  | {
      readonly seen: "live";
      readonly live: RemoteObject;
      readonly hasReliableTimestamp: boolean;
      readonly recovered?: true;
      readonly recreated?: true;
    }
  /** Object that was not read, because its `updated_at` in the list is unchanged. It still has the applied values. */
  | { readonly seen: "unmoved" }
  /** No object has this id. */
  | { readonly seen: "absent" }
  /** Object that the service cannot return. */
  | { readonly seen: "unobservable" }
  /** Object whose read failed. */
  | Unreadable
  /**
   * Create that started at `since` (ISO 8601) and whose object was not found. An apply is running or was interrupted.
   */
  | { readonly seen: "under-way"; readonly since: string }
  /** Declaration without an id. The account has no object to adopt by name. */
  | { readonly seen: "nothing" }
  /** Declaration without an id. The list may be missing an object with its name. */
  | { readonly seen: "unconfirmed"; readonly doubt: Doubt }
  /** Declaration without an id. Several objects have its name. */
  | { readonly seen: "several"; readonly candidates: readonly Candidate[] }
  /** Create whose response was lost and whose outcome cannot be determined. */
  | { readonly seen: "unclear"; readonly candidates: readonly Candidate[] };

export type LiveObservation = Extract<Observed, { seen: "live" }>;

/** Result of comparing a write-only value with the value last sent. Does not contain the value. */
export type Rotation =
  /** Unchanged value. `versions` are those that the state does not record yet. */
  | { readonly value: "same"; readonly versions?: Readonly<Record<string, ValueVersion>> }
  /** Changed value. */
  | {
      readonly value: "changed";
      /** Whether the source or version in the files changed. If not, the same source has a new value. */
      readonly inFiles?: true;
      /** Explanation for the plan, if versions show the change. */
      readonly because?: string;
      /** New version, if the source has versions. */
      readonly version?: string;
      /** Reason why the source has no value. Omitted if the source was not read. */
      readonly problem?: UnresolvedSource;
    }
  /** Value that cannot be compared, because nothing is recorded. */
  | { readonly value: "unrecorded" }
  /** Value whose stored fingerprint was made with another `fingerprint_key`. */
  | { readonly value: "other-key" }
  /** Value that is not available here. `problem` is undefined if the source was not read. */
  | { readonly value: "unavailable"; readonly problem: UnresolvedSource | undefined };

/**
 * Reason why a source has no value. `unset` means an environment variable that may be set where the plan is applied.
 */
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
