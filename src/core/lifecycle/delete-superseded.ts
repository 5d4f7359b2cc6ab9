import { type Service, ServiceError } from "../api/index.js";
import {
  type DoubtExplanation,
  explainDoubt,
  type Kind,
  type Listing,
  type Live,
  referenceFields,
} from "../kinds/index.js";
import { type RemoveContext, removeObject } from "./delete-object.js";
import type { ExpectedObject } from "./read-current.js";
import type { RemoveResult } from "./write-result.js";

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

/** What a delete needs beside what it is about. */
export type DeleteContext = RemoveOldContext &
  Pick<RemoveContext, "kind" | "reader" | "beforeSend" | "normalize">;

/** Deletes an object as `removeObject` does, unless something of the account refers to it, whoever manages that. */
export async function deleteObject(
  { list, ...context }: DeleteContext,
  id: string,
  expected?: ExpectedObject,
): Promise<RemoveResult | ObjectInUse> {
  const { kind } = context;
  try {
    const { byId, doubt } = await findReferences({ ...context, list }, kind, { fresh: true });
    const users = byId.get(id.toLowerCase()) ?? [];
    if (users.length > 0) {
      const why = `is used by ${describeUsers(users)} of the account: change that, and apply again.`;
      return { outcome: "in-use", code: "in-use", why };
    }
    if (doubt) {
      const why = `may be in use: ${doubt.problem}. ${doubt.advice}`;
      return { outcome: "in-use", code: "unstable-list", why };
    }
  } catch (error) {
    if (error instanceof ServiceError) return { outcome: "refused", error };
    throw error;
  }
  return removeObject({ ...context, list: list.bind(undefined, kind) }, id, expected);
}

/** Nothing was sent: something refers to the object, or that could not be ruled out. `why` continues its name. */
interface ObjectInUse {
  readonly outcome: "in-use";
  readonly code: "in-use" | "unstable-list";
  readonly why: string;
}

/**
 * Deletes an object that another one has superseded, unless it is in use. Returns why it is not deleted, `in-use` or the
 * code of an error of the service; undefined if it is gone.
 */
export async function deleteSupersededObject(
  context: RemoveOldContext,
  kind: Kind,
  id: string,
  expected?: ExpectedObject,
): Promise<{ readonly code: string; readonly message: string } | undefined> {
  const old = `${id}, which it has superseded,`;
  const ended = await deleteObject({ ...context, kind, reader: context.service }, id, expected);
  switch (ended.outcome) {
    case "removed":
      return undefined;
    case "in-use":
      return { code: ended.code, message: `${old} ${ended.why}` };
    case "stale":
      return { code: "moved", message: `${old} was edited elsewhere after the plan was made.` };
    default: {
      const { code, message } = ended.error;
      return { code, message: `${old} is not deleted. ${message} To delete it, apply again.` };
    }
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
