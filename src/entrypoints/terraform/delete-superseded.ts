import type { Kind } from "../../core/kinds/index.js";
import { deleteSupersededObject } from "../../core/lifecycle/index.js";
import type { WriteCall } from "./calls.js";

/*
 * Deletes superseded objects once no other object uses them. Terraform updates the users only after the new object was
 * created, so a delete is tried right after the create, and again after each later write. By the time of a later write,
 * Terraform has saved the new object's state (see superseded-ids.ts). Objects still in use are reported by the next
 * plan, because a later write of the same apply may remove the last reference.
 */

/** Ids of superseded objects that were not deleted. */
interface RemainingSuperseded {
  readonly stored: readonly string[];
  readonly inUse: readonly string[];
}

/** Deletes superseded objects that are not in use. */
export async function deleteSuperseded(
  kind: Kind,
  ids: readonly string[],
  { account, diagnostics }: Pick<WriteCall, "account" | "diagnostics">,
): Promise<RemainingSuperseded> {
  const { service, objects, findUsers, inUse } = account;
  const context = { service, list: objects.list, findUsers };
  const remaining = { stored: [] as string[], inUse: [] as string[] };
  for (const id of ids) {
    const problem = await deleteSupersededObject(context, kind, id);
    const { code, message, users } = problem ?? {};
    if (users) {
      inUse.set(id, { kind, users: new Set(users.map((user) => user.id.toLowerCase())) });
      remaining.inUse.push(id);
      continue;
    }
    inUse.delete(id);
    if (code === undefined) {
      objects.recordRemoval(kind, id);
      continue;
    }
    remaining.stored.push(id);
    diagnostics.error(`The superseded ${kind.name} was not deleted`, message);
  }
  return remaining;
}

/** Deletes superseded objects that only the written object used. */
export async function deleteSupersededUsedBy(
  written: string,
  call: Pick<WriteCall, "account" | "diagnostics">,
): Promise<void> {
  for (const [id, { kind, users }] of call.account.inUse)
    if (users.has(written.toLowerCase())) await deleteSuperseded(kind, [id], call);
}
