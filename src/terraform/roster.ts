import type { Service } from "../api/index.js";
import {
  isReliableTimestamp,
  type Kind,
  type ListedObject,
  type Listing,
  type ListOperation,
  type ListResult,
  type Live,
  toListing,
} from "../kinds/index.js";
import { type CoalescedList, coalesceReads } from "./coalesced.js";

/** What a state knows of when an object was last seen. */
export interface LastRead {
  /** The object's `updated_at` then. */
  readonly updatedAt: string;
  /** When it was read, by the service's clock. */
  readonly atMs: number;
}

export type ReadResult =
  | { readonly seen: "live"; readonly live: Live }
  /** It is as it was when last sighted. */
  | { readonly seen: "unmoved" }
  | { readonly seen: "gone" }
  /** The service offers no way to see it. */
  | { readonly seen: "unobservable" };

/** The objects of an account, read with as few requests as can be, and what this process did to them. */
export interface AccountReader {
  read(kind: Kind, id: string, last?: LastRead): Promise<ReadResult>;
  /** Everything the kind's list tells, with our own writes. */
  list(kind: Kind): Promise<Listing>;
  /** Objects of that name. */
  findByName(kind: Kind, label: string): Promise<readonly ListedObject[]>;
  /** Notes what a write of ours made of an object. */
  recordWrite(kind: Kind, live: Live): void;
  /** Reads the kind's list anew when it is next asked for. */
  invalidateList(kind: Kind): void;
}

export function openAccountReader(service: Service): AccountReader {
  // Two kinds may share a list: it is read once.
  const lists = new Map<string, CoalescedList>();
  const told = new WeakMap<ListResult, Map<Kind, Listing>>();
  const written = new Map<Kind, Map<string, ListedObject>>();

  function listOf(power: ListOperation): CoalescedList {
    const known = lists.get(power.endpoint);
    if (known) return known;
    const list = coalesceReads((options) => power.read(service, options));
    lists.set(power.endpoint, list);
    return list;
  }

  /** What a part of a list tells of a kind; worked out once for each, since a thousand objects may be looked up in it. */
  function tell(kind: Kind, power: ListOperation, listing: ListResult): Listing {
    const kinds = told.get(listing) ?? new Map<Kind, Listing>();
    told.set(listing, kinds);
    const known = kinds.get(kind) ?? toListing(power, listing);
    kinds.set(kind, known);
    return known;
  }

  async function all(kind: Kind): Promise<Listing> {
    if (!kind.list) throw new Error(`Bug: there is no list of ${kind.collection}`);
    const listing = await listOf(kind.list).whole();
    const ours = written.get(kind);
    if (!ours) return tell(kind, kind.list, listing);
    const listed = new Map(tell(kind, kind.list, listing).byId);
    for (const [id, entry] of ours) listed.set(id, entry);
    const power: ListOperation = { ...kind.list, toListed: (entry) => entry as ListedObject };
    return toListing(power, { ...listing, entries: [...listed.values()], count: listed.size });
  }

  return {
    list: all,
    async read(kind, id, last) {
      const { list, read } = kind;
      const isIn = (listing: ListResult) => list !== undefined && tell(kind, list, listing).byId.has(id);
      const part = list && (await listOf(list).consult(isIn, !read));
      const listing = part && tell(kind, list, part);
      const entry = listing?.byId.get(id);
      if (entry?.live) return { seen: "live", live: entry.live };
      if (
        last &&
        entry?.updatedAt === last.updatedAt &&
        isReliableTimestamp(last.updatedAt, last.atMs, listing?.preciseTimestamps)
      )
        return { seen: "unmoved" };
      if (!read) return { seen: "unobservable" };
      // Also where the whole list lacks it: a list that changes while it is read may have lost it.
      const live = await read(service, id);
      return live ? { seen: "live", live } : { seen: "gone" };
    },
    async findByName(kind, label) {
      const listed = kind.list
        ? tell(kind, kind.list, await listOf(kind.list).whole()).byLabel.get(label)
        : [];
      const ours = written.get(kind) ?? new Map<string, ListedObject>();
      const named = [...ours.values()].filter((one) => one.label === label);
      return [...(listed ?? []).filter(({ id }) => !ours.has(id)), ...named];
    },
    recordWrite(kind, live) {
      const ours = written.get(kind) ?? new Map<string, ListedObject>();
      written.set(kind, ours.set(live.id, { ...live, live }));
    },
    invalidateList(kind) {
      if (kind.list) lists.delete(kind.list.endpoint);
    },
  };
}
