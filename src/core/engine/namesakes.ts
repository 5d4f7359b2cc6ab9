import { isAdoptableByName, type Kind, type Listing } from "../kinds/index.js";
import type { Declaration, Manifest } from "../manifest/index.js";
import type { State } from "../state/index.js";
import { collectClaims, readLabel } from "./tracked-declaration.js";

/*
 * Objects of the account with the name of a declared one that cannot be adopted by it: a create then makes a second object
 * of that name, and the user decides what becomes of the first.
 */

/** Ids that this project knows: those of declared, recorded and superseded objects. */
export function collectKnownIds(manifest: Manifest, state: State | undefined): ReadonlySet<string> {
  const recorded = Object.values(state?.objects ?? {});
  return new Set([...collectClaims(manifest, state).ids, ...recorded.map(({ id }) => id)]);
}

/** The ids of objects that have the declared name and are not in `own`, in their order; for kinds not adopted by name. */
export function findNamesakes(
  declaration: Declaration,
  listing: Listing | undefined,
  own: ReadonlySet<string>,
): readonly string[] {
  if (isAdoptableByName(declaration.kind)) return [];
  const lookup = listing?.findByLabel(readLabel(declaration), ({ id }) => !own.has(id));
  return lookup?.outcome === "found" ? lookup.found.map(({ id }) => id).sort() : [];
}

/** How to manage or delete a namesake. `isCreated`: the declared object exists now, and has to be let go first. */
export function explainNamesakes(
  { name, collection }: Kind,
  { address, label, ids, isCreated }: NamesakeInput,
): string[] {
  const [id] = ids;
  if (id === undefined) return [];
  const isOne = ids.length === 1;
  const others = isOne ? `another ${name}` : `${ids.length} other ${collection}`;
  const value = isOne ? "Its value" : "Their values";
  const forget = isCreated ? `\`avatarops state forget ${address}\`, then ` : "";
  const one = isOne ? "it" : "one of them";
  return [
    `The account has ${others} named ${JSON.stringify(label)} (${ids.join(", ")}). ${value} cannot be compared, so the declared one ${isCreated ? "was" : "is"} created. Manage ${one} instead: ${forget}\`avatarops import ${address} ${id}\`. Delete ${one}: \`avatarops prune ${id}\`.`,
  ];
}

interface NamesakeInput {
  readonly address: string;
  readonly label: string;
  readonly ids: readonly string[];
  readonly isCreated: boolean;
}
