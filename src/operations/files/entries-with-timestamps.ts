import { restrictToReads, type Service } from "../../core/api/index.js";
import { listChangedFields, type RecentObject, rereadRecent, toStoredSpec } from "../../core/engine/index.js";
import { canDetectChangesByTimestamp } from "../../core/kinds/index.js";
import type { StateEntry } from "../../core/state/index.js";
import type { Runtime } from "../runtime/runtime.js";
import type { AccountObjects } from "./read-account.js";

/** A state entry for an object that was read but not written. */
export interface ListedState extends RecentObject {
  readonly address: string;
  readonly entry: StateEntry;
}

/**
 * Rereads objects whose `updated_at` was not reliable. Returns the entries of unchanged objects that now have a
 * reliable timestamp. If cancelled, returns the entries found so far.
 */
export async function readEntryTimestamps(
  { host, signal, output }: Runtime,
  service: Service,
  known: readonly ListedState[],
): Promise<ReadonlyMap<string, StateEntry>> {
  const open = known.filter(
    ({ kind, entry }) => canDetectChangesByTimestamp(kind) && entry.inSyncAt === undefined,
  );
  const read = await rereadRecent(restrictToReads(service), open, {
    system: host,
    signal,
    tickMs: host.waits?.tickMs,
    onWait: (why, forMs) => output.info(`Waiting ${Math.ceil(forMs / 1000)} s ${why}.`),
  });
  return new Map(
    [...read].flatMap(
      ([{ address, kind, entry }, { live, hasReliableTimestamp }]): [string, StateEntry][] => {
        const isSame = listChangedFields(kind, entry.applied, live.spec).length === 0;
        if (!isSame || !hasReliableTimestamp || live.updatedAt === undefined) return [];
        return [[address, { ...entry, inSyncAt: live.updatedAt }]];
      },
    ),
  );
}

/** Rereads objects with unreliable timestamps. Returns the account with any timestamps that are now reliable. */
export async function readAccountWithTimestamps(
  runtime: Runtime,
  service: Service,
  account: AccountObjects,
): Promise<AccountObjects> {
  const open = account.objects.filter((object) => !object.hasReliableTimestamp);
  const stamped = await readEntryTimestamps(
    runtime,
    service,
    open.map(({ address, kind, spec, live: { id, updatedAt } }) => {
      return { address, kind, id, updatedAt, entry: { id, applied: toStoredSpec(kind, spec) } };
    }),
  );
  runtime.signal.throwIfAborted();
  const objects = account.objects.map((object) => {
    const updatedAt = stamped.get(object.address)?.inSyncAt;
    return updatedAt === undefined
      ? object
      : { ...object, live: { ...object.live, updatedAt }, hasReliableTimestamp: true };
  });
  return { ...account, objects };
}
