import { type Service, ServiceError } from "../api/index.js";
import {
  type DoubtExplanation,
  explainDoubt,
  type Kind,
  type Listing,
  type Live,
  referenceFields,
} from "../kinds/index.js";
import { removeObject } from "./delete-object.js";
import type { ExpectedObject } from "./read-current.js";

/** An object of the account that refers to another. */
export interface ReferringObject {
  readonly kind: Kind;
  readonly id: string;
}

export interface RemoveOldContext {
  /** Every kind, with the powers of the account. */
  readonly kinds: readonly Kind[];
  readonly service: Service;
  readonly list: (kind: Kind, options: { readonly fresh: boolean }) => Promise<Listing>;
}

/**
 * Deletes an object that another one has superseded, unless something of the account refers to it, whoever manages that.
 * Returns why it is not deleted, `in-use` or the code of an error of the service; undefined if it is gone.
 */
export async function deleteSupersededObject(
  { kinds, service, list }: RemoveOldContext,
  kind: Kind,
  id: string,
  expected?: ExpectedObject,
): Promise<{ readonly code: string; readonly message: string } | undefined> {
  const old = `${id}, which it has superseded,`;
  try {
    const { byId, doubt } = await findReferences({ kinds, service, list }, kind, { fresh: true });
    const users = byId.get(id.toLowerCase()) ?? [];
    if (users.length === 0 && doubt)
      return { code: "unstable-list", message: `${old} may be in use: ${doubt.problem}. ${doubt.advice}` };
    if (users.length > 0) {
      const message = `${old} is used by ${describeUsers(users)} of the account: change that, and apply again.`;
      return { code: "in-use", message };
    }
    const context = { kind, service, reader: service, list: list.bind(undefined, kind) };
    const ended = await removeObject(context, id, expected);
    if (ended.outcome === "stale")
      return { code: "moved", message: `${old} was edited elsewhere after the plan was made.` };
    if ("error" in ended) throw ended.error;
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return {
      code: error.code,
      message: `${old} is not deleted. ${error.message} To delete it, apply again.`,
    };
  }
}

/** What refers to objects of a kind. */
export interface References {
  /** By the id that is referred to, in lower case. */
  readonly byId: ReadonlyMap<string, readonly ReferringObject[]>;
  /** Why some may be missing. */
  readonly doubt: DoubtExplanation | undefined;
}

/**
 * Finds objects that refer to objects of a kind, managed or not: by the id that it refers to, in lower case. `known`: objects
 * that need not be read, by kind and id.
 */
export async function findReferences(
  { kinds, service, list }: RemoveOldContext,
  kind: Kind,
  { fresh, known }: { readonly fresh: boolean; readonly known?: ReadonlyMap<string, Live> },
): Promise<References> {
  const found = new Map<string, ReferringObject[]>();
  let doubt: DoubtExplanation | undefined;
  for (const user of kinds) {
    const fields = referenceFields(user).filter(([, target]) => target === kind.name);
    if (fields.length === 0 || !user.list) continue;
    const listing = await list(user, { fresh });
    if (listing.doubt) doubt = explainDoubt(user, listing.doubt);
    const lives = await Promise.all(
      listing.seen.map(
        async ({ id, live }) => live ?? known?.get(`${user.name} ${id}`) ?? (await user.read?.(service, id)),
      ),
    );
    for (const live of lives)
      for (const [field] of fields) {
        const used = live?.spec[field];
        if (!live || typeof used !== "string") continue;
        const key = used.toLowerCase();
        found.set(key, [...(found.get(key) ?? []), { kind: user, id: live.id }]);
      }
  }
  return { byId: found, doubt };
}

/** The objects as a sentence names them. */
export function describeUsers(users: readonly ReferringObject[]): string {
  return users.map(({ kind, id }) => `${kind.name} ${id}`).join(", ");
}
