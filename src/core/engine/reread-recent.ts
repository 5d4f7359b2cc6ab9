import type { System } from "../../base/system/index.js";
import { type Service, ServiceError } from "../api/index.js";
import { isReliableTimestamp, type Kind, type RemoteObject } from "../kinds/index.js";
import { mapConcurrent, maxConcurrentReads } from "./map-concurrent.js";
import { isolateReadErrors } from "./unreadable.js";

/** Object that was written or read so recently that another edit could leave its `updated_at` unchanged. */
export interface RecentObject {
  readonly kind: Kind;
  readonly id: string;
  /** Latest known `updated_at`. */
  readonly updatedAt?: string | undefined;
}

/** Object that was re-read after the service's clock had advanced. */
export interface RereadObject {
  readonly live: RemoteObject;
  /** Whether any later edit changes its `updated_at`. */
  readonly hasReliableTimestamp: boolean;
}

export interface RereadOptions {
  /** Timer, and the clock to use while the service's clock is unknown. */
  readonly system: System;
  /** Signal that ends the wait and the reads. The objects read so far are returned. */
  readonly signal?: AbortSignal | undefined;
  /** Coarsest clock resolution to expect from the service, in ms (default 2,000). */
  readonly tickMs?: number | undefined;
  readonly onWait?: ((why: string, forMs: number) => void) | undefined;
}

/**
 * Re-reads objects once the service's clock has advanced, so that their timestamps are reliable. Omits objects that
 * cannot be read, and never throws service errors.
 */
export async function rereadRecent<T extends RecentObject>(
  service: Service,
  objects: readonly T[],
  { system, signal, tickMs = 2_000, onWait }: RereadOptions,
): Promise<ReadonlyMap<T, RereadObject>> {
  const read = new Map<T, RereadObject>();
  if (objects.length === 0 || signal?.aborted) return read;
  const subject = objects.length === 1 ? "one object" : `${objects.length} objects`;
  onWait?.(`for the service's clock before re-reading ${subject}`, tickMs);
  await system.sleep(tickMs, signal);
  if (signal?.aborted) return read;
  const readIsolated = isolateReadErrors();
  const reading = mapConcurrent(maxConcurrentReads, objects, async (object) => {
    const askedAtMs = service.getServerTime() ?? system.now();
    const live = await readIsolated(object.id, async () => object.kind.read?.(service, object.id));
    if (!live || "seen" in live) return;
    // An unchanged timestamp is reliable, because this read started at least one clock tick after it was set.
    const isSame = live.updatedAt !== undefined && live.updatedAt === object.updatedAt;
    read.set(object, {
      live,
      hasReliableTimestamp: isSame || isReliableTimestamp(live.updatedAt, askedAtMs),
    });
  });
  await reading.catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
  });
  return read;
}
