import type { System } from "../../base/system/index.js";
import type { Service } from "../api/index.js";
import { type Kind, type Listing, listKinds, parseAddress } from "../kinds/index.js";
import {
  findLostCreate,
  type LostCreate,
  type LostCreateResult,
  startStopwatch,
} from "../lifecycle/index.js";
import type { Manifest } from "../manifest/index.js";
import type { SourceEnvironment } from "../secrets/index.js";
import { type Intent, isInProgress, type State } from "../state/index.js";
import { awaitInterruptedCreates } from "./await-interrupted-creates.js";
import { findRecreated } from "./find-recreated.js";
import { openListReader, type Refresh, readListings } from "./listings.js";
import { mapConcurrent, maxConcurrentReads } from "./map-concurrent.js";
import type { Observation, Observed, Rotation } from "./observation.js";
import { observeObject } from "./observe-object.js";
import { observeSuperseded } from "./observe-superseded.js";
import { listRemovedAddresses, observeRemovals } from "./removed-objects.js";
import { observeRotations } from "./rotation.js";
import { wasSentByIntent } from "./stored-form.js";
import { collectClaims, type TrackedDeclaration, trackDeclarations } from "./tracked-declaration.js";
import {
  adviseForgetting,
  type IsolatedRead,
  isolateReadErrors,
  type Unreadable,
  withAddress,
} from "./unreadable.js";

export interface ObserveInput {
  readonly manifest: Manifest;
  /** State including its journal. Undefined before the first apply. */
  readonly state: State | undefined;
  /** Client that sends only GET requests (rule 1). */
  readonly service: Service;
  /** Resolves secret values, to check whether they changed. */
  readonly sources: SourceEnvironment;
  readonly refresh: Refresh;
  readonly targets?: readonly string[];
  /** Whether to read all lists completely, for `findUndeclared`. */
  readonly undeclared?: boolean;
  readonly system: System;
  readonly signal?: AbortSignal;
  /**
   * Deadlines of an interrupted run's creates, by address (see `StateWriter`). If omitted, these creates count as under
   * way, and `observe` does not wait for them.
   */
  readonly recoverUntil?: ReadonlyMap<string, number> | undefined;
  /** Maximum wait for lost creates, in ms (default: unlimited). */
  readonly settleMs?: number | undefined;
  readonly onWait?: (why: string, forMs: number) => void;
}

/**
 * Reads all declared objects with as few requests as possible (rule 7), and finds the objects of interrupted creates. A plan
 * reads the account only here.
 *
 * @throws ServiceError if the service cannot be read.
 */
export async function observe(input: ObserveInput): Promise<Observation> {
  const { manifest, state, service, refresh, system } = input;
  const sent = service.requests.total;
  const declared = trackDeclarations(manifest, state, input.targets);
  let rotations = await observeRotations(manifest, state, declared, input.sources);
  const tracked = declared.map((one): TrackedDeclaration => {
    return { ...one, rotation: rotations.get(one.declaration.address) };
  });
  const askedAt = startStopwatch(service, system);
  const { recoverUntil } = input;
  const removed = recoverUntil ? findRemovedCreates(manifest, state, input.targets) : new Map<string, Kind>();
  const everything = input.undeclared
    ? listKinds(manifest.service.profile)
    : removed.size > 0
      ? [...new Set([...tracked.map(({ declaration }) => declaration.kind), ...removed.values()])]
      : undefined;
  const readAtMs = system.monotonic();
  let listings = await readListings(service, tracked, refresh, everything);
  if (recoverUntil) {
    const read = (kinds: ReadonlySet<string>) =>
      readListings(
        service,
        tracked.filter(({ declaration }) => kinds.has(declaration.kind.name)),
        refresh,
        everything?.filter(({ name }) => kinds.has(name)),
      );
    listings = await awaitInterruptedCreates(
      { ...input, recoverUntil, removed: new Set(removed.keys()), read },
      listings,
      readAtMs,
    );
  }
  const { ids, labels } = collectClaims(manifest, state);
  const readIsolated = isolateReadErrors();
  const lostCreates = await findLostCreates(service, tracked, listings, ids, readIsolated);
  const recovered = [...lostCreates.values()].flatMap((result) =>
    "found" in result ? (result.found?.id ?? []) : [],
  );
  const claims = { ids: new Set([...ids, ...recovered]), labels };
  // Compares secrets with the values that lost creates sent.
  const made = tracked.flatMap((one): TrackedDeclaration[] => {
    const lost = lostCreates.get(one.declaration.address);
    if (!one.intent || !lost || !("found" in lost) || !lost.found) return [];
    const { fingerprints = {}, versions = {}, sent } = one.intent;
    return [{ ...one, entry: { id: lost.found.id, applied: sent, fingerprints, versions } }];
  });
  if (made.length > 0)
    rotations = new Map([...rotations, ...(await observeRotations(manifest, state, made, input.sources))]);
  const list = openListReader(service);
  const readFullListing = async (kind: Kind) => (kind.list ? list(kind, { fresh: false }) : undefined);
  const context = { service, refresh, claims, askedAtMs: askedAt(), readFullListing };
  const seen = await mapConcurrent(maxConcurrentReads, tracked, async (declaration): Promise<Observed> => {
    const { address, kind } = declaration.declaration;
    const listing = listings.get(kind.name);
    const lostCreate = lostCreates.get(address);
    if (lostCreate && "seen" in lostCreate) return lostCreate;
    const { intent } = declaration;
    const isOpen = !recoverUntil && intent && isInProgress(intent, system.now());
    if (isOpen && lostCreate && !lostCreate.found && lostCreate.isAbsent)
      return { seen: "under-way", since: intent.at };
    return readIsolated(address, () => observeObject({ ...context, listing, lostCreate }, declaration));
  });
  failIfNothingReadable(tracked, seen);
  const superseding = { manifest, service, listings, list, readIsolated };
  const superseded = await observeSuperseded(superseding, tracked, seen);
  listings = superseded.listings;
  const gone = tracked.filter((_, at) => seen[at]?.seen === "absent");
  const successors = await findRecreated(service, gone, listings, context, readIsolated);
  const removals = await observeRemovals(
    service,
    manifest,
    state,
    listRemovedAddresses(manifest, state, input.targets),
    list,
    readIsolated,
  );
  if (service.requests.total === sent && tracked.length + removals.size > 0)
    await confirmAccess(service, manifest);
  return {
    objects: new Map<string, Observed>([
      ...tracked.map(({ declaration: { address } }, at): [string, Observed] => [
        address,
        successors.get(address) ?? (seen[at] as Observed),
      ]),
      ...removals,
    ]),
    listings,
    rotations,
    references: superseded.references,
    requests: service.requests.total - sent,
  };
}

/**
 * Finds interrupted creates whose declarations were removed, and whose objects can be listed. The apply forgets them, so it
 * must first wait until they can no longer arrive. Otherwise, a later declaration would create them again.
 */
function findRemovedCreates(
  manifest: Manifest,
  state: State | undefined,
  targets: readonly string[] | undefined,
): ReadonlyMap<string, Kind> {
  return new Map(
    listRemovedAddresses(manifest, state, targets).flatMap((address): [string, Kind][] => {
      const intent = state?.pending[address];
      const kind = parseAddress(address, manifest.service.profile)?.kind;
      return intent && intent.id === undefined && kind?.list ? [[address, kind]] : [];
    }),
  );
}

/** Sends one request to detect a wrong key or an outage. Called if observing the objects sent no request. */
async function confirmAccess(service: Service, { service: { profile } }: Manifest): Promise<void> {
  const [list] = listKinds(profile).flatMap((kind) => kind.list ?? []);
  await list?.read(service, { enough: () => true });
}

/** Finds the objects of lost creates, by address. An object that matches two creates is assigned to neither. */
async function findLostCreates(
  service: Service,
  tracked: readonly TrackedDeclaration[],
  listings: ReadonlyMap<string, Listing>,
  claimed: ReadonlySet<string>,
  readIsolated: IsolatedRead,
): Promise<ReadonlyMap<string, LostCreateResult | Unreadable>> {
  const lost = tracked.flatMap(({ declaration: { address, kind }, intent }) =>
    intent && intent.id === undefined ? [{ address, kind, intent }] : [],
  );
  const lostCreates = await mapConcurrent(
    maxConcurrentReads,
    lost,
    async ({ address, kind, intent }): Promise<LostCreateResult | Unreadable> => {
      const listing = listings.get(kind.name);
      if (!listing) return { found: undefined, candidates: [], isAbsent: false };
      return readIsolated(address, () =>
        findLostCreate(service, kind, matchLostCreate(kind, intent, claimed), listing),
      );
    },
  );
  const readFoundId = (result: LostCreateResult | Unreadable) =>
    "found" in result ? result.found?.id : undefined;
  const isDisputed = (id: string) => lostCreates.filter((result) => readFoundId(result) === id).length > 1;
  return new Map(
    lost.map(({ address }, at): [string, LostCreateResult | Unreadable] => {
      const lostCreate = lostCreates[at] as LostCreateResult | Unreadable;
      const found = "found" in lostCreate ? lostCreate.found : undefined;
      return [
        address,
        found && isDisputed(found.id)
          ? { found: undefined, candidates: [found], isAbsent: false }
          : lostCreate,
      ];
    }),
  );
}

/** Describes the object that a lost create may have made, based on the create's intent. */
function matchLostCreate(kind: Kind, intent: Intent, claimed: ReadonlySet<string>): LostCreate {
  return {
    label: intent.label,
    at: intent.at,
    isForeign: (id) => intent.known.includes(id) || claimed.has(id),
    matches: (live) => wasSentByIntent(kind, intent, live),
  };
}

/** Throws the first read error if no object can be read. */
function failIfNothingReadable(tracked: readonly TrackedDeclaration[], seen: readonly Observed[]): void {
  const [first] = seen;
  const [one] = tracked;
  if (!one || first?.seen !== "unreadable" || seen.some((each) => each.seen !== "unreadable")) return;
  const { address } = one.declaration;
  const error = withAddress(first.error, address);
  if (one.entry) error.message = `${error.message} ${adviseForgetting(address)}`;
  throw error;
}

/**
 * Builds an observation from the state alone, without requests. Assumes that the account contains exactly the recorded
 * objects, with their last applied values.
 */
export function observeState(
  manifest: Manifest,
  state: State | undefined,
  targets?: readonly string[],
): Observation {
  const objects = new Map<string, Observed>();
  const rotations = new Map<string, Rotation>();
  for (const { declaration, entry } of trackDeclarations(manifest, state, targets)) {
    const { address, kind, sources } = declaration;
    objects.set(address, { seen: entry || !kind.create ? "unobservable" : "nothing" });
    if (Object.keys(sources).length > 0) rotations.set(address, { value: "unavailable", problem: undefined });
  }
  return { objects, listings: new Map(), rotations, requests: 0 };
}
