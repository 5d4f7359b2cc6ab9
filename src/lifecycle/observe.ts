import { type Service, ServiceError } from "../api/index.js";
import type { Kind, ListedObject, Listing, Live } from "../kinds/index.js";

/** What was seen of an object whose id is known. */
export type ObservedById =
  | { readonly seen: "live"; readonly live: Live }
  /** The list shows that it is as it was when last seen. */
  | { readonly seen: "unmoved" }
  /** There is no object with the id. */
  | { readonly seen: "absent" }
  /** The service offers no way to see it. */
  | { readonly seen: "unobservable" };

/** What is known beforehand. */
export interface ObserveOptions {
  readonly reader: Service;
  /** As much of the list of its kind as was read. */
  readonly listing: Listing | undefined;
  /** Whether its entry in the list shows that the object is as it was when last seen. */
  readonly isUnmoved: (entry: ListedObject) => boolean;
  /** Read it singly even where the list tells all of it. Default false. */
  readonly singly?: boolean;
  /** The whole list of its kind. Asked for only where a page of HTML says that the object is not there. */
  readonly fullListing: () => Promise<Listing | undefined>;
}

/** Sees one object: in the list where that tells enough, else by reading it (rule 7). */
export async function observeById(kind: Kind, id: string, options: ObserveOptions): Promise<ObservedById> {
  const { reader, listing, isUnmoved, singly = false } = options;
  const listed = listing?.byId.get(id);
  if (listed?.live && !(singly && kind.read)) return { seen: "live", live: listed.live };
  if (listed && isUnmoved(listed)) return { seen: "unmoved" };
  if (!kind.read) return { seen: isAbsent(kind, listing) ? "absent" : "unobservable" };
  // Also where a complete list lacks it: a list that changes while it is read may have lost it.
  const live = await kind.read(reader, id).catch(async (error: unknown) => {
    // A page of HTML may come from anywhere on the way. Together with a list that lacks the object, it is believed.
    if (!isNotFound(error) || !(await isUnlisted(kind, id, options))) throw error;
  });
  return live ? { seen: "live", live } : { seen: "absent" };
}

function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "not-found";
}

/** Whether a list that lacks an object says that it does not exist. */
function isAbsent({ list }: Kind, listing: Listing | undefined): boolean {
  return list?.whole === true && list.exhaustive && listing?.complete === true && !listing.unstable;
}

/** Whether a list of all objects lacks it. */
async function isUnlisted(
  { list }: Kind,
  id: string,
  { listing, fullListing }: ObserveOptions,
): Promise<boolean> {
  if (!list?.exhaustive) return false;
  const whole = listing?.complete ? listing : await fullListing();
  return whole?.complete === true && !whole.unstable && !whole.byId.has(id);
}
