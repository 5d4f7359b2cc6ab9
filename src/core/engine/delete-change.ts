import { findKind } from "../kinds/index.js";
import { deleteObject, deleteSupersededObject } from "../lifecycle/index.js";
import type { StateEntry } from "../state/index.js";
import type { ApplyContext } from "./apply-context.js";
import { buildIntent } from "./intent.js";
import {
  createNotSentResult,
  createResult,
  createSkippedResult,
  createStoppedResult,
  type Result,
} from "./outcome.js";
import type { Change } from "./plan-types.js";

/**
 * Deletes one object. Records the intent durably before sending the request, so that the next plan can finish the
 * delete after a crash.
 */
export async function remove(input: ApplyContext, change: Change): Promise<Result> {
  const { service, session, list, findUsers } = input;
  const { address, id, liveDigest } = change;
  const kind = findKind(change.kind, input.manifest.service.profile);
  if (!kind || id === undefined) throw new Error(`Bug: ${address} cannot be deleted`);
  let isSent = false;
  const context = {
    ...{ kind, service, reader: service, list, findUsers },
    beforeSend: async () => {
      await input.intents.record(await buildIntent(input, change, kind, { values: {}, versions: {} }));
      isSent = true;
    },
  };
  const ended = await deleteObject(
    context,
    id,
    liveDigest === undefined ? undefined : { digest: liveDigest },
  );
  const createFailedResult = (code: string, message: string) =>
    code === "withheld"
      ? createNotSentResult(change)
      : code === "cancelled"
        ? createStoppedResult(change)
        : createResult(change, "failed", { problem: { code, message } });
  switch (ended.outcome) {
    case "removed": {
      session.completeIntent(address, undefined);
      for (const [other, entry] of Object.entries(session.state?.objects ?? {}))
        if (entry.superseded?.some((one) => one.id === id))
          session.recordEntry(other, removeSuperseded(entry, id));
      const found = ended.recovered
        ? ["The response was lost, but the object is gone from the account."]
        : [];
      return createResult(change, "applied", { notes: [...change.notes, ...found] });
    }
    case "in-use":
      // Replaces the code `in-use`, which counts as settled. This delete was requested, so skipping it leaves
      // unfinished work.
      return createSkippedResult(change, ended.code === "in-use" ? "used" : ended.code, `It ${ended.why}`);
    case "stale":
      return createSkippedResult(
        change,
        "moved",
        "It was edited elsewhere after the plan was made. See the edit: `avatarops plan`.",
      );
    case "refused":
      if (isSent) session.discardIntent(address);
      return createFailedResult(ended.error.code, ended.error.message);
    case "still-there":
      session.discardIntent(address);
      return createFailedResult(
        ended.error.code,
        `${ended.error.message} It still exists. Apply again to delete it.`,
      );
    case "unknown":
      return createResult(change, "unknown", {
        problem: {
          code: ended.error.code,
          message: `${ended.error.message} It may have been deleted. The next plan checks, and apply deletes it if it still exists.`,
        },
      });
  }
}

/**
 * Deletes a superseded object, after the objects that refer to it are written. The state records the object's id before
 * the first request, so that the next plan finds the object after a crash.
 */
export async function deleteSuperseded(input: ApplyContext, change: Change): Promise<Result> {
  const { session, manifest, service, list, findUsers } = input;
  const { id, liveDigest, supersededBy = "" } = change;
  const kind = findKind(change.kind, manifest.service.profile);
  if (!kind || id === undefined) throw new Error(`Bug: ${change.address} cannot be deleted`);
  const context = { service, list, findUsers };
  await session.flush();
  const expected = liveDigest === undefined ? undefined : { digest: liveDigest };
  const problem = await deleteSupersededObject(context, kind, id, expected);
  if (problem) return createResult(change, problem.code === "in-use" ? "skipped" : "failed", { problem });
  const entry = session.state?.objects[supersededBy];
  if (entry) session.completeIntent(supersededBy, removeSuperseded(entry, id));
  return createResult(change, "applied", { notes: change.notes });
}

function removeSuperseded({ superseded = [], ...rest }: StateEntry, id: string): StateEntry {
  const left = superseded.filter((one) => one.id !== id);
  return { ...rest, ...(left.length > 0 && { superseded: left }) };
}
