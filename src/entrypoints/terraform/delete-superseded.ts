import type { Kind } from "../../core/kinds/index.js";
import { deleteSupersededObject } from "../../core/lifecycle/index.js";
import type { AccountCall } from "./calls.js";

/*
 * What a rotation has superseded is deleted when nothing refers to it any more. Terraform writes what refers to an object
 * after the object itself: so it is tried when the new one is made, and after each later write of the same run. If the
 * run ends before that, the ids are still in the state, and the next plan deletes them.
 */

/** Deletes superseded objects; returns the ids of those that are left. */
export async function deleteSuperseded(
  kind: Kind,
  ids: readonly string[],
  { open, diagnostics }: Pick<AccountCall, "open" | "diagnostics">,
): Promise<readonly string[]> {
  const { service, objects, findUsers, inUse } = open;
  const context = { service, list: objects.list, findUsers };
  const left: string[] = [];
  for (const id of ids) {
    const problem = await deleteSupersededObject(context, kind, id);
    if (problem) left.push(id);
    if (problem?.users)
      inUse.set(id, { kind, users: new Set(problem.users.map((user) => user.id.toLowerCase())) });
    else inUse.delete(id);
    if (problem?.code === "in-use")
      diagnostics.warning(
        `The superseded ${kind.name} is still in use`,
        `${problem.message} If this apply changes that, it is deleted then.`,
      );
    else if (problem) diagnostics.error(`The superseded ${kind.name} is not deleted`, problem.message);
  }
  return left;
}

/** Deletes superseded objects that the written one used, unless something still does. */
export async function deleteUnused(
  written: string,
  { open, diagnostics }: Pick<AccountCall, "open" | "diagnostics">,
) {
  const quiet = { ...diagnostics, warning: () => {} };
  for (const [id, { kind, users }] of open.inUse)
    if (users.has(written.toLowerCase())) await deleteSuperseded(kind, [id], { open, diagnostics: quiet });
}
