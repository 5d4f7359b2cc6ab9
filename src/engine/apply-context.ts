import type { Kind, Listing } from "../kinds/index.js";
import type { ApplyInput } from "./apply-input.js";
import type { TimestampTracker } from "./timestamp-tracker.js";

/** An apply at work. */
export interface ApplyContext extends ApplyInput {
  readonly timestamps: TimestampTracker;
  /** Digests of the objects that were given a temporary name since the plan was made, by address. */
  readonly renamed: Map<string, string>;
  /** The whole list of a kind. Unless `fresh`, it may be one that was read earlier in this apply. */
  readonly list: (kind: Kind, options: { readonly fresh: boolean }) => Promise<Listing>;
}
