import type { Service } from "../api/index.js";
import {
  isSettled,
  type Kind,
  type KindRoll,
  type Listed,
  type ListPower,
  type Live,
  type Roll,
  tellAll,
} from "../kinds/index.js";
import { type Coalesced, coalesced } from "./coalesced.js";

/** What a state knows of when an object was last seen. */
export interface Sighting {
  /** The object's `updated_at` then. */
  readonly updatedAt: string;
  /** When it was read, by the service's clock. */
  readonly atMs: number;
}

export type Seen =
  | { readonly seen: "live"; readonly live: Live }
  /** It is as it was when last sighted. */
  | { readonly seen: "unmoved" }
  | { readonly seen: "gone" }
  /** The service offers no way to see it. */
  | { readonly seen: "unobservable" };

/** The objects of an account, read with as few requests as can be, and what this process did to them. */
export interface Roster {
  see(kind: Kind, id: string, last?: Sighting): Promise<Seen>;
  /** Everything the kind's list tells, with our own writes. */
  all(kind: Kind): Promise<KindRoll>;
  /** Objects of that name. */
  namesakes(kind: Kind, label: string): Promise<readonly Listed[]>;
  /** Notes what a write of ours made of an object. */
  note(kind: Kind, live: Live): void;
  /** Reads the kind's list anew when it is next asked for. */
  forget(kind: Kind): void;
}

export function openRoster(service: Service): Roster {
  // Two kinds may share a list: it is read once.
  const lists = new Map<string, Coalesced>();
  const told = new WeakMap<Roll, Map<Kind, KindRoll>>();
  const written = new Map<Kind, Map<string, Listed>>();

  function listOf(power: ListPower): Coalesced {
    const known = lists.get(power.of);
    if (known) return known;
    const list = coalesced((options) => power.read(service, options));
    lists.set(power.of, list);
    return list;
  }

  /** What a part of a list tells of a kind; worked out once for each, since a thousand objects may be looked up in it. */
  function tell(kind: Kind, power: ListPower, roll: Roll): KindRoll {
    const kinds = told.get(roll) ?? new Map<Kind, KindRoll>();
    told.set(roll, kinds);
    const known = kinds.get(kind) ?? tellAll(power, roll);
    kinds.set(kind, known);
    return known;
  }

  async function all(kind: Kind): Promise<KindRoll> {
    if (!kind.list) throw new Error(`Bug: there is no list of ${kind.collection}`);
    const roll = await listOf(kind.list).whole();
    const ours = written.get(kind);
    if (!ours) return tell(kind, kind.list, roll);
    const listed = new Map(tell(kind, kind.list, roll).byId);
    for (const [id, entry] of ours) listed.set(id, entry);
    const power = { ...kind.list, tell: (entry: unknown) => entry as Listed };
    return tellAll(power, { ...roll, entries: [...listed.values()], count: listed.size });
  }

  return {
    all,
    async see(kind, id, last) {
      const { list, read } = kind;
      const isIn = (roll: Roll) => list !== undefined && tell(kind, list, roll).byId.has(id);
      const part = list && (await listOf(list).consult(isIn, !read));
      const roll = part && tell(kind, list, part);
      const entry = roll?.byId.get(id);
      if (entry?.live) return { seen: "live", live: entry.live };
      if (
        last &&
        entry?.updatedAt === last.updatedAt &&
        isSettled(last.updatedAt, last.atMs, roll?.fineClock)
      )
        return { seen: "unmoved" };
      if (!read) return { seen: "unobservable" };
      // Also where the whole list lacks it: a list that changes while it is read may have lost it.
      const live = await read(service, id);
      return live ? { seen: "live", live } : { seen: "gone" };
    },
    async namesakes(kind, label) {
      const listed = kind.list
        ? tell(kind, kind.list, await listOf(kind.list).whole()).byLabel.get(label)
        : [];
      const ours = written.get(kind) ?? new Map<string, Listed>();
      const named = [...ours.values()].filter((one) => one.label === label);
      return [...(listed ?? []).filter(({ id }) => !ours.has(id)), ...named];
    },
    note(kind, live) {
      const ours = written.get(kind) ?? new Map<string, Listed>();
      written.set(kind, ours.set(live.id, { ...live, live }));
    },
    forget(kind) {
      if (kind.list) lists.delete(kind.list.of);
    },
  };
}
