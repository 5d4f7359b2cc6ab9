import { ServiceError } from "../api/index.js";
import { changedSince, type ExpectedObject, readCurrent } from "./read-current.js";
import type { WriteContext } from "./write-context.js";
import type { RemoveResult } from "./write-result.js";

export type RemoveContext = Pick<
  WriteContext,
  "kind" | "service" | "reader" | "list" | "beforeSend" | "normalize"
>;

/**
 * Deletes an object, if it is still the one that was to be deleted (rule 4). Unlike a create it may be repeated,
 * because the goal is that it does not exist: an object that is already gone is a success. After a lost response the object
 * is read, and after the response "not found", which a deployment that cannot delete may give as well. Throws nothing for errors of the service.
 */
export async function removeObject(
  context: RemoveContext,
  id: string,
  expected?: ExpectedObject,
): Promise<RemoveResult> {
  const { kind, service, beforeSend } = context;
  if (!kind.remove) throw new Error(`Bug: a ${kind.name} cannot be deleted`);
  try {
    const before = await readCurrent(context, id, { fresh: false });
    if (before === "gone") return { outcome: "removed", recovered: false };
    const fields = before && changedSince(context, expected, before);
    if (before && fields) return { outcome: "stale", live: before, fields };
  } catch (error) {
    return { outcome: "refused", error: asServiceError(error) };
  }
  await beforeSend?.();
  try {
    await kind.remove(service, id);
    return { outcome: "removed", recovered: false };
  } catch (caught) {
    const error = asServiceError(caught);
    // An HTML page may come from any proxy: it does not prove that the object is gone.
    const isNotFound = error.code === "not-found" && !error.fromProxy;
    if (!isNotFound && error.outcome !== "unknown") return { outcome: "refused", error };
    const seen = await lookAgain(context, id, error);
    if (!isNotFound) return seen;
    if (seen.outcome === "still-there") return { outcome: "refused", error };
    // The word of the service is all there is about objects that it cannot show.
    const isShown = kind.read !== undefined || kind.list?.exhaustive === true;
    return seen.outcome === "unknown" && isShown ? seen : { outcome: "removed", recovered: false };
  }
}

/** After a lost response: whether the object still exists. */
async function lookAgain(context: RemoveContext, id: string, error: ServiceError): Promise<RemoveResult> {
  try {
    const live = await readCurrent(context, id, { fresh: true });
    if (live === "gone") return { outcome: "removed", recovered: true };
    return { outcome: live ? "still-there" : "unknown", error };
  } catch (caught) {
    // The service cannot be reached: the outcome is unknown, and the first error says why.
    asServiceError(caught);
    return { outcome: "unknown", error };
  }
}

/** The service's error; throws any other on. */
function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  throw error;
}
