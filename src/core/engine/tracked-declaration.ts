import { isSameId } from "../../base/text/index.js";
import type { Declaration, Manifest } from "../manifest/index.js";
import type { Intent, State, StateEntry } from "../state/index.js";
import type { Rotation } from "./observation.js";

/** Declaration with its state entry. */
export interface TrackedDeclaration {
  readonly declaration: Declaration;
  /** State entry. Omitted if the declaration has a different id. */
  readonly entry?: StateEntry | undefined;
  /** Id to read, or undefined if unknown. */
  readonly id?: string | undefined;
  /** Write with an unknown outcome. */
  readonly intent?: Intent | undefined;
  /** Result of checking write-only values, for kinds that have them. */
  readonly rotation?: Rotation | undefined;
}

/** Returns the declarations to observe (all, or the targets), with their state entries. */
export function trackDeclarations(
  manifest: Manifest,
  state: State | undefined,
  targets?: readonly string[],
): TrackedDeclaration[] {
  const wanted = targets && new Set(targets);
  const selected = manifest.declarations.filter(({ address }) => !wanted || wanted.has(address));
  return selected.map((declaration) => {
    const known = state?.objects[declaration.address];
    const entry = declaration.id === undefined || isSameId(declaration.id, known?.id) ? known : undefined;
    const intent = state?.pending[declaration.address];
    return { declaration, entry, id: entry?.id ?? declaration.id, intent };
  });
}

export interface Claims {
  /** Current and superseded ids of declared addresses. No other address may adopt these objects. */
  readonly ids: ReadonlySet<string>;
  /** For each kind and name, the number of declarations without an id that claim the name. */
  readonly labels: ReadonlyMap<string, number>;
}

/** Collects claims from all declarations, including unobserved declarations. */
export function collectClaims(manifest: Manifest, state: State | undefined): Claims {
  const ids = new Set<string>();
  const labels = new Map<string, number>();
  for (const declaration of manifest.declarations) {
    const entry = state?.objects[declaration.address];
    for (const { id } of entry?.superseded ?? []) ids.add(id);
    const own = declaration.id ?? entry?.id;
    if (own !== undefined) ids.add(own);
    else {
      const key = `${declaration.kind.name} ${readLabel(declaration)}`;
      labels.set(key, (labels.get(key) ?? 0) + 1);
    }
  }
  return { ids, labels };
}

/** Returns the declared name, or "" if there is none. */
export function readLabel({ kind, spec }: Declaration): string {
  const label = spec[kind.label];
  return typeof label === "string" ? label : "";
}
