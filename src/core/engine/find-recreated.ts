import type { Service } from "../api/index.js";
import type { Listing } from "../kinds/index.js";
import { readListings } from "./listings.js";
import type { Observed } from "./observation.js";
import { findByLabel, type ObserveContext } from "./observe-object.js";
import { type Claims, readLabel, type TrackedDeclaration } from "./tracked-declaration.js";
import type { IsolatedRead } from "./unreadable.js";

/**
 * Finds objects that were deleted and recreated elsewhere under the same name, so that they are adopted and not
 * duplicated. Skips kinds that cannot be updated, because a recreated object's values may differ.
 */
export async function findRecreated(
  service: Service,
  gone: readonly TrackedDeclaration[],
  known: ReadonlyMap<string, Listing>,
  look: Omit<ObserveContext, "listing">,
  readIsolated: IsolatedRead,
): Promise<ReadonlyMap<string, Observed>> {
  const recreated = gone
    .filter(({ declaration: { kind } }) => kind.create && kind.list && kind.update)
    .map(({ declaration }): TrackedDeclaration => ({ declaration }));
  if (recreated.length === 0) return new Map();
  const isWhole = recreated.every(({ declaration }) => known.get(declaration.kind.name)?.complete);
  const listings = isWhole ? known : await readListings(service, recreated, "full");
  const claims = withGoneLabels(look.claims, recreated);
  const found = await Promise.all(
    recreated.map(async (declared): Promise<[string, Observed][]> => {
      const { address, kind } = declared.declaration;
      const listing = listings.get(kind.name);
      const seen = await readIsolated(address, () => findByLabel({ ...look, claims, listing }, declared));
      if (seen.seen === "nothing") return [];
      return [[address, seen.seen === "live" ? { ...seen, recreated: true } : seen]];
    }),
  );
  return new Map(found.flat());
}

/** Adds claims on the names of deleted objects. */
function withGoneLabels({ ids, labels }: Claims, recreated: readonly TrackedDeclaration[]): Claims {
  const all = new Map(labels);
  for (const { declaration } of recreated) {
    const key = `${declaration.kind.name} ${readLabel(declaration)}`;
    all.set(key, (all.get(key) ?? 0) + 1);
  }
  return { ids, labels: all };
}
