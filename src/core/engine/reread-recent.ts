import type { System } from "../../base/system/index.js";
import { type Service, ServiceError } from "../api/index.js";
import { isReliableTimestamp, type Kind, type RemoteObject } from "../kinds/index.js";
import { mapConcurrent, maxConcurrentReads } from "./map-concurrent.js";
import { isolateReadErrors } from "./unreadable.js";

/** Object that was written or read so recently that the next edit may keep its `updated_at`. */
export interface RecentObject {
  readonly kind: Kind;
  readonly id: string;
  /** Latest known `updated_at`. */
  readonly updatedAt?: string | undefined;
}

/** Object that was read again after the service's clock had ticked. */
export interface RereadObject {
  readonly live: RemoteObject;
  /** Whether the next edit is certain to change its `updated_at`. */
  readonly hasReliableTimestamp: boolean;
}

export interface RereadOptions {
  /** Clock, used only while the service's clock is unknown. */
  readonly system: System;
  /** Signal that ends the wait and the reads. The objects read so far are returned. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum tick of the service's clock, in ms (default 2,000). */
  readonly tickMs?: number | undefined;
  readonly onWait?: ((why: string, forMs: number) => void) | undefined;
}

/**
 * Reads objects again after the service's clock has ticked, which makes their timestamps reliable. Omits objects that
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
  onWait?.(`until timestamps differ, to re-read ${subject}`, tickMs);
  await system.sleep(tickMs, signal);
  if (signal?.aborted) return read;
  const readIsolated = isolateReadErrors();
  const reading = mapConcurrent(maxConcurrentReads, objects, async (object) => {
    const askedAtMs = service.getServerTime() ?? system.now();
    const live = await readIsolated(object.id, async () => object.kind.read?.(service, object.id));
    if (!live || "seen" in live) return;
    // This read started a tick after the response with this timestamp, so a later edit gets a different timestamp.
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
