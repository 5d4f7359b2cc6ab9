import type { ListedObject, ListOperation, ListResult } from "./kind.js";
import { isPreciseTimestamp } from "./timestamps.js";

/** A list's facts about one kind. */
export interface Listing {
  readonly listed: readonly ListedObject[];
  readonly byId: ReadonlyMap<string, ListedObject>;
  /** Names need not be unique. */
  readonly byLabel: ReadonlyMap<string, readonly ListedObject[]>;
  /** Objects of this kind in the account; undefined if the list does not say. */
  readonly count?: number;
  readonly complete: boolean;
  readonly unstable: boolean;
  /** A timestamp in it shows that the service's clock ticks at least every millisecond; see `isReliableTimestamp`. */
  readonly preciseTimestamps: boolean;
}

/** Listed objects, oldest first: the order of a list has no meaning (§2.2). */
export function oldestFirst(listed: readonly ListedObject[]): readonly ListedObject[] {
  const order = ({ id, createdAt = "" }: ListedObject) => `${createdAt} ${id}`;
  return [...listed].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** A list's facts about one of the kinds that share it. */
export function toListing(power: ListOperation, listing: ListResult): Listing {
  const listed = listing.entries.map((entry) => power.toListed(entry)).filter((entry) => entry !== undefined);
  const byLabel = new Map<string, ListedObject[]>();
  for (const entry of listed) {
    const namesakes = byLabel.get(entry.label);
    if (namesakes) namesakes.push(entry);
    else byLabel.set(entry.label, [entry]);
  }
  const byId = new Map<string, ListedObject>();
  for (const entry of listed) {
    const { live: _, ...unseen } = entry;
    // Copies that differ: nobody knows which of them is right.
    const isDisputed = !power.exhaustive && (byId.get(entry.id)?.label ?? entry.label) !== entry.label;
    byId.set(entry.id, isDisputed ? unseen : entry);
  }
  return {
    listed,
    byId,
    byLabel,
    ...(power.exhaustive ? { count: listing.count } : {}),
    complete: listing.complete,
    unstable: listing.unstable === true,
    preciseTimestamps: listed.some(({ updatedAt }) => isPreciseTimestamp(updatedAt)),
  };
}
