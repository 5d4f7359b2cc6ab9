import { ServiceError } from "../api/index.js";
import { type ExpectedObject, findChanges, readCurrent } from "./read-current.js";
import type { WriteContext } from "./write-context.js";
import type { RemoveResult } from "./write-result.js";

export type RemoveContext = Pick<
  WriteContext,
  "kind" | "service" | "reader" | "list" | "beforeSend" | "normalize"
>;

/**
 * Deletes an object, unless it has changed since the plan (rule 4). Reads the object after a "not found", because
 * deployments without DELETE send the same response. Never throws a ServiceError.
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
    const fields = before && findChanges(context, expected, before);
    if (before && fields) return { outcome: "stale", live: before, fields };
  } catch (error) {
    return { outcome: "refused", error: toServiceError(error) };
  }
  await beforeSend?.();
  try {
    await kind.remove(service, id);
    return { outcome: "removed", recovered: false };
  } catch (caught) {
    const error = toServiceError(caught);
    // An HTML page may come from a proxy, so it does not prove that the object is gone.
    const isNotFound = error.code === "not-found" && !error.fromProxy;
    if (!isNotFound && error.outcome !== "unknown") return { outcome: "refused", error };
    const seen = await checkDeleted(context, id, error);
    if (!isNotFound) return seen;
    if (seen.outcome === "still-there") return { outcome: "refused", error };
    // Trusts "not found" for objects that cannot be read.
    const isReadable = kind.read !== undefined || kind.list?.exhaustive === true;
    return seen.outcome === "unknown" && isReadable ? seen : { outcome: "removed", recovered: false };
  }
}

async function checkDeleted(context: RemoveContext, id: string, error: ServiceError): Promise<RemoveResult> {
  try {
    const live = await readCurrent(context, id, { fresh: true });
    if (live === "gone") return { outcome: "removed", recovered: true };
    return { outcome: live ? "still-there" : "unknown", error };
  } catch (caught) {
    // Keeps the first error, which explains why the outcome is unknown.
    toServiceError(caught);
    return { outcome: "unknown", error };
  }
}

/** Returns a ServiceError, and rethrows any other error. */
function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  throw error;
}
