import type { Kind } from "../../core/kinds/index.js";
import { deleteSupersededObject, describeUsers } from "../../core/lifecycle/index.js";
import type { AccountCall } from "./calls.js";

/*
 * Deletes superseded objects once nothing refers to them. Terraform writes referring objects after the new one, so the delete is
 * tried when the new object is created, and after each later write of the run. The new object's state is written before that: see
 * superseded-ids.ts.
 */

/** Remaining superseded objects. */
interface LeftSuperseded {
  readonly stored: readonly string[];
  readonly inUse: readonly string[];
}

/** Deletes superseded objects that are not in use. */
export async function deleteSuperseded(
  kind: Kind,
  ids: readonly string[],
  { open, diagnostics }: Pick<AccountCall, "open" | "diagnostics">,
): Promise<LeftSuperseded> {
  const { service, objects, findUsers, inUse } = open;
  const context = { service, list: objects.list, findUsers };
  const left = { stored: [] as string[], inUse: [] as string[] };
  for (const id of ids) {
    const problem = await deleteSupersededObject(context, kind, id);
    const { code, message, users } = problem ?? {};
    if (users) {
      inUse.set(id, { kind, users: new Set(users.map((user) => user.id.toLowerCase())) });
      left.inUse.push(id);
      diagnostics.warning(
        `The superseded ${kind.name} is kept while it is in use`,
        `${id} was used by ${describeUsers(users)} of the account when this ${kind.name} was applied. It is deleted when this apply changes that. If it does not, the next plan shows it in \`superseded_ids\`.`,
      );
      continue;
    }
    inUse.delete(id);
    if (code === undefined) continue;
    left.stored.push(id);
    diagnostics.error(`The superseded ${kind.name} is not deleted`, message);
  }
  return left;
}

/** Deletes superseded objects that the written object used, unless they are still in use. */
export async function deleteUnused(
  written: string,
  { open, diagnostics }: Pick<AccountCall, "open" | "diagnostics">,
) {
  const quiet = { ...diagnostics, warning: () => {} };
  for (const [id, { kind, users }] of open.inUse)
    if (users.has(written.toLowerCase())) await deleteSuperseded(kind, [id], { open, diagnostics: quiet });
}
