import { type Service, ServiceError } from "../api/index.js";
import {
  isReliableTimestamp,
  type Kind,
  type Listing,
  type Live,
  type LostCreateResult,
  type Spec,
} from "../kinds/index.js";
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
export async function observeObject(input: ObserveContext, one: TrackedDeclaration): Promise<Observed> {
  const { lostCreate, listing } = input;
  if (lostCreate?.found) return { ...asLive(input, one, lostCreate.found), recovered: true };
  if (lostCreate && lostCreate.candidates.length > 0)
    return { seen: "unclear", candidates: candidatesOf(lostCreate.candidates) };
  // What it made may be there and have slipped through the list; or there is no list to find it in.
  if (lostCreate && (!listing || listing.unstable)) return { seen: "unclear", candidates: [] };
  return one.id === undefined ? findByLabel(input, one) : readById(input, one, one.id);
}

/** An object whose id is known. */
async function readById(input: ObserveContext, one: TrackedDeclaration, id: string): Promise<Observed> {
  const { kind } = one.declaration;
  const listed = input.listing?.byId.get(id);
  if (listed?.live && input.refresh === "auto") return asLive(input, one, listed.live);
  const unmoved = listed?.updatedAt !== undefined && listed.updatedAt === one.entry?.inSyncAt;
  if (unmoved && canSkipRead(one, input.refresh)) return { seen: "unmoved" };
  if (!kind.read) return listed?.live ? asLive(input, one, listed.live) : { seen: "unobservable" };
  // Also where a complete list lacks it: a list that changes while it is read may have lost it.
  const live = await kind.read(input.service, id).catch(async (error: unknown) => {
    // A page of HTML may come from anywhere on the way. Together with a list that lacks the object, it is believed.
    if (!isNotFound(error) || !(await isUnlisted(input, kind, id))) throw error;
  });
  return live ? asLive(input, one, live) : { seen: "absent" };
}

function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "not-found";
}

/** Whether a list of all objects lacks it. */
async function isUnlisted(
  { listing, fullListing }: ObserveContext,
  kind: Kind,
  id: string,
): Promise<boolean> {
  if (!kind.list?.exhaustive) return false;
  const whole = listing?.complete ? listing : await fullListing(kind);
  return whole?.complete === true && !whole.unstable && !whole.byId.has(id);
}

/** An object without an id: adopted if exactly one in the account has its exact name, and it alone is after it. */
export async function findByLabel(input: ObserveContext, one: TrackedDeclaration): Promise<Observed> {
  const { claims, listing, service } = input;
  const { kind } = one.declaration;
  const label = labelOf(one.declaration);
  const matches = (listing?.byLabel.get(label) ?? []).filter(({ id }) => !claims.ids.has(id));
  const [match] = matches;
  if (!match) return { seen: "nothing" };
  const rivals = claims.labels.get(`${kind.name} ${label}`) ?? 0;
  if (matches.length > 1 || rivals > 1) return { seen: "several", candidates: candidatesOf(matches) };
  const live = match.live ?? (await kind.read?.(service, match.id));
  return live ? asLive(input, one, live) : { seen: "nothing" };
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
