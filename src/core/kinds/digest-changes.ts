import { digestValue } from "./compare.js";

/**
 * Computes the digest of a plan's effects, regardless of their order. Unchanged objects and notes do not affect it.
 * Reviews call this with a single change, to recognize the change in another plan.
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
