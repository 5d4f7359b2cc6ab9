import { kindNamed, kindsWith } from "../kinds/index.js";
import { deleteSupersededObject } from "../lifecycle/index.js";
import type { ApplyContext } from "./apply-context.js";
import { type Result, result } from "./outcome.js";
import type { Change } from "./plan-types.js";

/**
 * Deletes what another change has superseded, after all that referred to it was written. Its id is in the state, which is
 * on disk before the first request: after a crash the next plan finds it there, and what is gone by then is done.
 */
export async function deleteSuperseded(input: ApplyContext, change: Change): Promise<Result> {
  const { session, manifest, service, list } = input;
  const { id, liveDigest, supersededBy = "" } = change;
  const kind = kindNamed(change.kind, manifest.service.profile);
  if (!kind || id === undefined) throw new Error(`Bug: ${change.address} cannot be deleted`);
  const context = { kinds: kindsWith(manifest.service.profile), service, list };
  await session.flush();
  const expected = liveDigest === undefined ? undefined : { digest: liveDigest };
  const problem = await deleteSupersededObject(context, kind, id, expected);
  if (problem) return result(change, problem.code === "in-use" ? "skipped" : "failed", { problem });
  const entry = session.state?.objects[supersededBy];
  if (entry) {
    const { superseded = [], ...rest } = entry;
    const left = superseded.filter((one) => one.id !== id);
    session.completeIntent(supersededBy, { ...rest, ...(left.length > 0 && { superseded: left }) });
  }
  return result(change, "applied", { notes: change.notes });
}
