import { toCanonicalId } from "../../../base/text/index.js";
import { type Service, withDeadline } from "../../../core/api/index.js";
import {
  isReliableTimestamp,
  type Kind,
  type ListedEntries,
  type ListedObject,
  type Listing,
  type ListOperation,
  type LookupOutcome,
  type Namesakes,
  type RemoteObject,
  toListing,
} from "../../../core/kinds/index.js";
import { type ObservedById, observeById } from "../../../core/lifecycle/index.js";
import { type CoalescedList, coalesceReads } from "./coalesced-list.js";
import { waitUntilDeadline } from "./wait-until-deadline.js";

/** Last read of an object, as recorded in the state. */
export interface LastRead {
  /** The object's `updated_at` at that read. */
  readonly updatedAt: string;
  /** Time of the read, by the service's clock. */
  readonly atMs: number;
}

/** Facts that may save a request when an object is read. */
export interface ReadHints {
  readonly last?: LastRead | undefined;
  /** Digest of the object before the last write. See `observeById`. */
  readonly copyBefore?: string | undefined;
}

/** Reads an account's objects with few requests, and reflects the writes of this process. */
export type AccountReader = ReturnType<ReturnType<typeof openAccountReader>>;

/** Returns a factory of readers that share their lists. Each reader may have its own deadline. */
export function openAccountReader(service: Service) {
  // Lists by endpoint, because two kinds may share a list.
  const lists = new Map<string, CoalescedList>();
  const listings = new WeakMap<ListedEntries, Map<string, Listing>>();
  const written = new Map<string, Map<string, ListedObject>>();

  function findList(operation: ListOperation): CoalescedList {
    const existing = lists.get(operation.endpoint);
    if (existing) return existing;
    const list = coalesceReads((options) => operation.read(service, options));
    lists.set(operation.endpoint, list);
    return list;
  }

  function forgetList({ list }: Kind): void {
    if (list) lists.delete(list.endpoint);
  }

  /** Converts part of a list to objects of a kind. Cached, because a list may serve a thousand lookups. */
  function findListing(kind: Kind, list: ListOperation, part: ListedEntries): Listing {
    const kinds = listings.get(part) ?? new Map<string, Listing>();
    listings.set(part, kinds);
    const listing = kinds.get(kind.name) ?? toListing(list, part);
    kinds.set(kind.name, listing);
    return listing;
  }

  return (deadline?: AbortSignal) => {
    const reader = deadline ? withDeadline(service, deadline) : service;
    const wait = <T>(kind: Kind, list: Promise<T>) =>
      waitUntilDeadline(deadline, `The list of ${kind.collection}`, list);

    async function listAll(kind: Kind, { fresh } = { fresh: false }): Promise<Listing> {
      if (!kind.list) throw new Error(`Bug: there is no list of ${kind.collection}`);
      if (fresh) lists.delete(kind.list.endpoint);
      const listing = await wait(kind, findList(kind.list).readWhole());
      const ours = written.get(kind.name);
      if (!ours) return findListing(kind, kind.list, listing);
      const listed = new Map(findListing(kind, kind.list, listing).seen.map((entry) => [entry.id, entry]));
      for (const [id, entry] of ours) listed.set(id, entry);
      const operation: ListOperation = { ...kind.list, toListed: (entry) => entry as ListedObject };
      return toListing(operation, { ...listing, entries: [...listed.values()], count: listed.size });
    }

    return {
      /** Lists all objects of the kind, including writes by this process. `fresh` reads the list again. */
      list: listAll,
      async read(kind: Kind, given: string, { last, copyBefore }: ReadHints = {}): Promise<ObservedById> {
        const { list } = kind;
        const id = toCanonicalId(given);
        const containsId = (part: ListedEntries) =>
          list !== undefined && findListing(kind, list, part).findById(id).outcome === "found";
        const part = list && (await wait(kind, findList(list).choosePart(containsId, !kind.read)));
        const listing = part && list && findListing(kind, list, part);
        return observeById(kind, id, {
          reader,
          listing,
          copyBefore,
          isUnchanged: ({ updatedAt }) =>
            last !== undefined &&
            updatedAt === last.updatedAt &&
            isReliableTimestamp(last.updatedAt, last.atMs, listing?.preciseTimestamps),
          readFullListing: () => listAll(kind),
        });
      },
      /** Finds the objects with a name, except the objects with the given ids. */
      async findByName(
        kind: Kind,
        label: string,
        except: readonly string[] = [],
      ): Promise<LookupOutcome<Namesakes>> {
        const ours = written.get(kind.name) ?? new Map<string, ListedObject>();
        const named = [...ours.values()].filter(
          ({ id, label: other }) => other.normalize() === label.normalize() && !except.includes(id),
        );
        const lookup: LookupOutcome<Namesakes> = kind.list
          ? findListing(kind, kind.list, await wait(kind, findList(kind.list).readWhole())).findByLabel(
              label,
              ({ id }) => !ours.has(id) && !except.includes(id),
            )
          : { outcome: "absent" };
        const [first, ...others] = [...(lookup.outcome === "found" ? lookup.found : []), ...named];
        return first ? { outcome: "found", found: [first, ...others] } : lookup;
      },
      /** Records the result of a write by this process. */
      recordWrite(kind: Kind, live: RemoteObject): void {
        const ours = written.get(kind.name) ?? new Map<string, ListedObject>();
        written.set(kind.name, ours.set(live.id, { ...live, live }));
      },
      /** Records a delete by this process. */
      recordRemoval(kind: Kind, id: string): void {
        written.get(kind.name)?.delete(id);
        forgetList(kind);
      },
      /** Reads the list again when it is next used, because a write changed it. */
      forgetList,
    };
  };
}
