import type { Service } from "../api/index.js";
import {
  type Kind,
  type ListedEntries,
  type Listing,
  type ListOperation,
  toListing,
} from "../kinds/index.js";
import { doesSpecMatchStored } from "./stored-form.js";
import { getDesiredSpec } from "./three-way-compare.js";
import type { TrackedDeclaration } from "./tracked-declaration.js";

/** Read scope: only objects that may have changed (`auto`), or all objects (`full`). */
export type Refresh = "auto" | "full";

/**
 * Reads the first page of each list (rule 7). Reads the other pages if `refresh` is `full`, if an object must be found
 * by name or cannot be read by id, or if that takes fewer requests than reading objects one by one.
 *
 * @param everything Kinds whose lists are read completely. Replaces the kinds in `tracked`.
 */
export async function readListings(
  service: Service,
  tracked: readonly TrackedDeclaration[],
  refresh: Refresh,
  everything: readonly Kind[] | undefined = undefined,
): Promise<ReadonlyMap<string, Listing>> {
  const tracing = new Map(tracked.map(({ declaration: { kind } }) => [kind.name, kind]));
  const selected = everything ?? [...tracing.values()];
  const listable = selected.filter((kind) => kind.list);
  const lists = [...new Set(listable.map((kind) => kind.list?.endpoint))];
  const listings = await Promise.all(
    lists.map(async (of) => {
      const sharing = listable.filter((kind) => kind.list?.endpoint === of);
      const [first] = sharing;
      if (!first?.list) return [];
      const needs = sharing.map((kind) => findListingNeeds(kind, tracked, refresh));
      const listing = await first.list.read(service, {
        enough: (page) => !everything && doesFirstPageSuffice(page, needs),
      });
      return sharing.map((kind) => [kind.name, toListing(kind.list as ListOperation, listing)] as const);
    }),
  );
  return new Map(listings.flat());
}

/** Reads the whole list of a kind, from the cache unless `fresh` is set. Kinds may share a list. */
export type ListReader = (kind: Kind, options: { readonly fresh: boolean }) => Promise<Listing>;

export function openListReader(service: Service): ListReader {
  const lists = new Map<string, Promise<ListedEntries>>();
  const listings = new WeakMap<ListedEntries, Map<string, Listing>>();
  const toListingOnce = (name: string, list: ListOperation, result: ListedEntries) => {
    const known = listings.get(result) ?? new Map<string, Listing>();
    listings.set(result, known);
    const listing = known.get(name) ?? toListing(list, result);
    known.set(name, listing);
    return listing;
  };
  return async ({ name, list }, { fresh }) => {
    if (!list) throw new Error(`Bug: ${name} has no list`);
    const known = fresh ? undefined : lists.get(list.endpoint);
    const read = known ?? list.read(service, {});
    lists.set(list.endpoint, read);
    // A failed read is not cached.
    read.catch(() => {
      if (lists.get(list.endpoint) === read) lists.delete(list.endpoint);
    });
    return toListingOnce(name, list, await read);
  };
}

/** Returns whether an object's read can be skipped if the list shows the recorded `updated_at`. */
export function canSkipRead(
  { declaration, entry, intent, rotation }: TrackedDeclaration,
  refresh: Refresh,
): boolean {
  return (
    refresh === "auto" &&
    intent === undefined &&
    rotation?.value !== "changed" &&
    // The plan may give a referenced object a new id.
    declaration.references === undefined &&
    entry?.inSyncAt !== undefined &&
    doesSpecMatchStored(declaration.kind, entry.applied, getDesiredSpec(declaration, entry))
  );
}

/** Parts of a kind's list that must be read. */
interface ListingNeeds {
  readonly power: ListOperation;
  /** Whether the whole list is needed, to find a name or to see objects that cannot be read individually. */
  readonly whole: boolean;
  /** Ids that need no separate read if the list shows them. */
  readonly ids: ReadonlySet<string>;
}

function findListingNeeds(
  kind: Kind,
  tracked: readonly TrackedDeclaration[],
  refresh: Refresh,
): ListingNeeds {
  const power = kind.list as ListOperation;
  const own = tracked.filter(({ declaration }) => declaration.kind.name === kind.name);
  const spared = own.filter(
    (declared) => declared.id !== undefined && (power.whole || canSkipRead(declared, refresh)),
  );
  return {
    power,
    whole:
      refresh === "full" ||
      !kind.read ||
      own.some((declared) => declared.id === undefined || isCreate(declared)),
    ids: new Set(spared.map(({ id }) => id as string)),
  };
}

function isCreate({ intent }: TrackedDeclaration): boolean {
  return intent !== undefined && intent.id === undefined;
}

function doesFirstPageSuffice(page: ListedEntries, needs: readonly ListingNeeds[]): boolean {
  if (needs.some(({ whole }) => whole)) return false;
  const unread = needs.reduce((sum, { power, ids }) => {
    const listed = new Set(page.entries.map((entry) => power.toListed(entry)?.id));
    return sum + [...ids].filter((id) => !listed.has(id)).length;
  }, 0);
  return unread <= page.pages - 1;
}
