import { type ListedObject, type Listing, type Live, oldestFirst } from "../kinds/index.js";
import type { Candidate } from "./plan-value.js";
import type { Unreadable } from "./unreadable.js";

/** What was seen of the declared objects, and of those to be deleted. Made by reading alone. */
export interface Observation {
  /** By address. */
  readonly objects: ReadonlyMap<string, Observed>;
  /** By kind name: what the lists told. Only kinds that were looked for. */
  readonly listings: ReadonlyMap<string, Listing>;
  /** By address: what came of looking at write-only values. */
  readonly rotations: ReadonlyMap<string, Rotation>;
  /** Requests made. */
  readonly requests: number;
}

/** What was seen at one address. */
export type Observed =
  /**
   * The object was read. `settled`: its `updatedAt` was old enough to be trusted later. `recovered`: a create made it
   * whose answer was lost. `succeeds`: the one that was managed is gone, and this one has its name.
   */
  | {
      readonly seen: "live";
      readonly live: Live;
      readonly settled: boolean;
      readonly recovered?: true;
      readonly succeeds?: true;
    }
  /** The list shows the `updated_at` at which it equalled what was applied. */
  | { readonly seen: "unmoved" }
  /** There is no object with the id. */
  | { readonly seen: "absent" }
  /** The service offers no way to see it. */
  | { readonly seen: "unobservable" }
  /** Reading it failed, and nothing else tells what is there. */
  | Unreadable
  /** It has no id yet, and nothing in the account has its name. */
  | { readonly seen: "nothing" }
  /** Several objects have its name. */
  | { readonly seen: "several"; readonly candidates: readonly Candidate[] }
  /** A create's answer was lost and what is there does not tell what became of it. */
  | { readonly seen: "unclear"; readonly candidates: readonly Candidate[] };

/** What is known of a write-only value, without the value. */
export type Rotation =
  /** It is the one last sent. */
  | { readonly value: "same" }
  | { readonly value: "changed" }
  /** There is nothing to compare it with. */
  | { readonly value: "unrecorded" }
  /** The fingerprint was made with another `fingerprint_key`. */
  | { readonly value: "other-key" }
  /** It could not be had here; `problem` says why. */
  | { readonly value: "unavailable"; readonly problem: string };

/** Listed objects as candidates to choose from, oldest first. */
export function candidatesOf(listed: readonly ListedObject[]): Candidate[] {
  return oldestFirst(listed).map(candidateOf);
}

function candidateOf({ id, label, createdAt, updatedAt }: ListedObject): Candidate {
  return { id, label, ...(createdAt ? { createdAt } : {}), ...(updatedAt ? { updatedAt } : {}) };
}
