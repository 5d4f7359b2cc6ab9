import type { Service } from "../api/index.js";
import {
  type DoubtExplanation,
  explainDoubt,
  type Kind,
  type Listing,
  type Live,
  referenceFields,
} from "../kinds/index.js";

/** An object of the account that refers to another. */
export interface ReferringObject {
  readonly kind: Kind;
  readonly id: string;
  /** The field that refers to the other object. */
  readonly field: string;
}

export interface RemoveOldContext {
  /** Every kind, with the powers of the account. */
  readonly kinds: readonly Kind[];
  readonly service: Service;
  readonly list: (kind: Kind, options: { readonly fresh: boolean }) => Promise<Listing>;
}

/** What refers to objects of a kind. */
export interface References {
  /** By the id that is referred to, in lower case. */
  readonly byId: ReadonlyMap<string, readonly ReferringObject[]>;
  /** Why some may be missing. */
  readonly doubt: DoubtExplanation | undefined;
  /** How many objects were read. */
  readonly reads: number;
}

/**
 * Finds what refers to objects of a kind, whoever manages it: by the id that it refers to, in lower case. `known`: objects
 * that need not be read, by kind and id.
 */
export async function findReferences(
  { kinds, service, list }: RemoveOldContext,
  kind: Kind,
  { fresh, known }: { readonly fresh: boolean; readonly known?: ReadonlyMap<string, Live> },
): Promise<References> {
  const found = new Map<string, ReferringObject[]>();
  let doubt: DoubtExplanation | undefined;
  let reads = 0;
  for (const user of kinds) {
    const fields = referenceFields(user).filter(([, target]) => target === kind.name);
    if (fields.length === 0 || !user.list) continue;
    const listing = await list(user, { fresh });
    if (listing.doubt) doubt = explainDoubt(user, listing.doubt);
    const lives = await Promise.all(
      listing.seen.map(async ({ id, live }) => {
        const own = live ?? known?.get(`${user.name} ${id}`);
        if (own || !user.read) return own;
        reads += 1;
        return user.read(service, id);
      }),
    );
    for (const live of lives)
      for (const [field] of fields) {
        const used = live?.spec[field];
        if (!live || typeof used !== "string") continue;
        const key = used.toLowerCase();
        const users = found.get(key) ?? [];
        users.push({ kind: user, id: live.id, field });
        found.set(key, users);
      }
  }
  return { byId: found, doubt, reads };
}

/** The objects as a sentence names them. */
export function describeUsers(users: readonly ReferringObject[]): string {
  return users.map(({ kind, id }) => `${kind.name} ${id}`).join(", ");
}

/** Finds what refers to an object of the account, before each of many deletes. */
export type ReferenceReader = (
  kind: Kind,
  id: string,
) => Promise<Pick<References, "doubt"> & { readonly users: readonly ReferringObject[] }>;

interface Survey {
  readonly found: Promise<References>;
  /** The client's count of requests up to which it holds. */
  holdsUntil: number;
}

/**
 * Surveys the references of the account, and again only after as many requests as a survey takes: many deletes cost little more
 * than twice the requests of one. Objects that an earlier survey shows as users are read again, because this run may have
 * changed them since.
 */
export function openReferenceReader(context: RemoveOldContext): ReferenceReader {
  const { service, list } = context;
  const surveys = new Map<string, Survey>();

  function startSurvey(kind: Kind): Survey {
    const found = findReferences(context, kind, { fresh: true });
    const survey: Survey = { found, holdsUntil: Number.POSITIVE_INFINITY };
    surveys.set(kind.name, survey);
    survey.found.then(
      ({ reads }) => {
        survey.holdsUntil = service.requests.total + reads;
      },
      // After a failure, the next delete tries again.
      () => surveys.delete(kind.name),
    );
    return survey;
  }

  async function isUserNow({ kind, id, field }: ReferringObject, used: string): Promise<boolean> {
    const live = kind.read
      ? await kind.read(service, id)
      : (await list(kind, { fresh: true })).seen.find((one) => one.id === id)?.live;
    const value = live?.spec[field];
    return typeof value === "string" && value.toLowerCase() === used.toLowerCase();
  }

  return async (kind, id) => {
    const known = surveys.get(kind.name);
    const earlier = known && service.requests.total <= known.holdsUntil ? known : undefined;
    const { byId, doubt } = await (earlier ?? startSurvey(kind)).found;
    const users = byId.get(id.toLowerCase()) ?? [];
    if (!earlier) return { users, doubt };
    const checked = await Promise.all(users.map(async (user) => ((await isUserNow(user, id)) ? [user] : [])));
    return { users: checked.flat(), doubt };
  };
}
