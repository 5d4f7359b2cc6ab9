import { digestValue } from "./compare.js";

/**
 * Digest over what a plan would do, for whom it was reviewed: two plans with the same digest do the same. Leaves out
 * what may differ without changing that: keeps, the serial of the state, sentences, and request counts. It is here
 * and not in the engine, because it is also used to check saved plans.
 */
export function digestChanges(
  { service, state, environment, comparedWith, overwritesDrift }: DigestBasis,
  changes: readonly {
    readonly action: string;
    readonly notes: unknown;
    readonly entry?: unknown;
    readonly unread?: unknown;
    readonly held?: unknown;
  }[],
): string {
  const facts = changes
    .filter(({ action }) => action !== "keep")
    .map(({ notes: _notes, entry: _entry, unread: _unread, held: _held, ...facts }) => facts);
  return digestValue([
    ...[service, state?.lineage ?? null, facts],
    ...[environment ?? null, comparedWith ?? null, overwritesDrift ?? false],
  ]);
}

interface DigestBasis {
  readonly service: string;
  readonly state?: { readonly lineage: string } | undefined;
  readonly environment?: string | undefined;
  readonly comparedWith?: string | undefined;
  readonly overwritesDrift?: boolean | undefined;
}
