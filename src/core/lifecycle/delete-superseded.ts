import { ServiceError } from "../api/index.js";
import type { Kind } from "../kinds/index.js";
import { type RemoveContext, removeObject } from "./delete-object.js";
import {
  describeUsers,
  type ReferenceReader,
  type ReferringObject,
  type RemoveOldContext,
} from "./find-references.js";
import type { ExpectedObject } from "./read-current.js";
import type { RemoveResult } from "./write-result.js";

/** Context for a delete that first looks for references to the object. */
export interface UnusedContext extends Pick<RemoveOldContext, "service" | "list"> {
  readonly findUsers: ReferenceReader;
}

/** Context for deleting any object. */
export type DeleteContext = UnusedContext &
  Pick<RemoveContext, "kind" | "reader" | "beforeSend" | "normalize">;

/** Deletes an object like `removeObject`, unless another object in the account, managed or not, refers to it. */
export async function deleteObject(
  { list, findUsers, ...context }: DeleteContext,
  id: string,
  expected?: ExpectedObject,
): Promise<RemoveResult | ObjectInUse> {
  const { kind } = context;
  try {
    const { users, doubt } = await findUsers(kind, id);
    if (users.length > 0) {
      const why = `is used by ${describeUsers(users)} in the account. Remove that reference, then apply again.`;
      return { outcome: "in-use", code: "in-use", why, users };
    }
    if (doubt) {
      const why = `may be in use, because ${doubt.problem}. ${doubt.advice}`;
      return { outcome: "in-use", code: "unstable-list", why };
    }
  } catch (error) {
    if (error instanceof ServiceError) return { outcome: "refused", error };
    throw error;
  }
  return removeObject({ ...context, list: list.bind(undefined, kind) }, id, expected);
}

/**
 * Result of a delete that was not sent, because another object refers or may refer to this one. `why` continues a
 * sentence that starts with the object's name.
 */
interface ObjectInUse {
  readonly outcome: "in-use";
  readonly code: "in-use" | "unstable-list";
  readonly why: string;
  readonly users?: readonly ReferringObject[];
}

/** Superseded object that was not deleted. */
export interface KeptObject {
  /** Code `in-use`, or an error code. */
  readonly code: string;
  readonly message: string;
  readonly users?: readonly ReferringObject[];
}

/** Deletes a superseded object, unless another object uses it. Returns undefined if the object is gone. */
export async function deleteSupersededObject(
  context: UnusedContext,
  kind: Kind,
  id: string,
  expected?: ExpectedObject,
): Promise<KeptObject | undefined> {
  const old = `The superseded object ${id}`;
  const ended = await deleteObject({ ...context, kind, reader: context.service }, id, expected);
  switch (ended.outcome) {
    case "removed":
      return undefined;
    case "in-use": {
      const { code, why, users } = ended;
      return { code, message: `${old} ${why}`, ...(users && { users }) };
    }
    case "stale":
      return {
        code: "moved",
        message: `${old} was edited elsewhere after the plan was made. See the edit: \`avatarops plan\`.`,
      };
    default: {
      const { code, message } = ended.error;
      return { code, message: `${old} was not deleted. ${message} Apply again to delete it.` };
    }
  }
}
