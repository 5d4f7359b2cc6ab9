import type { Kind, Listing } from "../kinds/index.js";
import type { ApplyInput } from "./apply-input.js";
import type { TimestampTracker } from "./timestamp-tracker.js";

/** The context of a running apply. */
export interface ApplyContext extends ApplyInput {
  readonly timestamps: TimestampTracker;
  /** Digests of the objects that got a temporary name since the plan was made, by address. */
  readonly renamed: Map<string, string>;
  /** The whole list of a kind. Unless `fresh`, it may be one read earlier in this apply. */
  readonly list: (kind: Kind, options: { readonly fresh: boolean }) => Promise<Listing>;
}
