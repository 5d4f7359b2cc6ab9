import type { System } from "../../base/system/index.js";
import { type Service, ServiceError } from "../api/index.js";
import { isReliableTimestamp, type Kind, type Live } from "../kinds/index.js";
import { mapConcurrent, maxConcurrentReads } from "./map-concurrent.js";
import { isolateReadErrors } from "./unreadable.js";

/** An object written or read so recently that its `updated_at` may not change with the next edit. */
export interface RecentObject {
  readonly kind: Kind;
  readonly id: string;
  /** Its latest known `updated_at`. */
  readonly updatedAt?: string | undefined;
}

/** An object after its clock has ticked on. */
export interface RereadObject {
  readonly live: Live;
  /** Whether its `updated_at` is sure to change with the next edit. */
  readonly settled: boolean;
}

export interface RereadOptions {
  /** Wall clock in ms; used only while the service's own is unknown. */
  readonly system: System;
  /** Ends the wait and the reads at once; returns what was read so far. */
  readonly signal?: AbortSignal | undefined;
  /** The longest tick of a service's clock, in ms. Default 2,000. */
  readonly tickMs?: number | undefined;
  readonly onWait?: ((why: string, forMs: number) => void) | undefined;
}

/**
 * Reads objects again once the service's clock has ticked on: from then on their timestamps in lists can be
 * trusted, and changes that the service makes to a text after its answer become visible. Objects that cannot
 * be read are not in the result; without objects there is no wait. Throws nothing for errors of the service.
 */
export async function rereadRecent<T extends RecentObject>(
  service: Service,
  objects: readonly T[],
  { system, signal, tickMs = 2_000, onWait }: RereadOptions,
): Promise<ReadonlyMap<T, RereadObject>> {
  const read = new Map<T, RereadObject>();
  if (objects.length === 0 || signal?.aborted) return read;
  const subject = objects.length === 1 ? "one object is" : `${objects.length} objects are`;
  onWait?.(`until timestamps differ; then ${subject} read again`, tickMs);
  await system.sleep(tickMs, signal);
  if (signal?.aborted) return read;
  const readIsolated = isolateReadErrors();
  const reading = mapConcurrent(maxConcurrentReads, objects, async (object) => {
    const askedAtMs = service.serverTime() ?? system.now();
    const live = await readIsolated(object.id, async () => object.kind.read?.(service, object.id));
    if (!live || "seen" in live) return;
    // Requested a tick after the answer with this timestamp, so that a later edit has another one.
    const isSame = live.updatedAt !== undefined && live.updatedAt === object.updatedAt;
    read.set(object, { live, settled: isSame || isReliableTimestamp(live.updatedAt, askedAtMs) });
  });
  await reading.catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
  });
  return read;
}
