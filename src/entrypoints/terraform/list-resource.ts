import type { ListResource } from "@avatarops/terraform-plugin";
import { toPlainLine } from "../../base/text/index.js";
import { isFindable, isListable, type Kind, type ListedObject, withProfile } from "../../core/kinds/index.js";
import type { OpenedAccount, ProviderClient } from "./account/open-account.js";
import { listObjects, requireAccount } from "./data-sources.js";
import { reportMissingProfile } from "./diagnostics.js";
import { type AttributeValues, toState } from "./values.js";

/** Creates the list resource for a kind, for `terraform query`. */
export function toListResource(kind: Kind): { readonly [type: string]: ListResource<ProviderClient> } {
  if (!isFindable(kind)) return {};
  const { collection } = kind;
  const resource: ListResource<ProviderClient> = {
    description: `Lists the ${collection} in the account, sorted by id.${isListable(kind) ? "" : " Needs a `profile` in the provider block."}`,
    async *list(call) {
      const account = requireAccount(call);
      if (!account) return;
      const profiled = withProfile(kind, account.settings.profile);
      if (!isListable(profiled))
        return void reportMissingProfile(kind, "list", `The list of ${collection}`, call.diagnostics);
      // Applies the limit first, so that no other objects are read.
      const selected = (await listObjects(profiled, account, call.diagnostics)).slice(0, call.limit);
      const states = await Promise.all(
        selected.map((listed) => (call.isWhole ? readState(profiled, listed, account) : { id: listed.id })),
      );
      for (const [at, state] of states.entries())
        if (state) yield { displayName: toPlainLine(selected[at]?.label ?? ""), state };
    },
  };
  return { [`avatarops_${kind.name}`]: resource };
}

/** Reads an object's state. Returns undefined if the object no longer exists. */
async function readState(
  kind: Kind,
  { id, live }: ListedObject,
  { reader }: OpenedAccount,
): Promise<AttributeValues | undefined> {
  const found = (kind.list?.whole && live) || (await kind.read?.(reader, id));
  return found ? toState(kind, found, {}) : undefined;
}
