import { kindNamed, kindsWith } from "../kinds/index.js";
import { removeOld } from "../lifecycle/index.js";
import type { ApplyContext } from "./apply-context.js";
import { type Result, result } from "./outcome.js";
import type { Change } from "./plan-value.js";

/**
 * Deletes what a change has superseded, after all that referred to it was written. The ids are in the state, which is on
 * disk before the first request: after a crash the next plan finds them there, and what is gone by then is done.
 */
export async function deleteOld(input: ApplyContext, change: Change): Promise<Result> {
  const { session, manifest, service, list } = input;
  const { address, deletesOld = [] } = change;
  const kind = kindNamed(change.kind, manifest.service.profile);
  if (!kind) throw new Error(`Bug: no kind ${change.kind}`);
  const context = { kinds: kindsWith(manifest.service.profile), service, list };
  await Promise.all(input.recordings);
  const notes: string[] = [];
  for (const id of deletesOld) {
    const problem = await removeOld(context, kind, id);
    if (problem) return result(change, "failed", { notes, problem });
    const entry = session.state?.objects[address];
    if (entry) {
      const { stale = [], ...rest } = entry;
      const left = stale.filter((one) => one.id !== id);
      await session.completeIntent(address, { ...rest, ...(left.length > 0 && { stale: left }) });
    }
    notes.push(`Deleted ${id}, which it has superseded.`);
  }
  return result(change, "applied", { notes });
}
