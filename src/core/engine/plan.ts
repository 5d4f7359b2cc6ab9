import { actionFacts, digestChanges } from "../kinds/index.js";
import type { Declaration, Manifest } from "../manifest/index.js";
import type { ApplyHold, State } from "../state/index.js";
import { decide } from "./decide.js";
import { createHoldNotices, markHolds } from "./holds.js";
import { findIdOwner, findIdOwners, type IdOwners } from "./id-owners.js";
import { collectKnownIds, explainNamesakes, findNamesakes } from "./namesakes.js";
import { createIgnoredNotice, findNotices } from "./notices.js";
import type { Observation } from "./observation.js";
import { orderChanges } from "./order-changes.js";
import type { Change, Notice, Plan, PlanContext } from "./plan-types.js";
import { findPreviousDependents, resolveReferences, sortByReferences } from "./references.js";
import { decideRemoved, listRemovedAddresses, protectId } from "./removed-objects.js";
import { blockSharedId, findSharedIds } from "./shared-ids.js";
import { addSupersededDeletes, createSupersededNotices } from "./superseded.js";
import { createThresholdNotice, findExceededThreshold } from "./thresholds.js";
import { readLabel, type TrackedDeclaration, trackDeclarations } from "./tracked-declaration.js";

export interface PlanOptions {
  /** Base URL of the observed service. */
  readonly service: string;
  readonly targets?: readonly string[];
  /** Addresses whose ambiguous create is sent even if it may produce a duplicate. */
  readonly acceptDuplicates?: readonly string[];
  /** Set if the observation comes from `observeState`. */
  readonly comparedWith?: "state";
  /** Active holds. */
  readonly holds?: readonly ApplyHold[];
  /** Whether apply will overwrite edits made elsewhere. Default: from the manifest. */
  readonly overwriteDrift?: boolean;
  /** Fields (`ADDRESS.FIELD`) whose text in the files already includes every edit made elsewhere. Default: none. */
  readonly merged?: ReadonlySet<string> | undefined;
}

/**
 * Computes the changes from declared, last applied and live values. Must stay pure, because a saved plan is applied
 * only if recomputing it gives the same digest.
 */
export function plan(
  manifest: Manifest,
  state: State | undefined,
  observation: Observation,
  options: PlanOptions,
): Plan {
  const tracked = trackDeclarations(manifest, state, options.targets);
  const decided = new Map<string, Change>();
  for (const declared of sortByReferences(tracked)) {
    const { address } = declared.declaration;
    const declaration = resolveReferences(declared.declaration, manifest, state, decided);
    decided.set(address, decideDeclared({ ...declared, declaration }, state, observation, options));
  }
  for (const [address, addresses] of findSharedIds(manifest, state)) {
    const change = decided.get(address);
    if (change) decided.set(address, blockSharedId(change, addresses, state));
  }
  const own = collectKnownIds(manifest, state);
  const declared = tracked.flatMap(({ declaration }) => decided.get(declaration.address) ?? []);
  const owners = findIdOwners(manifest, state, declared);
  const all = [...declared, ...decideUndeclared(manifest, state, observation, owners, options.targets)];
  const { holds = [] } = options;
  const ordered = markHolds(orderChanges(all, findPreviousDependents(state, all)), holds);
  const isUnread = options.comparedWith === "state";
  const superseding = addSupersededDeletes(ordered, manifest, { state, observation, owners, isUnread });
  const { changes } = superseding;
  const { overwriteDrift = manifest.drift === "overwrite" } = options;
  const overwrites = manifest.drift === "overwrite" && changes.some((change) => change.overwrites);
  const basis: PlanContext = {
    state: state && { lineage: state.lineage, serial: state.serial },
    service: options.service,
    environment: manifest.environment || undefined,
    targets: options.targets,
    comparedWith: options.comparedWith,
    overwritesDrift: overwrites || undefined,
  };
  const exceeded = findExceededThreshold(manifest, state, changes, overwriteDrift);
  const notices = findNotices(state, observation, changes, options.targets);
  const existing = tracked.filter(({ declaration: { address } }) => !doesCreateObject(decided.get(address)));
  return {
    basis,
    changes,
    notices: [
      ...createNotComparedNotice(basis),
      ...tracked.flatMap(({ declaration }) => createNamesakeNotices(declaration, decided, observation, own)),
      ...createHoldNotices(holds),
      ...notices,
      ...superseding.notices,
      ...(options.targets ? [] : createSupersededNotices(manifest, state, observation)),
      ...createIgnoredNotice(existing.map(({ declaration }) => declaration)),
      ...(exceeded ? [createThresholdNotice(exceeded)] : []),
    ],
    ...(exceeded && { threshold: exceeded }),
    ...(overwriteDrift && changes.some((change) => change.overwrites) && { overwritesDrift: true }),
    requests: observation.requests,
    digest: digestChanges(basis, changes),
  };
}

/** Reports existing objects that have the name of an object to create. */
function createNamesakeNotices(
  declaration: Declaration,
  decided: ReadonlyMap<string, Change>,
  { listings }: Observation,
  own: ReadonlySet<string>,
): Notice[] {
  const { address, kind } = declaration;
  const change = decided.get(address);
  if (change?.action !== "create") return [];
  const ids = findNamesakes(declaration, listings.get(kind.name), own);
  const sentences = explainNamesakes(kind, { address, label: change.label, ids, isCreated: false });
  return sentences.map((message) => ({ code: "same-name", message: `${address}: ${message}` }));
}

/** Returns whether a change creates an object. Creates also send ignored fields. */
function doesCreateObject(change: Change | undefined): boolean {
  return change !== undefined && actionFacts[change.action].sends === "create";
}

function createNotComparedNotice({ comparedWith, state }: PlanContext): Notice[] {
  if (!comparedWith) return [];
  const applied = state
    ? `the last apply (state serial ${state.serial})`
    : "an empty account, because there is no state";
  const message = `Not compared with the account, because there is no API key. This plan shows the difference from ${applied}. It does not show edits made elsewhere, and cannot be applied.`;
  return [{ code: "not-compared", message }];
}

function decideDeclared(
  tracked: TrackedDeclaration,
  state: State | undefined,
  observation: Observation,
  { acceptDuplicates, merged }: PlanOptions,
): Change {
  const { address, kind, id } = tracked.declaration;
  const observed = observation.objects.get(address);
  if (!observed) throw new Error(`Bug: ${address} was not observed`);
  const namesakes = observation.listings.get(kind.name)?.findByLabel(readLabel(tracked.declaration));
  const held = state?.objects[address]?.id;
  const change = decide({
    tracked,
    observed,
    rotation: observation.rotations.get(address),
    // Sorted, because list order has no meaning (§2.2) and must not make a saved plan stale.
    known: namesakes?.outcome === "found" ? namesakes.found.map((entry) => entry.id).sort() : [],
    reidentified: id !== undefined && held !== undefined && held !== id,
    acceptDuplicate: acceptDuplicates?.includes(address) ?? false,
    merged,
  });
  const leaves = id !== undefined && held !== undefined && id.toLowerCase() !== held.toLowerCase();
  return leaves && state?.objects[address]?.protected ? protectId(change, held) : change;
}

/** Decides the changes to undeclared objects. Does not delete an object that another address takes over. */
function decideUndeclared(
  manifest: Manifest,
  state: State | undefined,
  observation: Observation,
  owners: IdOwners,
  targets?: readonly string[],
): Change[] {
  return listRemovedAddresses(manifest, state, targets).map((address) =>
    decideRemoved(
      address,
      manifest,
      state,
      observation.objects.get(address),
      findIdOwner(owners, state?.objects[address]?.id ?? "", address),
    ),
  );
}
