import type { Service } from "../api/index.js";
import { type Kind, type KindRoll, kinds, type ListPower, type Roll, tellAll } from "../kinds/index.js";
import { desiredSpec } from "./compare.js";
import { recallsSpec } from "./remember.js";
import type { Sought } from "./sought.js";

/** How much of the account to read: what may have moved, or everything. */
export type Refresh = "auto" | "full";

/**
 * Reads the lists (rule 7). A page of a list tells of up to a hundred objects for one request, so the first page is
 * always read: it may spare reads and tells how many objects there are. The remaining pages are read when something
 * has to be found by its name, or when they are fewer than the single reads they would spare. `everything` reads the lists
 * of all kinds, whole.
 */
export async function readRolls(
  service: Service,
  sought: readonly Sought[],
  refresh: Refresh,
  everything = false,
): Promise<ReadonlyMap<string, KindRoll>> {
  const wanted = everything ? kinds : [...new Set(sought.map(({ declaration }) => declaration.kind))];
  const listable = wanted.filter((kind) => kind.list);
  const lists = [...new Set(listable.map((kind) => kind.list?.of))];
  const rolls = await Promise.all(
    lists.map(async (of) => {
      const sharing = listable.filter((kind) => kind.list?.of === of);
      const [first] = sharing;
      if (!first?.list) return [];
      const hopes = sharing.map((kind) => hopesOf(kind, sought, refresh));
      const roll = await first.list.read(service, { enough: (page) => !everything && enough(page, hopes) });
      return sharing.map((kind) => [kind.name, tellAll(kind.list as ListPower, roll)] as const);
    }),
  );
  return new Map(rolls.flat());
}

/** Whether the object need not be read if the list shows the `updated_at` the state remembers. */
export function trusts({ declaration, entry, intent }: Sought, refresh: Refresh): boolean {
  return (
    refresh === "auto" &&
    intent === undefined &&
    entry?.inSyncAt !== undefined &&
    recallsSpec(declaration.kind, entry.applied, desiredSpec(declaration, entry))
  );
}

/** What one kind hopes to learn from a list. */
interface Hopes {
  readonly power: ListPower;
  /** The whole list is needed: something is looked for by name, or cannot be read in any other way. */
  readonly whole: boolean;
  /** Ids whose entry would spare a read. */
  readonly ids: ReadonlySet<string>;
}

function hopesOf(kind: Kind, sought: readonly Sought[], refresh: Refresh): Hopes {
  const power = kind.list as ListPower;
  const own = sought.filter(({ declaration }) => declaration.kind === kind);
  const spared = own.filter((one) => one.id !== undefined && (power.whole || trusts(one, refresh)));
  return {
    power,
    whole: refresh === "full" || !kind.read || own.some((one) => one.id === undefined || isCreate(one)),
    ids: new Set(spared.map(({ id }) => id as string)),
  };
}

function isCreate({ intent }: Sought): boolean {
  return intent !== undefined && intent.id === undefined;
}

function enough(page: Roll, hopes: readonly Hopes[]): boolean {
  if (hopes.some(({ whole }) => whole)) return false;
  const unread = hopes.reduce((sum, { power, ids }) => {
    const told = new Set(page.entries.map((entry) => power.tell(entry)?.id));
    return sum + [...ids].filter((id) => !told.has(id)).length;
  }, 0);
  return unread <= page.pages - 1;
}
