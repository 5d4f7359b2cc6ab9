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

/** The observed objects: declared ones and those to delete. Created by reading only. */
export interface Observation {
  /** By address. */
  readonly objects: ReadonlyMap<string, Observed>;
  /** Lists that were read, by kind name. */
  readonly listings: ReadonlyMap<string, Listing>;
  /** Results of checking write-only values, by address. */
  readonly rotations: ReadonlyMap<string, Rotation>;
  /**
   * Referring objects by kind name and id in lower case. Only for kinds with superseded objects to delete; absent if they
   * could not be read.
   */
  readonly references?: ReadonlyMap<string, ReadonlyMap<string, readonly ReferringObject[]>>;
  readonly requests: number;
}

export type Observed =
  /**
   * The object was read. `settled`: its `updatedAt` is reliable. `recovered`: from a create whose response was lost.
   * `recreated`: the managed object is gone, and this one has its name.
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
  /** The service cannot show it. */
  | { readonly seen: "unobservable" }
  /** Reading it failed. */
  | Unreadable
  /** The object of a create without an outcome was not found: an apply is running or was interrupted. `since`: ISO 8601. */
  | { readonly seen: "under-way"; readonly since: string }
  /** It has no id yet, and no object has its name. */
  | { readonly seen: "nothing" }
  /** It has no id yet, and the list cannot prove that no object has its name. */
  | { readonly seen: "unconfirmed"; readonly doubt: Doubt }
  /** Several objects have its name. */
  | { readonly seen: "several"; readonly candidates: readonly Candidate[] }
  /** A create's response was lost, and its outcome cannot be determined. */
  | { readonly seen: "unclear"; readonly candidates: readonly Candidate[] };

/** Comparison of a write-only value with the last one sent, without the value. */
export type Rotation =
  /** It is the last one sent. `versions` are new and not recorded yet. */
  | { readonly value: "same"; readonly versions?: Readonly<Record<string, ValueVersion>> }
  /**
   * It differs. `because` is a sentence, and `version` the new version, if versions show it. `problem`: why its source has no
   * value, if the source was read. `inFiles`: the files name another source or version; otherwise its source has a new value.
   */
  | {
      readonly value: "changed";
      readonly inFiles?: true;
      readonly because?: string;
      readonly version?: string;
      readonly problem?: UnresolvedSource;
    }
  /** No earlier value is recorded. */
  | { readonly value: "unrecorded" }
  /** The fingerprint was made with another `fingerprint_key`. */
  | { readonly value: "other-key" }
  /** It is not available here. `problem` is the reason; undefined if its source was not read. */
  | { readonly value: "unavailable"; readonly problem: UnresolvedSource | undefined };

/** Why a source has no value. `unset`: an environment variable is not set, but may be set where the plan is applied. */
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
