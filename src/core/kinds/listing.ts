import { toCanonicalId } from "../../base/text/index.js";
import type { ListDoubt } from "../api/index.js";
import type { Kind, ListedEntries, ListedObject, ListOperation } from "./kind.js";
import { isPreciseTimestamp } from "./timestamps.js";

/** Result of looking up an object in a list. */
export type LookupOutcome<Found> =
  | { readonly outcome: "found"; readonly found: Found }
  | { readonly outcome: "absent" }
  /** The object may exist. */
  | { readonly outcome: "unknown"; readonly doubt: Doubt };

/** Objects with the same name. */
export type Namesakes = readonly [ListedObject, ...ListedObject[]];

/**
 * Reason why a list cannot prove that an object does not exist. `partial` means that some objects were not listed or
 * read.
 */
export type Doubt = ListDoubt | { readonly reason: "partial" };

/** Objects of one kind from a list. To prove that an object does not exist, look it up instead of searching `seen`. */
export interface Listing {
  /** Listed objects without duplicates. */
  readonly seen: readonly ListedObject[];
  findById(id: string): LookupOutcome<ListedObject>;
  /** Finds the objects with this name, in any Unicode form, for which `isRequested` returns true. Names are not always unique. */
  findByLabel(label: string, isRequested?: (listed: ListedObject) => boolean): LookupOutcome<Namesakes>;
  /** Number of objects of this kind in the account. Omitted if the list does not show it. */
  readonly count?: number;
  readonly complete: boolean;
  /** Reason why objects may be missing although every page was read. */
  readonly doubt?: ListDoubt | undefined;
  /** Whether a timestamp shows that the service's clock has milliseconds (see `isReliableTimestamp`). */
  readonly preciseTimestamps: boolean;
}

/** Sorts objects by creation time, because the order of a list has no meaning (§2.2). */
export function sortOldestFirst(listed: readonly ListedObject[]): readonly ListedObject[] {
  const getSortKey = ({ id, createdAt = "" }: ListedObject) => `${createdAt} ${id}`;
  return [...listed].sort((a, b) => (getSortKey(a) < getSortKey(b) ? -1 : 1));
}

/** Extracts the objects of one kind from a list that kinds may share. */
export function toListing(power: ListOperation, listing: ListedEntries): Listing {
  const listed = listing.entries.map((entry) => power.toListed(entry)).filter((entry) => entry !== undefined);
  const byLabel = new Map<string, ListedObject[]>();
  for (const entry of listed) {
    const label = entry.label.normalize();
    const namesakes = byLabel.get(label);
    if (namesakes) namesakes.push(entry);
    else byLabel.set(label, [entry]);
  }
  const byId = new Map<string, ListedObject>();
  for (const entry of listed) {
    const { live: _, ...unseen } = entry;
    // If two copies of an object differ, neither of them can be trusted.
    const id = toCanonicalId(entry.id);
    const isDisputed = !power.exhaustive && (byId.get(id)?.label ?? entry.label) !== entry.label;
    byId.set(id, isDisputed ? unseen : entry);
  }
  const doubt: Doubt | undefined =
    power.exhaustive && listing.complete ? listing.doubt : { reason: "partial" };
  const lookUp = <Found>(found: Found | undefined): LookupOutcome<Found> =>
    found !== undefined
      ? { outcome: "found", found }
      : doubt
        ? { outcome: "unknown", doubt }
        : { outcome: "absent" };
  return {
    seen: [...byId.values()],
    findById: (id) => lookUp(byId.get(toCanonicalId(id))),
    findByLabel(label, isRequested = () => true) {
      const [first, ...others] = byLabel.get(label.normalize())?.filter(isRequested) ?? [];
      return lookUp<Namesakes>(first && [first, ...others]);
    },
    ...(power.exhaustive ? { count: listing.count } : {}),
    complete: listing.complete,
    doubt: listing.doubt,
    preciseTimestamps: listed.some(({ updatedAt }) => isPreciseTimestamp(updatedAt)),
  };
}

/** Explanation of a doubt for the user. */
export interface DoubtExplanation {
  /** The reason, as a clause. */
  readonly problem: string;
  /** What the user can do, in full sentences. */
  readonly advice: string;
}

/** Explains that a list may be missing objects of a kind, and what to do. */
export function describeMissing(kind: Kind, doubt: Doubt): string {
  const { problem, advice } = explainDoubt(kind, doubt);
  return `Some ${kind.collection} may be missing: ${problem}. ${advice}`;
}

/** Explains a doubt to the user. `setting` is the setting that ignores list counts. */
export function explainDoubt(
  { collection }: Kind,
  doubt: Doubt,
  setting = "`service.ignore_list_counts: true`",
): DoubtExplanation {
  const advice = "Run the command again.";
  switch (doubt.reason) {
    case "count-too-large":
      return {
        problem: `the service lists only ${doubt.listed} of the ${doubt.count} ${collection} it counts`,
        advice: `${advice} If the count is always wrong, set ${setting}.`,
      };
    case "changing":
      return { problem: `the list of ${collection} was different each time it was read`, advice };
    case "partial":
      return { problem: `not all ${collection} were read`, advice };
  }
}
