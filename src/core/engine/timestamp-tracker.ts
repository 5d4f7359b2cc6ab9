import {
  canDetectChangesByTimestamp,
  isPreciseTimestamp,
  isReliableTimestamp,
  type Kind,
  parseAddress,
  type RemoteObject,
} from "../kinds/index.js";
import type { ApplyInput } from "./apply-input.js";
import type { Result } from "./outcome.js";
import { type RecentObject, rereadRecent } from "./reread-recent.js";
import { listChangedFields } from "./stored-form.js";

/**
 * Tracks timestamps that let the next plan skip reads.
 *
 * If the service's clock has millisecond precision, the `updated_at` in a write's response is recorded, because a later
 * edit gets another timestamp. Otherwise, apply re-reads its objects one clock tick later, which also detects values
 * that the service changed after responding.
 */
export interface TimestampTracker {
  /** Notes a service timestamp, which may reveal the precision of the service's clock. */
  noteTimestamp(kind: Kind, updatedAt: string | undefined): void;
  /** Returns the timestamp to record with a write. Returns undefined if it is not reliable yet or not needed. */
  recordWrite(address: string, kind: Kind, live: RemoteObject): string | undefined;
  /** Tracks an object that was read but not written, and that was recorded without a timestamp. */
  recordRead(address: string, kind: Kind, id: string): void;
  /** Records the remaining timestamps. Marks results as failed if their objects differ from the written values. */
  finish(results: readonly Result[]): Promise<readonly Result[]>;
}

interface PendingTimestamp extends RecentObject {
  readonly address: string;
  readonly isWritten: boolean;
}

export function openTimestampTracker(input: ApplyInput): TimestampTracker {
  const { session, service, system, signal, tickMs, onEvent } = input;
  const fine = new Set<string>();
  const open = new Map<string, PendingTimestamp>();
  for (const [address, { inSyncAt }] of Object.entries(session.state?.objects ?? {}))
    noteAt(address, inSyncAt);
  for (const [name, { preciseTimestamps }] of input.listings ?? []) {
    if (preciseTimestamps) fine.add(name);
  }

  function note(kind: Kind, updatedAt: string | undefined): void {
    if (isPreciseTimestamp(updatedAt)) fine.add(kind.name);
  }

  function noteAt(address: string, timestamp: string | undefined): void {
    const kind = parseAddress(address)?.kind;
    if (kind) note(kind, timestamp);
  }

  function getReliableTimestamp({ kind, updatedAt }: RecentObject): string | undefined {
    return isReliableTimestamp(updatedAt, Number.NEGATIVE_INFINITY, fine.has(kind.name))
      ? updatedAt
      : undefined;
  }

  function recordTimestamp(address: string, inSyncAt: string | undefined): void {
    const entry = session.state?.objects[address];
    if (entry && inSyncAt !== undefined) session.recordEntry(address, { ...entry, inSyncAt });
  }

  return {
    noteTimestamp: note,
    recordWrite(address, kind, { id, updatedAt }) {
      open.delete(address);
      if (!canDetectChangesByTimestamp(kind)) return undefined;
      note(kind, updatedAt);
      const written: PendingTimestamp = { address, kind, id, updatedAt, isWritten: true };
      const timestamp = getReliableTimestamp(written);
      if (timestamp === undefined) open.set(address, written);
      return timestamp;
    },
    recordRead(address, kind, id) {
      if (canDetectChangesByTimestamp(kind)) open.set(address, { address, kind, id, isWritten: false });
    },
    async finish(results) {
      // Later timestamps may have revealed that the clock has millisecond precision.
      const unread = [...open.values()].filter((object) => {
        const timestamp = getReliableTimestamp(object);
        recordTimestamp(object.address, timestamp);
        return timestamp === undefined;
      });
      // Makes outcomes durable before waiting for the service's clock.
      if (unread.length > 0) await session.flush().catch(() => undefined);
      if (session.failure) return results;
      const read = await rereadRecent(service, unread, {
        ...{ system, signal, tickMs },
        onWait: (why, forMs) => onEvent?.({ type: "waiting", why, forMs }),
      });
      const failures = new Map<string, string>();
      for (const [{ address, kind, isWritten }, { live, hasReliableTimestamp }] of read) {
        const applied = session.state?.objects[address]?.applied ?? {};
        const changed = listChangedFields(kind, applied, live.spec);
        if (changed.length === 0) recordTimestamp(address, hasReliableTimestamp ? live.updatedAt : undefined);
        else if (isWritten)
          failures.set(
            address,
            `The service or an edit elsewhere changed the stored ${changed.join(" and ")} after the write was confirmed. See the difference: \`avatarops plan\`.`,
          );
      }
      return results.map((result) => {
        const message = failures.get(result.address);
        if (message === undefined || result.status !== "applied") return result;
        return { ...result, status: "failed", problem: { code: "not-as-sent", message } };
      });
    },
  };
}
