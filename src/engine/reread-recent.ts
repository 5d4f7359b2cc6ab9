import { setTimeout as sleep } from "node:timers/promises";
import { type Service, ServiceError } from "../api/index.js";
import { isReliableTimestamp, type Kind, type Live } from "../kinds/index.js";
import { mapConcurrent, maxConcurrentReads } from "./map-concurrent.js";
import { isolateReadErrors } from "./unreadable.js";

/** An object that was written or read so recently that its `updated_at` may stay the same with the next edit. */
export interface RecentObject {
  readonly kind: Kind;
  readonly id: string;
  /** Its `updated_at` as last told. */
  readonly updatedAt?: string | undefined;
}

/** An object as it is when its clock has ticked on. */
export interface RereadObject {
  readonly live: Live;
  /** Whether its `updated_at` may be trusted to change with the next edit. */
  readonly settled: boolean;
}

export interface RereadOptions {
  /** Wall clock in ms; asked only while the service's own is not known. */
  readonly now: () => number;
  /** Ends the wait and the reading at once; what was read until then is returned. */
  readonly signal?: AbortSignal | undefined;
  /** The longest tick of a service's clock. Default 2,000. */
  readonly tickMs?: number | undefined;
  readonly onWait?: ((why: string, forMs: number) => void) | undefined;
}

/**
 * Reads objects once more when the service's clock has ticked on: what a list shows of them can be trusted from then
 * on, and what the service makes of a text after it has answered is seen. What cannot be read is not in the result; no
 * object, no wait. Throws nothing for what the service does.
 */
export async function rereadRecent<T extends RecentObject>(
  service: Service,
  objects: readonly T[],
  { now, signal, tickMs = 2_000, onWait }: RereadOptions,
): Promise<ReadonlyMap<T, RereadObject>> {
  const read = new Map<T, RereadObject>();
  if (objects.length === 0 || signal?.aborted) return read;
  const subject = objects.length === 1 ? "one object is" : `${objects.length} objects are`;
  onWait?.(`the service may tell times in whole seconds; then ${subject} read once more`, tickMs);
  const isStopped = await sleep(tickMs, false, signal ? { signal } : {}).catch(() => true);
  if (isStopped) return read;
  const attempt = isolateReadErrors();
  const reading = mapConcurrent(maxConcurrentReads, objects, async (object) => {
    const askedAtMs = service.serverTime() ?? now();
    const live = await attempt(object.id, async () => object.kind.read?.(service, object.id));
    if (!live || "seen" in live) return;
    // Asked a tick after the answer that had this timestamp, so that a later edit has another.
    const isSame = live.updatedAt !== undefined && live.updatedAt === object.updatedAt;
    read.set(object, { live, settled: isSame || isReliableTimestamp(live.updatedAt, askedAtMs) });
  });
  await reading.catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
  });
  return read;
}
