import type { Service } from "../api/index.js";
import { type Kind, type ListedObject, type Listing, type Live, parseTimestamp } from "../kinds/index.js";

/** What is known of an object whose create was not answered. */
export interface LostCreate {
  /** Its name, as sent. */
  readonly label: string;
  /** When it was sent: ISO 8601, by the service's clock where it is known. */
  readonly at: string;
  /** Whether an object is none of ours: it had the name before, or belongs to someone else. */
  isForeign(id: string): boolean;
  /** Whether an object has the content that was sent. */
  matches(live: Live): boolean;
}

export type LostCreateResult =
  | { readonly found: Live }
  | { readonly found: undefined; readonly candidates: readonly ListedObject[] };

/** Clocks of a service's machines may differ by so much. */
const clockSkewMs = 60_000;

/**
 * Finding what a lost create made (rule 2). The answer never came, so the object is looked up by what is known of
 * it: the exact name, an id that did not have the name before, a creation time not before the request, and the
 * content that was sent. Exactly one such object is ours. One with the name but other content may be ours, altered
 * by the service or by someone since, or not ours at all: only the user can tell.
 */
export async function findLostCreate(
  service: Service,
  kind: Kind,
  made: LostCreate,
  { byLabel }: Pick<Listing, "byLabel">,
): Promise<LostCreateResult> {
  const candidates = (byLabel.get(made.label) ?? []).filter((listed) => couldBe(made, listed));
  const lives = await Promise.all(candidates.map((listed) => listed.live ?? kind.read?.(service, listed.id)));
  const same = lives.filter((live) => live && made.matches(live));
  return same.length === 1 && same[0] ? { found: same[0] } : { found: undefined, candidates };
}

function couldBe({ at, isForeign }: LostCreate, { id, createdAt }: ListedObject): boolean {
  if (isForeign(id)) return false;
  const madeMs = parseTimestamp(createdAt);
  return Number.isNaN(madeMs) || madeMs >= Date.parse(at) - clockSkewMs;
}
