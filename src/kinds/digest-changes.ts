import { digestOf } from "./compare.js";

/**
 * Digest over what a plan would do, and to what. Left out is what may differ without changing that: the keeps, the
 * serial of the state, sentences, and requests. Here, and not in the engine, since a saved plan is checked by it too.
 */
export function digestChanges(
  { service, state }: { readonly service: string; readonly state?: { readonly lineage: string } },
  changes: readonly { readonly action: string; readonly notes: unknown; readonly entry?: unknown }[],
): string {
  const facts = changes
    .filter(({ action }) => action !== "keep")
    .map(({ notes: _notes, entry: _entry, ...facts }) => facts);
  return digestOf([service, state?.lineage ?? null, facts]);
}
