import type { Service } from "../api/index.js";
import { type Listing, listKinds, type RemoteObject } from "../kinds/index.js";
import { findReferences } from "../lifecycle/index.js";
import type { Manifest } from "../manifest/index.js";
import type { ListReader } from "./listings.js";
import type { Observation, Observed } from "./observation.js";
import { doesSpecMatchStored } from "./stored-form.js";
import { getDesiredSpec } from "./three-way-compare.js";
import type { TrackedDeclaration } from "./tracked-declaration.js";
import type { IsolatedRead } from "./unreadable.js";

type ReferencesById = Awaited<ReturnType<typeof findReferences>>["byId"];

interface ObserveSupersededContext {
  readonly manifest: Manifest;
  readonly service: Service;
  readonly listings: ReadonlyMap<string, Listing>;
  readonly list: ListReader;
  readonly readIsolated: IsolatedRead;
}

/**
 * Reads the remaining pages of the lists that contain superseded objects. Also finds references to these objects,
 * because referenced objects are not deleted.
 */
export async function observeSuperseded(
  { manifest, service, readIsolated, ...read }: ObserveSupersededContext,
  tracked: readonly TrackedDeclaration[],
  seen: readonly Observed[],
): Promise<Required<Pick<Observation, "listings" | "references">>> {
  const listings = new Map(read.listings);
  const references = new Map<string, ReferencesById>();
  const known = new Map<string, RemoteObject>();
  for (const [at, { declaration }] of tracked.entries()) {
    const one = seen[at];
    if (one?.seen === "live") known.set(`${declaration.kind.name} ${one.live.id}`, one.live);
  }
  const list: ListReader = async (kind, options) => {
    const listed = listings.get(kind.name);
    return listed?.complete ? listed : read.list(kind, options);
  };
  for (const one of tracked) {
    const { address, kind, onRotation } = one.declaration;
    if (onRotation !== "delete_old" || !kind.list || !one.entry) continue;
    listings.set(kind.name, await list(kind, { fresh: false }));
    if (references.has(kind.name) || !hasSuperseded(one)) continue;
    const context = { kinds: listKinds(manifest.service.profile), service, list };
    const found = await readIsolated(address, () => findReferences(context, kind, { fresh: false, known }));
    // References that cannot be read now are checked again before the delete.
    if (!("seen" in found)) references.set(kind.name, found.byId);
  }
  return { listings, references };
}

/** Returns whether a declaration has superseded objects, or may supersede an object in this plan. */
function hasSuperseded({ declaration, entry, intent, rotation }: TrackedDeclaration): boolean {
  if (!entry || declaration.protect) return false;
  return (
    (entry.superseded ?? []).length > 0 ||
    intent !== undefined ||
    rotation?.value === "changed" ||
    !doesSpecMatchStored(declaration.kind, entry.applied, getDesiredSpec(declaration, entry))
  );
}
