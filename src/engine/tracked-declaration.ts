import type { Declaration, Manifest } from "../manifest/index.js";
import type { Entry, Intent, State } from "../state/index.js";
import type { Rotation } from "./observation.js";

/** One declared object and what the state knows of it. */
export interface TrackedDeclaration {
  readonly declaration: Declaration;
  /** The state's entry, unless the declaration names another id than it holds. */
  readonly entry?: Entry;
  /** The id to look for; undefined where none is known. */
  readonly id?: string;
  /** A write of ours whose end is not known. */
  readonly intent?: Intent;
  /** What came of looking at its write-only values; of kinds that have some, when it is observed. */
  readonly rotation?: Rotation;
}

/** The declarations to look at (all, or the targets), with what the state knows of each. */
export function trackedDeclarations(
  manifest: Manifest,
  state: State | undefined,
  targets?: readonly string[],
): TrackedDeclaration[] {
  const selected = manifest.declarations.filter(({ address }) => !targets || targets.includes(address));
  return selected.map((declaration) => {
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

/** What the declarations lay claim to. */
export interface Claims {
  /** Ids that belong to a declared address; no other address may adopt them. */
  readonly ids: ReadonlySet<string>;
  /** How many declarations without an id are after a name, by kind and name. */
  readonly labels: ReadonlyMap<string, number>;
}

/** What all declarations lay claim to, also those that are not looked at. */
export function claimsOf(manifest: Manifest, state: State | undefined): Claims {
  const ids = new Set<string>();
  const labels = new Map<string, number>();
  for (const declaration of manifest.declarations) {
    const own = declaration.id ?? state?.objects[declaration.address]?.id;
    if (own !== undefined) ids.add(own);
    else {
      const key = `${declaration.kind.name} ${labelOf(declaration)}`;
      labels.set(key, (labels.get(key) ?? 0) + 1);
    }
  }
  return { ids, labels };
}

/** What people call the declared object; "" where the declaration does not say. */
export function labelOf({ kind, spec }: Declaration): string {
  const label = spec[kind.label];
  return typeof label === "string" ? label : "";
}
