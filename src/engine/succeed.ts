import type { Service } from "../api/index.js";
import type { KindRoll } from "../kinds/index.js";
import { find, type Look } from "./look.js";
import type { Observed } from "./observation.js";
import { readRolls } from "./rolls.js";
import { type Claims, labelOf, type Sought } from "./sought.js";
import type { Attempt } from "./unreadable.js";

/**
 * Managed objects that are gone, but whose name is in the account: somebody deleted and made them anew. Creating them
 * once more would make twins, or be refused; so the one that has the name is found like any other, and adopted.
 *
 * Rare, so that it may cost a sweep of the lists.
 */
export async function findSuccessors(
  service: Service,
  gone: readonly Sought[],
  known: ReadonlyMap<string, KindRoll>,
  look: Omit<Look, "roll">,
  attempt: Attempt,
): Promise<ReadonlyMap<string, Observed>> {
  const anew = gone
    .filter(({ declaration: { kind } }) => kind.create && kind.list)
    .map(({ declaration }): Sought => ({ declaration }));
  if (anew.length === 0) return new Map();
  const isWhole = anew.every(({ declaration }) => known.get(declaration.kind.name)?.complete);
  const rolls = isWhole ? known : await readRolls(service, anew, "full");
  const claims = withRivals(look.claims, anew);
  const found = await Promise.all(
    anew.map(async (one): Promise<[string, Observed][]> => {
      const { address, kind } = one.declaration;
      const roll = rolls.get(kind.name);
      const seen = await attempt(address, () => find({ ...look, claims, ...(roll ? { roll } : {}) }, one));
      if (seen.seen === "nothing") return [];
      return [[address, seen.seen === "live" ? { ...seen, succeeds: true } : seen]];
    }),
  );
  return new Map(found.flat());
}

/** The claims, with those of the gone objects on their names. */
function withRivals({ ids, labels }: Claims, anew: readonly Sought[]): Claims {
  const all = new Map(labels);
  for (const { declaration } of anew) {
    const wanted = `${declaration.kind.name} ${labelOf(declaration)}`;
    all.set(wanted, (all.get(wanted) ?? 0) + 1);
  }
  return { ids, labels: all };
}
