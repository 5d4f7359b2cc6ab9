import type { Service } from "../api/index.js";
import {
  findDifferingFields,
  isAdoptableByName,
  isReliableTimestamp,
  type Kind,
  type Listing,
  type RemoteObject,
  type Spec,
} from "../kinds/index.js";
import { type LostCreateResult, observeById } from "../lifecycle/index.js";
import { canSkipRead, type Refresh } from "./listings.js";
import { type Observed, toCandidates } from "./observation.js";
import { type Claims, readLabel, type TrackedDeclaration } from "./tracked-declaration.js";

export interface ObserveContext {
  readonly service: Service;
  readonly refresh: Refresh;
  /** List of the kind's objects, if it was read. */
  readonly listing?: Listing | undefined;
  readonly claims: Claims;
  /** Result of looking for a lost create. */
  readonly lostCreate?: LostCreateResult | undefined;
  /** Reads the whole list of a kind, if `listing` is incomplete. */
  readonly readFullListing: (kind: Kind) => Promise<Listing | undefined>;
  /** Time when reading started, by the service's clock. */
  readonly askedAtMs: number;
}

export async function observeObject(input: ObserveContext, tracked: TrackedDeclaration): Promise<Observed> {
  const { lostCreate } = input;
  if (lostCreate?.found) return { ...toLiveObservation(input, tracked, lostCreate.found), recovered: true };
  if (lostCreate && !lostCreate.isAbsent)
    return { seen: "unclear", candidates: toCandidates(lostCreate.candidates) };
  return tracked.id === undefined ? findByLabel(input, tracked) : readById(input, tracked, tracked.id);
}

async function readById(input: ObserveContext, tracked: TrackedDeclaration, id: string): Promise<Observed> {
  const { service, listing, refresh, readFullListing } = input;
  const { kind } = tracked.declaration;
  const seen = await observeById(kind, id, {
    reader: service,
    listing,
    copyBefore: tracked.entry?.copyBefore,
    isUnchanged: ({ updatedAt }) =>
      updatedAt !== undefined && updatedAt === tracked.entry?.inSyncAt && canSkipRead(tracked, refresh),
    readsSingly: refresh === "full",
    readFullListing: () => readFullListing(kind),
  });
  return seen.seen === "live" ? toLiveObservation(input, tracked, seen.live) : seen;
}

/** Finds an object by name. Adopts it only if the name is unique and no other declaration claims the object. */
export async function findByLabel(input: ObserveContext, tracked: TrackedDeclaration): Promise<Observed> {
  const { claims, listing, service } = input;
  const { kind } = tracked.declaration;
  const label = readLabel(tracked.declaration);
  if (!listing || !isAdoptableByName(kind)) return { seen: "nothing" };
  const lookup = listing.findByLabel(
    label,
    ({ id, live }) =>
      !claims.ids.has(id) &&
      // Skips an object that cannot be updated to the declared values.
      (kind.update !== undefined ||
        !live ||
        findDifferingFields(kind, tracked.declaration.spec, live.spec).length === 0),
  );
  if (lookup.outcome === "absent") return { seen: "nothing" };
  if (lookup.outcome === "unknown") return { seen: "unconfirmed", doubt: lookup.doubt };
  const matches = lookup.found;
  const [match] = matches;
  const rivals = claims.labels.get(`${kind.name} ${label}`) ?? 0;
  if (matches.length > 1 || rivals > 1) return { seen: "several", candidates: toCandidates(matches) };
  const live = match.live ?? (await kind.read?.(service, match.id));
  if (live) return toLiveObservation(input, tracked, live);
  // The match is gone, but another object may have the name.
  return findByLabel({ ...input, claims: { ...claims, ids: new Set([...claims.ids, match.id]) } }, tracked);
}

function toLiveObservation(
  { askedAtMs, listing }: ObserveContext,
  { declaration }: TrackedDeclaration,
  live: RemoteObject,
) {
  return {
    seen: "live" as const,
    live: { ...live, spec: reuseEqualStrings(live.spec, declaration.spec) },
    hasReliableTimestamp: isReliableTimestamp(live.updatedAt, askedAtMs, listing?.preciseTimestamps),
  };
}

/** Replaces live strings with equal declared strings, so that thousands of prompts are not in memory twice. */
function reuseEqualStrings(live: Spec, declared: Spec): Spec {
  const entries = Object.entries(live).map(([name, value]) => [
    name,
    value === declared[name] ? declared[name] : value,
  ]);
  return Object.fromEntries(entries);
}
