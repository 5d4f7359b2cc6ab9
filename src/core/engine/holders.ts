import type { Manifest } from "../manifest/index.js";
import type { State } from "../state/index.js";
import type { Change } from "./plan-value.js";

/** An address that has an object, or may have it after the plan. */
export interface Holder {
  readonly address: string;
  readonly protect: boolean;
}

/** By id in lower case: what the files declare stands before what is only recorded. */
export type Holders = ReadonlyMap<string, readonly Holder[]>;

/** Who has which id: declarations, what is planned for them, and all entries of the state, with what they superseded. */
export function findHolders(
  { declarations }: Manifest,
  state: State | undefined,
  declared: readonly Change[],
): Holders {
  const holders = new Map<string, Holder[]>();
  const add = (id: string | undefined, holder: Holder) => {
    if (id === undefined) return;
    const key = id.toLowerCase();
    holders.set(key, [...(holders.get(key) ?? []), holder]);
  };
  for (const { address, id, protect = false, candidates = [] } of declared)
    for (const taken of [id, ...candidates.map((candidate) => candidate.id)])
      add(taken, { address, protect });
  for (const { address, id, protect = false } of declarations)
    add(id ?? state?.objects[address]?.id, { address, protect });
  // An entry that no file declares protects nothing for another: both would be forgotten.
  for (const [address, { id, superseded = [] }] of Object.entries(state?.objects ?? {}))
    for (const one of [id, ...superseded.map((old) => old.id)]) add(one, { address, protect: false });
  return holders;
}

/** Who else than `address` has the id. */
export function findHolder(holders: Holders, id: string, address: string): Holder | undefined {
  return holders.get(id.toLowerCase())?.find((holder) => holder.address !== address);
}
