import { ServiceError } from "../api/index.js";
import { differingFields, type ListedObject, type Live } from "../kinds/index.js";
import { isOldCopy } from "./listed-copy.js";
import { readCurrent } from "./read-current.js";
import { findLostCreate } from "./recognise-lost-create.js";
import type { WriteContext } from "./write-context.js";

/** The outcome of an unanswered write, as far as reading shows it. */
interface Recovered {
  readonly found?: Live | undefined;
  readonly candidates: readonly ListedObject[];
}

const maxPauseMs = 4_000;

/** Time for a create to appear in the list once it was carried out, in ms. */
const minSettleMs = 10_000;

/**
 * Looks for the object of a lost create while the service may still be processing it. Without a list, it cannot.
 *
 * @param sentAtMs When it was sent, by the service's clock.
 * @param error Reason for the missing response. Unless it is the time limit itself, the request may have left just now.
 */
export async function recoverLostCreate(
  context: WriteContext,
  sentAtMs: number,
  error: ServiceError,
): Promise<Recovered> {
  const { kind, service, reader, spec, list, isForeign, system, signal, onWait } = context;
  const { settleMs = error.code === "timeout" ? minSettleMs : Math.max(minSettleMs, service.timeoutMs) } =
    context;
  const label = spec[kind.label];
  if (!kind.list || typeof label !== "string") return nothing;
  const made = {
    label,
    at: new Date(sentAtMs).toISOString(),
    isForeign,
    matches: (live: Live) => isAsDeclared(context, live),
  };
  return whileInReach(signal, async () => {
    const untilMs = system.monotonic() + settleMs;
    for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      const result = await findLostCreate(reader, kind, made, await list({ fresh: true }));
      if (result.found) return { found: result.found, candidates: [] };
      // Similar objects that are not it: waiting would not help.
      if (result.candidates.length > 0 || system.monotonic() + pauseMs > untilMs) return result;
      onWait?.(pauseMs);
      await system.sleep(pauseMs, signal);
      signal?.throwIfAborted();
    }
  });
}

/** Checks whether a lost update was done. Impossible if it wrote something that cannot be read. */
export async function recoverLostUpdate(context: WriteContext, id: string): Promise<Recovered> {
  if (Object.keys(context.spec).length === 0 || Object.keys(context.values).length > 0) return nothing;
  return whileInReach(context.signal, async () => {
    const live = await readCurrent(context, id, { fresh: true });
    if (!live || live === "gone" || isOldCopy(context.kind, live, context.copyBefore)) return nothing;
    return isAsDeclared(context, live) ? { found: live, candidates: [] } : nothing;
  });
}

const nothing: Recovered = { candidates: [] };

function isAsDeclared({ kind, spec, normalize }: WriteContext, live: Live): boolean {
  return differingFields(kind, spec, live.spec, normalize).length === 0;
}

/**
 * If the service cannot be reached, or the search is cancelled, the outcome stays unknown: the first error says why.
 */
async function whileInReach(
  signal: AbortSignal | undefined,
  look: () => Promise<Recovered>,
): Promise<Recovered> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof ServiceError || signal?.aborted) return nothing;
    throw error;
  }
}
