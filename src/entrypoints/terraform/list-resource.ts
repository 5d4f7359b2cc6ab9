import type { Attributes, ListResource } from "@avatarops/terraform-plugin";
import type { Kind, ListedObject } from "../../core/kinds/index.js";
import type { Account, OpenAccount } from "./account/open-account.js";
import { listObjects, reachable } from "./data-sources.js";
import { toState, type Values } from "./values.js";

/** The list resource of a kind that can be listed and read: `terraform query` finds its objects, and writes their configuration. */
export function toListResource(kind: Kind): { readonly [type: string]: ListResource<Attributes, Account> } {
  if (!kind.list || !kind.read) return {};
  const { label, collection } = kind;
  const resource: ListResource<Attributes, Account> = {
    description: `The ${collection} of the account, in the order of their ids.`,
    attributes: {
      [label]: {
        type: "string",
        optional: true,
        description: `Only ${collection} with exactly this ${label}.`,
      },
      [`${label}_prefix`]: {
        type: "string",
        optional: true,
        description: `Only ${collection} whose ${label} begins so.`,
      },
    },
    async *list(call) {
      const open = reachable(call);
      if (!open) return;
      const config: Values = call.config;
      const [exact, prefix] = [config[label] ?? null, config[`${label}_prefix`] ?? null];
      const wanted = (await listObjects(kind, open, call.diagnostics)).filter(
        (listed) =>
          (exact === null || listed.label === exact) &&
          (prefix === null || listed.label.startsWith(String(prefix))),
      );
      // Side by side, and no more than are wanted.
      const states = await Promise.all(
        wanted
          .slice(0, call.limit)
          .map((listed) => (call.isWhole ? readState(kind, listed, open) : { id: listed.id })),
      );
      for (const [at, state] of states.entries())
        if (state) yield { displayName: wanted[at]?.label ?? "", state };
    },
  };
  return { [`avatarops_${kind.name}`]: resource };
}

/** The state of an object; undefined when it is gone by now. */
async function readState(
  kind: Kind,
  { id, live }: ListedObject,
  { reader }: OpenAccount,
): Promise<Values | undefined> {
  const found = (kind.list?.whole && live) || (await kind.read?.(reader, id));
  return found ? toState(kind, found, {}) : undefined;
}
