import type { ListResource } from "@avatarops/terraform-plugin";
import { isFindable, isListed, type Kind, type ListedObject, withProfile } from "../../core/kinds/index.js";
import type { Account, OpenAccount } from "./account/open-account.js";
import { findAccount, listObjects } from "./data-sources.js";
import { needsProfile } from "./diagnostics.js";
import { toState, type Values } from "./values.js";

/** Creates the list resource of a kind, with which `terraform query` finds objects and writes their configuration. */
export function toListResource(kind: Kind): { readonly [type: string]: ListResource<Account> } {
  if (!isFindable(kind)) return {};
  const { collection } = kind;
  const resource: ListResource<Account> = {
    description: `The ${collection} of the account, in the order of their ids.${isListed(kind) ? "" : " Needs a `profile` of the provider."}`,
    async *list(call) {
      const open = findAccount(call);
      if (!open) return;
      const offered = withProfile(kind, open.settings.profile);
      if (!isListed(offered))
        return void needsProfile(kind, "list", `A list of ${collection}`, call.diagnostics);
      // Reads concurrently, and only up to the limit.
      const wanted = (await listObjects(offered, open, call.diagnostics)).slice(0, call.limit);
      const states = await Promise.all(
        wanted.map((listed) => (call.isWhole ? readState(offered, listed, open) : { id: listed.id })),
      );
      for (const [at, state] of states.entries())
        if (state) yield { displayName: wanted[at]?.label ?? "", state };
    },
  };
  return { [`avatarops_${kind.name}`]: resource };
}

/** Reads an object's state. Undefined if it no longer exists. */
async function readState(
  kind: Kind,
  { id, live }: ListedObject,
  { reader }: OpenAccount,
): Promise<Values | undefined> {
  const found = (kind.list?.whole && live) || (await kind.read?.(reader, id));
  return found ? toState(kind, found, {}) : undefined;
}
