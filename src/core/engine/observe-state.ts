import type { Manifest } from "../manifest/index.js";
import type { State } from "../state/index.js";
import type { Observation, Observed, Rotation } from "./observation.js";
import { trackedDeclarations } from "./tracked-declaration.js";

/**
 * What is known without the account: every recorded object is as last applied, nothing else exists, and no secret is
 * compared. Sends nothing.
 */
export function observeState(
  manifest: Manifest,
  state: State | undefined,
  targets?: readonly string[],
): Observation {
  const objects = new Map<string, Observed>();
  const rotations = new Map<string, Rotation>();
  for (const { declaration, entry } of trackedDeclarations(manifest, state, targets)) {
    const { address, kind, sources } = declaration;
    objects.set(address, { seen: entry || !kind.create ? "unobservable" : "nothing" });
    if (Object.keys(sources).length > 0) rotations.set(address, { value: "unavailable", problem: undefined });
  }
  return { objects, listings: new Map(), rotations, requests: 0 };
}
