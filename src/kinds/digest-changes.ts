import { digestOf } from "./compare.js";

/**
 * Digest over what a plan would do. Leaves out what may differ without changing that: keeps, the serial of
 * the state, sentences, and request counts. It is here and not in the engine, because it is also used to
 * check saved plans.
 */
export function digestChanges(
  { service, state, comparedWith }: DigestBasis,
  changes: readonly { readonly action: string; readonly notes: unknown; readonly entry?: unknown }[],
): string {
  const facts = changes
    .filter(({ action }) => action !== "keep")
    .map(({ notes: _notes, entry: _entry, ...facts }) => facts);
  return digestOf([service, state?.lineage ?? null, facts, ...(comparedWith ? [comparedWith] : [])]);
}

interface DigestBasis {
  readonly service: string;
  readonly state?: { readonly lineage: string };
  readonly comparedWith?: string;
}
