import type { Declaration, Manifest } from "../manifest/index.js";
import type { Entry, Intent, State } from "../state/index.js";

/** One declared object and what the state knows of it. */
export interface Sought {
  readonly declaration: Declaration;
  /** The state's entry, unless the declaration names another id than it holds. */
  readonly entry?: Entry;
  /** The id to look for; undefined where none is known. */
  readonly id?: string;
  /** A write of ours whose end is not known. */
  readonly intent?: Intent;
}

/** The declarations to look at (all, or the targets), with what the state knows of each. */
export function soughtIn(
  manifest: Manifest,
  state: State | undefined,
  targets?: readonly string[],
): Sought[] {
  const wanted = manifest.declarations.filter(({ address }) => !targets || targets.includes(address));
  return wanted.map((declaration) => {
    const known = state?.objects[declaration.address];
    const entry = declaration.id === undefined || declaration.id === known?.id ? known : undefined;
    const intent = state?.pending[declaration.address];
    const id = declaration.id ?? entry?.id;
    return {
      declaration,
      ...(entry ? { entry } : {}),
      ...(id === undefined ? {} : { id }),
      ...(intent ? { intent } : {}),
    };
  });
}

/** Ids that belong to a declared address; no other address may adopt them. */
export function claimedIds(manifest: Manifest, state: State | undefined): Set<string> {
  const claimed = new Set<string>();
  for (const { address, id } of manifest.declarations) {
    const own = id ?? state?.objects[address]?.id;
    if (own !== undefined) claimed.add(own);
  }
  return claimed;
}
