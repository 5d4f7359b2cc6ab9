import type { Service } from "../api/index.js";
import {
  type Kind,
  type ListedObject,
  type Listing,
  parseTimestamp,
  type RemoteObject,
} from "../kinds/index.js";

/** Known facts about the object of a lost create. */
export interface LostCreate {
  /** Name that was sent. */
  readonly label: string;
  /** Time when the create was sent (ISO 8601), by the service's clock if known. */
  readonly at: string;
  /**
   * Returns whether an object cannot come from this create, because it existed before or belongs to another
   * declaration.
   */
  isForeign(id: string): boolean;
  /** Returns whether an object has the sent content. */
  matches(live: RemoteObject): boolean;
}

export type LostCreateResult =
  | { readonly found: RemoteObject }
  /** No match. `isAbsent` means that the list contains no such object. */
  | {
      readonly found: undefined;
      readonly candidates: readonly ListedObject[];
      readonly isAbsent: boolean;
    };

/** Maximum clock difference between the servers of a service. */
const maxClockSkewMs = 60_000;

/**
 * Finds the object of a lost create (rule 2). Its name and content must match, its id must be new, and its creation
 * time must fit. If only the content differs, returns candidates for the user to choose from, because our object may
 * have been edited since.
 */
export async function findLostCreate(
  service: Service,
  kind: Kind,
  made: LostCreate,
  { findByLabel }: Pick<Listing, "findByLabel">,
): Promise<LostCreateResult> {
  const lookup = findByLabel(made.label, (listed) => isCandidate(made, listed));
  if (lookup.outcome !== "found")
    return { found: undefined, candidates: [], isAbsent: lookup.outcome === "absent" };
  const candidates = lookup.found;
  const lives = await Promise.all(candidates.map((listed) => listed.live ?? kind.read?.(service, listed.id)));
  const same = lives.filter((live) => live && made.matches(live));
  return same.length === 1 && same[0]
    ? { found: same[0] }
    : { found: undefined, candidates, isAbsent: false };
}

function isCandidate({ at, isForeign }: LostCreate, { id, createdAt }: ListedObject): boolean {
  if (isForeign(id)) return false;
  const madeMs = parseTimestamp(createdAt);
  return Number.isNaN(madeMs) || madeMs >= Date.parse(at) - maxClockSkewMs;
}
