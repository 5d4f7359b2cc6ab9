import type { Service } from "../api/index.js";
import {
  type DoubtExplanation,
  explainDoubt,
  type Kind,
  type Listing,
  listReferenceFields,
  type RemoteObject,
} from "../kinds/index.js";

/** Object in the account that refers to another object. */
export interface ReferringObject {
  readonly kind: Kind;
  readonly id: string;
  /** Field that contains the reference. */
  readonly field: string;
}

export interface RemoveOldContext {
  /** All kinds, with the account's profile applied. */
  readonly kinds: readonly Kind[];
  readonly service: Service;
  readonly list: (kind: Kind, options: { readonly fresh: boolean }) => Promise<Listing>;
}

/** References to all objects of one kind. */
export interface References {
  /** Referring objects by lower-case id of the referenced object. */
  readonly byId: ReadonlyMap<string, readonly ReferringObject[]>;
  /** Reason why references may be missing. */
  readonly doubt: DoubtExplanation | undefined;
  /** Number of objects read. */
  readonly reads: number;
}

/**
 * Finds all objects, managed or not, that refer to objects of a kind. `known` contains objects that need no read, by
 * kind and id.
 */
export async function findReferences(
  { kinds, service, list }: RemoveOldContext,
  kind: Kind,
  { fresh, known }: { readonly fresh: boolean; readonly known?: ReadonlyMap<string, RemoteObject> },
): Promise<References> {
  const found = new Map<string, ReferringObject[]>();
  let doubt: DoubtExplanation | undefined;
  let reads = 0;
  for (const user of kinds) {
    const fields = listReferenceFields(user).filter(([, target]) => target === kind.name);
    if (fields.length === 0 || !user.list) continue;
    const listing = await list(user, { fresh });
    if (listing.doubt) doubt = explainDoubt(user, listing.doubt);
    const lives = await Promise.all(
      listing.seen.map(async ({ id, live }) => {
        const available = live ?? known?.get(`${user.name} ${id}`);
        if (available || !user.read) return available;
        reads += 1;
        return user.read(service, id);
      }),
    );
    for (const live of lives)
      for (const [field] of fields) {
        const target = live?.spec[field];
        if (!live || typeof target !== "string") continue;
        const key = target.toLowerCase();
        const users = found.get(key) ?? [];
        users.push({ kind: user, id: live.id, field });
        found.set(key, users);
      }
  }
  return { byId: found, doubt, reads };
}

/** Describes the referring objects for a message. */
export function describeUsers(users: readonly ReferringObject[]): string {
  return users.map(({ kind, id }) => `${kind.name} ${id}`).join(", ");
}

/** Reads the references to an object before a delete. */
export type ReferenceReader = (
  kind: Kind,
  id: string,
) => Promise<Pick<References, "doubt"> & { readonly users: readonly ReferringObject[] }>;

interface ReferenceSearch {
  readonly found: Promise<References>;
  /** The survey expires once the client has sent this many requests in total. */
  validUntil: number;
}

/**
 * Opens a reader that surveys the references in the account. To make deleting many objects cheap, reuses a survey until
 * the client has sent one request for each object that the survey read.
 */
export function openReferenceReader(context: RemoveOldContext): ReferenceReader {
  const { service, list } = context;
  const surveys = new Map<string, ReferenceSearch>();

  function startSurvey(kind: Kind): ReferenceSearch {
    const found = findReferences(context, kind, { fresh: true });
    const survey: ReferenceSearch = { found, validUntil: Number.POSITIVE_INFINITY };
    surveys.set(kind.name, survey);
    survey.found.then(
      ({ reads }) => {
        survey.validUntil = service.requests.total + reads;
      },
      // After a failure, the next delete starts a new survey.
      () => surveys.delete(kind.name),
    );
    return survey;
  }

  async function isStillUser({ kind, id, field }: ReferringObject, target: string): Promise<boolean> {
    const live = kind.read
      ? await kind.read(service, id)
      : (await list(kind, { fresh: true })).seen.find((one) => one.id === id)?.live;
    const value = live?.spec[field];
    return typeof value === "string" && value.toLowerCase() === target.toLowerCase();
  }

  return async (kind, id) => {
    const known = surveys.get(kind.name);
    const earlier = known && service.requests.total <= known.validUntil ? known : undefined;
    const { byId, doubt } = await (earlier ?? startSurvey(kind)).found;
    const users = byId.get(id.toLowerCase()) ?? [];
    if (!earlier) return { users, doubt };
    const checked = await Promise.all(
      users.map(async (user) => ((await isStillUser(user, id)) ? [user] : [])),
    );
    return { users: checked.flat(), doubt };
  };
}
