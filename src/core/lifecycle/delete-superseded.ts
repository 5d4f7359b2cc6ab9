import { type Service, ServiceError } from "../api/index.js";
import { type Kind, type Listing, referenceFields } from "../kinds/index.js";
import { removeObject } from "./delete-object.js";
import type { ExpectedObject } from "./read-current.js";

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
    const users = await findUsers({ kinds, service, list }, kind, id);
    if (users.length > 0) {
      const message = `${old} is used by ${users.join(", ")} of the account: change that, and apply again.`;
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

async function findUsers(
  { kinds, service, list }: RemoveOldContext,
  kind: Kind,
  id: string,
): Promise<readonly string[]> {
  const users: string[] = [];
  for (const user of kinds) {
    const fields = referenceFields(user).filter(([, target]) => target === kind.name);
    if (fields.length === 0 || !user.list) continue;
    for (const listed of (await list(user, { fresh: true })).listed) {
      const live = listed.live ?? (await user.read?.(service, listed.id));
      if (fields.some(([field]) => live?.spec[field] === id)) users.push(`${user.name} ${listed.id}`);
    }
  }
  return users;
}
