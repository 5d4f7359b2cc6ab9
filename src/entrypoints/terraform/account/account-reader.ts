import { toCanonicalId } from "../../../base/text/index.js";
import { type Service, withDeadline } from "../../../core/api/index.js";
import {
  isReliableTimestamp,
  type Kind,
  type ListedObject,
  type Listing,
  type ListOperation,
  type ListResult,
  type Lookup,
  type Namesakes,
  type RemoteObject,
  toListing,
} from "../../../core/kinds/index.js";
import { type ObservedById, observeById } from "../../../core/lifecycle/index.js";
import { type CoalescedList, coalesceReads } from "./coalesced-list.js";
import { untilDeadline } from "./until-deadline.js";

/** What a state knows of when an object was last seen. */
export interface LastRead {
  /** The object's `updated_at` then. */
  readonly updatedAt: string;
  /** When it was read, by the service's clock. */
  readonly atMs: number;
}

/** What is known of an object before it is read. */
export interface Known {
  readonly last?: LastRead | undefined;
  /** As for `observeById`. */
  readonly copyBefore?: string | undefined;
}

/** The objects of an account, read with as few requests as can be, and what this process did to them. */
export type AccountReader = ReturnType<ReturnType<typeof openAccountReader>>;

/** Returns what makes readers that share their lists, each with a deadline of its own or none. */
export function openAccountReader(service: Service) {
  // Two kinds may share a list: it is read once.
  const lists = new Map<string, CoalescedList>();
  const listings = new WeakMap<ListResult, Map<string, Listing>>();
  const written = new Map<string, Map<string, ListedObject>>();

  function findList(operation: ListOperation): CoalescedList {
    const known = lists.get(operation.endpoint);
    if (known) return known;
    const list = coalesceReads((options) => operation.read(service, options));
    lists.set(operation.endpoint, list);
    return list;
  }

  /** A part of a list as objects of a kind; made once for each, since a thousand objects may be looked up in it. */
  function findListing(kind: Kind, list: ListOperation, part: ListResult): Listing {
    const kinds = listings.get(part) ?? new Map<string, Listing>();
    listings.set(part, kinds);
    const known = kinds.get(kind.name) ?? toListing(list, part);
    kinds.set(kind.name, known);
    return known;
  }

  return (deadline?: AbortSignal) => {
    const reader = deadline ? withDeadline(service, deadline) : service;
    const wait = <T>(kind: Kind, list: Promise<T>) =>
      untilDeadline(deadline, `The list of ${kind.collection}`, list);

    async function all(kind: Kind, { fresh } = { fresh: false }): Promise<Listing> {
      if (!kind.list) throw new Error(`Bug: there is no list of ${kind.collection}`);
      if (fresh) lists.delete(kind.list.endpoint);
      const listing = await wait(kind, findList(kind.list).whole());
      const ours = written.get(kind.name);
      if (!ours) return findListing(kind, kind.list, listing);
      const listed = new Map(findListing(kind, kind.list, listing).seen.map((entry) => [entry.id, entry]));
      for (const [id, entry] of ours) listed.set(id, entry);
      const operation: ListOperation = { ...kind.list, toListed: (entry) => entry as ListedObject };
      return toListing(operation, { ...listing, entries: [...listed.values()], count: listed.size });
    }

    return {
      /** Everything in the kind's list, with our own writes. `fresh` reads it again. */
      list: all,
      async read(kind: Kind, given: string, { last, copyBefore }: Known = {}): Promise<ObservedById> {
        const { list } = kind;
        const id = toCanonicalId(given);
        const isIn = (part: ListResult) =>
          list !== undefined && findListing(kind, list, part).findById(id).outcome === "found";
        const part = list && (await wait(kind, findList(list).consult(isIn, !kind.read)));
        const listing = part && list && findListing(kind, list, part);
        return observeById(kind, id, {
          reader,
          listing,
          copyBefore,
          isUnmoved: ({ updatedAt }) =>
            last !== undefined &&
            updatedAt === last.updatedAt &&
            isReliableTimestamp(last.updatedAt, last.atMs, listing?.preciseTimestamps),
          fullListing: () => all(kind),
        });
      },
      /** Looks up objects by their name, except those with the given ids. */
      async findByName(
        kind: Kind,
        label: string,
        except: readonly string[] = [],
      ): Promise<Lookup<Namesakes>> {
        const ours = written.get(kind.name) ?? new Map<string, ListedObject>();
        const named = [...ours.values()].filter((one) => one.label === label && !except.includes(one.id));
        const lookup: Lookup<Namesakes> = kind.list
          ? findListing(kind, kind.list, await wait(kind, findList(kind.list).whole())).findByLabel(
              label,
              ({ id }) => !ours.has(id) && !except.includes(id),
            )
          : { outcome: "absent" };
        const [first, ...others] = [...(lookup.outcome === "found" ? lookup.found : []), ...named];
        return first ? { outcome: "found", found: [first, ...others] } : lookup;
      },
      /** Notes what a write of ours made of an object. */
      recordWrite(kind: Kind, live: RemoteObject): void {
        const ours = written.get(kind.name) ?? new Map<string, ListedObject>();
        written.set(kind.name, ours.set(live.id, { ...live, live }));
      },
      /** Notes that an object was deleted. */
      recordRemoval(kind: Kind, id: string): void {
        written.get(kind.name)?.delete(id);
        if (kind.list) lists.delete(kind.list.endpoint);
      },
    };
  };
}
