import { digestValue } from "./compare.js";

/**
 * Digest over what a plan would do, for whom it was reviewed: two plans with the same digest do the same. It is made of the digests of
 * its changes, whatever their order, so that each change of a plan can be found in the review of another. Leaves out what may differ
 * without changing that: keeps, lineage and serial of the state, sentences, and request counts. It is here and not in the engine,
 * because it is also used to check saved plans.
 */
export function digestChanges(
  { service, environment, comparedWith, overwritesDrift }: DigestBasis,
  changes: readonly {
    readonly action: string;
    readonly notes: unknown;
    readonly entry?: unknown;
    readonly unread?: unknown;
    readonly held?: unknown;
  }[],
): string {
  const digests = changes
    .filter(({ action }) => action !== "keep")
    .map(({ notes: _notes, entry: _entry, unread: _unread, held: _held, ...facts }) => digestValue(facts));
  return digestValue([
    ...[service, environment ?? null, comparedWith ?? null, overwritesDrift ?? false],
    digests.toSorted(),
  ]);
}

interface DigestBasis {
  readonly service: string;
  readonly environment?: string | undefined;
  readonly comparedWith?: string | undefined;
  readonly overwritesDrift?: boolean | undefined;
}
