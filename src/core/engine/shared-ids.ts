import { listNames } from "../../base/text/index.js";
import type { Manifest } from "../manifest/index.js";
import type { State } from "../state/index.js";
import type { Change } from "./plan-types.js";
import { trackDeclarations } from "./tracked-declaration.js";

/**
 * Finds declarations that would change the same object, for example after a merge of two states. Returns the addresses
 * with the same id, by address.
 */
export function findSharedIds(
  manifest: Manifest,
  state: State | undefined,
): ReadonlyMap<string, readonly string[]> {
  const holders = new Map<string, string[]>();
  for (const { declaration, id } of trackDeclarations(manifest, state)) {
    if (id === undefined) continue;
    const key = `${declaration.kind.name} ${id.toLowerCase()}`;
    holders.set(key, [...(holders.get(key) ?? []), declaration.address]);
  }
  const shared = [...holders.values()].filter((addresses) => addresses.length > 1);
  return new Map(shared.flatMap((addresses) => addresses.map((address) => [address, addresses] as const)));
}

/** Blocks the change to an object that several addresses would change. */
export function blockSharedId(
  { address, kind, label, id }: Change,
  addresses: readonly string[],
  state: State | undefined,
): Change {
  const recorded = addresses.filter((one) => state?.objects[one]);
  const commands = recorded.map((one) => `\`avatarops state forget ${one}\``).join(" or ");
  const note = `${listNames(addresses)} have the same id (${id}), so apply changes none of them. Stop managing each one that this object does not belong to: ${commands}. The next plan looks for its own object.`;
  return {
    ...{ address, kind, label, id, action: "ambiguous", reason: "shared-id" },
    ...{ fields: [], overwrites: false, notes: [note] },
  };
}
