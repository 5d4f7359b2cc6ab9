import { type Service, ServiceError } from "../api/index.js";
import type { Kind, ListedObject, Listing, RemoteObject } from "../kinds/index.js";
import { isOldCopy } from "./listed-copy.js";

/** Observation of an object with a known id. */
export type ObservedById =
  | { readonly seen: "live"; readonly live: RemoteObject }
  /** Object whose list entry shows that it has not changed. */
  | { readonly seen: "unmoved" }
  /** No object has this id. */
  | { readonly seen: "absent" }
  /** Object that the service cannot return. */
  | { readonly seen: "unobservable" };

export interface ObserveOptions {
  readonly reader: Service;
  /** The kind's list, which may be incomplete. */
  readonly listing: Listing | undefined;
  /** Digest of the object's copy before our last write (see listed-copy.ts). */
  readonly copyBefore?: string | undefined;
  /** Returns whether a list entry shows that the object has not changed. */
  readonly isUnchanged: (entry: ListedObject) => boolean;
  /** Whether to read the object even if the list describes it completely. Default: false. */
  readonly readsSingly?: boolean;
  /** Returns the kind's whole list. Called only if an HTML page reports that the object does not exist. */
  readonly readFullListing: () => Promise<Listing | undefined>;
}

/** Observes one object, from the list if possible (rule 7). */
export async function observeById(kind: Kind, id: string, options: ObserveOptions): Promise<ObservedById> {
  const { reader, listing, isUnchanged, readsSingly = false } = options;
  const lookup = listing?.findById(id);
  const listed = lookup?.outcome === "found" ? lookup.found : undefined;
  if (listed?.live && isOldCopy(kind, listed.live, options.copyBefore)) return { seen: "unobservable" };
  if (listed?.live && !(readsSingly && kind.read)) return { seen: "live", live: listed.live };
  if (listed && isUnchanged(listed)) return { seen: "unmoved" };
  if (!kind.read) return { seen: lookup?.outcome === "absent" ? "absent" : "unobservable" };
  // Reads the object even if a complete list lacks it, because the list may have changed while it was read.
  const live = await kind.read(reader, listed?.id ?? id).catch(async (error: unknown) => {
    // An HTML page may come from a proxy. It counts only if the list also lacks the object.
    if (!isNotFound(error) || !(await isUnlisted(kind, id, options))) throw error;
  });
  return live ? { seen: "live", live } : { seen: "absent" };
}

function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "not-found";
}

/** Returns whether a complete list confirms that the object does not exist. */
async function isUnlisted(
  { list }: Kind,
  id: string,
  { listing, readFullListing }: ObserveOptions,
): Promise<boolean> {
  if (!list?.exhaustive) return false;
  const whole = listing?.complete ? listing : await readFullListing();
  return whole?.findById(id).outcome === "absent";
}
