import { ServiceError } from "../api/index.js";
import { findDifferingFields, type ListedObject, type RemoteObject } from "../kinds/index.js";
import { isOldCopy } from "./listed-copy.js";
import { readCurrent } from "./read-current.js";
import { findLostCreate } from "./recognize-lost-create.js";
import type { WriteContext } from "./write-context.js";

/** Outcome of a write whose response was lost, as determined by later reads. */
interface RecoveredWrite {
  readonly found?: RemoteObject | undefined;
  readonly candidates: readonly ListedObject[];
}

const maxPauseMs = 4_000;

/** Minimum time to wait for a created object to appear in the list. */
const minSettleMs = 10_000;

/**
 * Searches for the object of a lost create while the service may still be processing the request. Finds nothing if the
 * kind has no list.
 *
 * @param sentAtMs Time when the create was sent, by the service's clock.
 * @param error Reason for the missing response. Unless it is a timeout, the request may have been sent only a moment
 * ago.
 */
export async function recoverLostCreate(
  context: WriteContext,
  sentAtMs: number,
  error: ServiceError,
): Promise<RecoveredWrite> {
  const { kind, service, reader, spec, list, isForeign, system, signal, onWait } = context;
  const { settleMs = error.code === "timeout" ? minSettleMs : Math.max(minSettleMs, service.timeoutMs) } =
    context;
  const label = spec[kind.label];
  if (!kind.list || typeof label !== "string") return nothing;
  const made = {
    label,
    at: new Date(sentAtMs).toISOString(),
    isForeign,
    matches: (live: RemoteObject) => matchesDeclaration(context, live),
  };
  return tolerateOutage(signal, async () => {
    const untilMs = system.monotonic() + settleMs;
    for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      const result = await findLostCreate(reader, kind, made, await list({ fresh: true }));
      if (result.found) return { found: result.found, candidates: [] };
      // Waiting would not help, because similar objects exist that the user must choose from.
      if (result.candidates.length > 0 || system.monotonic() + pauseMs > untilMs) return result;
      onWait?.(pauseMs);
      await system.sleep(pauseMs, signal);
      signal?.throwIfAborted();
    }
  });
}

/** Checks whether a lost update was processed. Finds nothing if the update wrote unreadable values. */
export async function recoverLostUpdate(context: WriteContext, id: string): Promise<RecoveredWrite> {
  if (Object.keys(context.spec).length === 0 || Object.keys(context.values).length > 0) return nothing;
  return tolerateOutage(context.signal, async () => {
    const live = await readCurrent(context, id, { fresh: true });
    if (!live || live === "gone" || isOldCopy(context.kind, live, context.copyBefore)) return nothing;
    return matchesDeclaration(context, live) ? { found: live, candidates: [] } : nothing;
  });
}

const nothing: RecoveredWrite = { candidates: [] };

function matchesDeclaration({ kind, spec, normalize }: WriteContext, live: RemoteObject): boolean {
  return findDifferingFields(kind, spec, live.spec, normalize).length === 0;
}

/**
 * Returns nothing if the service is unreachable or the search is cancelled, because the first error explains the
 * outcome.
 */
async function tolerateOutage(
  signal: AbortSignal | undefined,
  search: () => Promise<RecoveredWrite>,
): Promise<RecoveredWrite> {
  try {
    return await search();
  } catch (error) {
    if (error instanceof ServiceError || signal?.aborted) return nothing;
    throw error;
  }
}
