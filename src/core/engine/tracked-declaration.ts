import type { Declaration, Manifest } from "../manifest/index.js";
import type { Entry, Intent, State } from "../state/index.js";
import type { Rotation } from "./observation.js";

/** A declared object and its entry in the state. */
export interface TrackedDeclaration {
  readonly declaration: Declaration;
  /** The state's entry, unless the declaration has another id. */
  readonly entry?: Entry | undefined;
  /** The id to look for; undefined if unknown. */
  readonly id?: string | undefined;
  /** A write of ours with unknown outcome. */
  readonly intent?: Intent | undefined;
  /** The result of checking its write-only values; for kinds that have some, when observed. */
  readonly rotation?: Rotation | undefined;
}

/** The declarations to observe (all, or the targets), with their entries in the state. */
export function trackedDeclarations(
  manifest: Manifest,
  state: State | undefined,
  targets?: readonly string[],
): TrackedDeclaration[] {
  const wanted = targets && new Set(targets);
  const selected = manifest.declarations.filter(({ address }) => !wanted || wanted.has(address));
  return selected.map((declaration) => {
    const known = state?.objects[declaration.address];
    const entry = declaration.id === undefined || declaration.id === known?.id ? known : undefined;
    const intent = state?.pending[declaration.address];
    return { declaration, entry, id: declaration.id ?? entry?.id, intent };
  });
}

export interface Claims {
  /** Ids that belong to a declared address, or did before they were superseded; no other address may adopt them. */
  readonly ids: ReadonlySet<string>;
  /** The number of declarations without an id that claim a name, by kind and name. */
  readonly labels: ReadonlyMap<string, number>;
}

/** What all declarations claim, including those that are not observed. */
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

/** The label of the declared object; "" if it has none. */
export function readLabel({ kind, spec }: Declaration): string {
  const label = spec[kind.label];
  return typeof label === "string" ? label : "";
}
