import { SourceError } from "../secrets/index.js";
import type { ApplyInput } from "./apply-input.js";
import { resolveWriteOnlyValues } from "./intent.js";
import { mapConcurrent, maxConcurrentReads } from "./map-concurrent.js";
import type { SourceProblem } from "./observation.js";
import { extraKey } from "./rotation.js";

/**
 * Reads every value that the plan sends, once: the writes find the answers in the run of the sources. Returns the
 * changes whose values cannot be read, by address; none if the apply was asked to stop, which it says itself.
 */
export async function openSources(input: ApplyInput): Promise<ReadonlyMap<string, SourceProblem>> {
  const { plan, manifest, sources, signal, overwriteDrift } = input;
  const sending = plan.changes.filter(
    ({ fields, wanted, overwrites }) =>
      wanted && (overwriteDrift || !overwrites) && fields.some(({ type }) => type === "write-only"),
  );
  const unread = await mapConcurrent(maxConcurrentReads, sending, async (change) => {
    try {
      await resolveWriteOnlyValues(input, change);
      await extraKey(manifest, sources);
      return [];
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      const { code, message } = error;
      return [[change.address, { code, message }] as const];
    }
  });
  return new Map(signal?.aborted ? [] : unread.flat());
}
