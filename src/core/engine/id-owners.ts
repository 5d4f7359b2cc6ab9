import type { Manifest } from "../manifest/index.js";
import type { State } from "../state/index.js";
import type { Change } from "./plan-types.js";

/** Address that has an id now, or will have it after the apply. */
export interface IdOwner {
  readonly address: string;
  readonly protect: boolean;
}

/** Owners by lower-case id. Declared owners come before recorded owners. */
export type IdOwners = ReadonlyMap<string, readonly IdOwner[]>;

/** Collects the owners of all ids from declarations, planned changes and state entries, including superseded ids. */
export function findIdOwners(
  { declarations }: Manifest,
  state: State | undefined,
  declared: readonly Change[],
): IdOwners {
  const owners = new Map<string, IdOwner[]>();
  const add = (id: string | undefined, owner: IdOwner) => {
    if (id === undefined) return;
    const key = id.toLowerCase();
    owners.set(key, [...(owners.get(key) ?? []), owner]);
  };
  for (const { address, id, protect = false, candidates = [] } of declared)
    for (const taken of [id, ...candidates.map((candidate) => candidate.id)])
      add(taken, { address, protect });
  for (const { address, id, protect = false } of declarations)
    add(id ?? state?.objects[address]?.id, { address, protect });
  // Undeclared entries do not protect each other, because apply would forget both.
  for (const [address, { id, superseded = [] }] of Object.entries(state?.objects ?? {}))
    for (const one of [id, ...superseded.map((old) => old.id)]) add(one, { address, protect: false });
  return owners;
}

/** Finds an owner of the id other than `address`. */
export function findIdOwner(owners: IdOwners, id: string, address: string): IdOwner | undefined {
  return owners.get(id.toLowerCase())?.find((owner) => owner.address !== address);
}
