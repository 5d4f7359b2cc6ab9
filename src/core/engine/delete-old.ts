import { ServiceError } from "../api/index.js";
import { type Kind, kindNamed, kindsWith, referenceFields } from "../kinds/index.js";
import { removeObject } from "../lifecycle/index.js";
import type { ApplyContext } from "./apply-context.js";
import { type Result, result } from "./outcome.js";
import type { Change } from "./plan-value.js";

/**
 * Deletes what a change has superseded, after all that referred to it was written. The ids are in the state, which is on
 * disk before the first request: after a crash the next plan finds them there, and what is gone by then is done.
 */
export async function deleteOld(input: ApplyContext, change: Change): Promise<Result> {
  const { session, manifest } = input;
  const { address, deletesOld = [] } = change;
  const kind = kindNamed(change.kind, manifest.service.profile);
  if (!kind) throw new Error(`Bug: no kind ${change.kind}`);
  await Promise.all(input.recordings);
  const notes: string[] = [];
  for (const id of deletesOld) {
    const problem = await deleteOne(input, kind, id);
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

/** Deletes one object; returns why it could not. */
async function deleteOne(input: ApplyContext, kind: Kind, id: string): Promise<Result["problem"]> {
  const { service, list } = input;
  const stays = `${id}, which it has superseded, is not deleted.`;
  try {
    const users = await findUsers(input, kind, id);
    if (users.length > 0) {
      const message = `${stays} It is used by ${users.join(", ")} of the account: change that, and apply again.`;
      return { code: "in-use", message };
    }
    const context = {
      ...{ kind, service, reader: service },
      list: (options: { readonly fresh: boolean }) => list(kind, options),
    };
    const ended = await removeObject(context, id);
    if ("error" in ended) throw ended.error;
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { code: error.code, message: `${stays} ${error.message} To delete it, apply again.` };
  }
}

/** Objects of the account that refer to an object, whoever manages them. */
async function findUsers(
  { manifest, service, list }: ApplyContext,
  kind: Kind,
  id: string,
): Promise<readonly string[]> {
  const users: string[] = [];
  for (const user of kindsWith(manifest.service.profile)) {
    const fields = referenceFields(user).filter(([, target]) => target === kind.name);
    if (fields.length === 0 || !user.list) continue;
    for (const listed of (await list(user, { fresh: true })).listed) {
      const live = listed.live ?? (await user.read?.(service, listed.id));
      if (fields.some(([field]) => live?.spec[field] === id)) users.push(`${user.name} ${listed.id}`);
    }
  }
  return users;
}
