import { isAdoptableByName, type Kind, type Listing } from "../kinds/index.js";
import type { Declaration, Manifest } from "../manifest/index.js";
import type { State } from "../state/index.js";
import { collectClaims, readLabel } from "./tracked-declaration.js";

/*
 * A namesake is an existing object that has the name of a declared object but cannot be adopted. Apply creates a second
 * object with that name, and the user decides what to do with the namesake.
 */

/** Collects the ids of declared, recorded and superseded objects. */
export function collectKnownIds(manifest: Manifest, state: State | undefined): ReadonlySet<string> {
  const recorded = Object.values(state?.objects ?? {});
  return new Set([...collectClaims(manifest, state).ids, ...recorded.map(({ id }) => id)]);
}

/**
 * Returns the ids of objects with the declared name, except ids in `own`. Returns an empty list for kinds that are
 * adopted by name.
 */
export function findNamesakes(
  declaration: Declaration,
  listing: Listing | undefined,
  own: ReadonlySet<string>,
): readonly string[] {
  if (isAdoptableByName(declaration.kind)) return [];
  const lookup = listing?.findByLabel(readLabel(declaration), ({ id }) => !own.has(id));
  return lookup?.outcome === "found" ? lookup.found.map(({ id }) => id).sort() : [];
}

/** Explains how to manage or delete a namesake. */
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
    `The account has ${others} named ${JSON.stringify(label)} (${ids.join(", ")}). ${value} cannot be compared, so a new one ${isCreated ? "was" : "is"} created. Manage ${one} instead: ${forget}\`avatarops import ${address} ${id}\`. Delete ${one}: \`avatarops prune ${id}\`.`,
  ];
}

interface NamesakeInput {
  readonly address: string;
  readonly label: string;
  readonly ids: readonly string[];
  /** Whether the declared object was already created. If so, the user must forget it first. */
  readonly isCreated: boolean;
}
