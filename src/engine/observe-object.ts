import type { Service } from "../api/index.js";
import { isReliableTimestamp, type Kind, type Listing, type Live, type Spec } from "../kinds/index.js";
import { type LostCreateResult, observeById } from "../lifecycle/index.js";
import { canSkipRead, type Refresh } from "./listings.js";
import { candidatesOf, type Observed } from "./observation.js";
import { type Claims, labelOf, type TrackedDeclaration } from "./tracked-declaration.js";

/** What looking at one object needs. */
export interface ObserveContext {
  readonly service: Service;
  readonly refresh: Refresh;
  /** What the list of its kind told, where it has one. */
  readonly listing?: Listing;
  readonly claims: Claims;
  /** What came of looking for what its unanswered create made. */
  readonly lostCreate?: LostCreateResult;
  /** The whole list of a kind, for where `listing` is not. */
  readonly fullListing: (kind: Kind) => Promise<Listing | undefined>;
  /** When reading began, by the service's clock. */
  readonly askedAtMs: number;
}

/** Looks at one declared object. */
export async function observeObject(input: ObserveContext, tracked: TrackedDeclaration): Promise<Observed> {
  const { lostCreate, listing } = input;
  if (lostCreate?.found) return { ...asLive(input, tracked, lostCreate.found), recovered: true };
  if (lostCreate && lostCreate.candidates.length > 0)
    return { seen: "unclear", candidates: candidatesOf(lostCreate.candidates) };
  // What it made may be there and have slipped through the list; or there is no list to find it in.
  if (lostCreate && (!listing || listing.unstable)) return { seen: "unclear", candidates: [] };
  return tracked.id === undefined ? findByLabel(input, tracked) : readById(input, tracked, tracked.id);
}

/** An object whose id is known. */
async function readById(input: ObserveContext, tracked: TrackedDeclaration, id: string): Promise<Observed> {
  const { service, listing, refresh, fullListing } = input;
  const { kind } = tracked.declaration;
  const seen = await observeById(kind, id, {
    reader: service,
    listing,
    isUnmoved: ({ updatedAt }) =>
      updatedAt !== undefined && updatedAt === tracked.entry?.inSyncAt && canSkipRead(tracked, refresh),
    singly: refresh === "full",
    fullListing: () => fullListing(kind),
  });
  return seen.seen === "live" ? asLive(input, tracked, seen.live) : seen;
}

/** An object without an id: adopted if exactly one in the account has its exact name, and it alone is after it. */
export async function findByLabel(input: ObserveContext, tracked: TrackedDeclaration): Promise<Observed> {
  const { claims, listing, service } = input;
  const { kind } = tracked.declaration;
  const label = labelOf(tracked.declaration);
  const matches = (listing?.byLabel.get(label) ?? []).filter(({ id }) => !claims.ids.has(id));
  const [match] = matches;
  if (!match) return { seen: "nothing" };
  const rivals = claims.labels.get(`${kind.name} ${label}`) ?? 0;
  if (matches.length > 1 || rivals > 1) return { seen: "several", candidates: candidatesOf(matches) };
  const live = match.live ?? (await kind.read?.(service, match.id));
  return live ? asLive(input, tracked, live) : { seen: "nothing" };
}

function asLive({ askedAtMs, listing }: ObserveContext, { declaration }: TrackedDeclaration, live: Live) {
  return {
    seen: "live" as const,
    live: { ...live, spec: sharing(live.spec, declaration.spec) },
    settled: isReliableTimestamp(live.updatedAt, askedAtMs, listing?.preciseTimestamps),
  };
}

/** The same spec, holding the declared string wherever it is equal: ten thousand prompts are then held once. */
function sharing(live: Spec, declared: Spec): Spec {
  const entries = Object.entries(live).map(([name, value]) => [
    name,
    value === declared[name] ? declared[name] : value,
  ]);
  return Object.fromEntries(entries);
}
