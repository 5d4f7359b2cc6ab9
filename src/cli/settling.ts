import { readOnly, type Service } from "../api/index.js";
import { readOnceMore, rememberSpec, strayedFields, type Unsettled } from "../engine/index.js";
import { isKnownByStamp } from "../kinds/index.js";
import type { Entry } from "../state/index.js";
import type { Call } from "./command.js";
import type { Account } from "./exporting.js";

/** What the state is about to hold of an object that was read and not written. */
export interface Known extends Unsettled {
  readonly address: string;
  readonly entry: Entry;
}

/**
 * Reads objects once more whose `updated_at` could not be trusted when they were read, and gives the entries of those that
 * still are as remembered, with a stamp that later plans can trust. After a stop nothing more is read.
 */
export async function settledEntries(
  { host, signal, talk }: Call,
  service: Service,
  known: readonly Known[],
): Promise<ReadonlyMap<string, Entry>> {
  const open = known.filter(({ kind, entry }) => isKnownByStamp(kind) && entry.inSyncAt === undefined);
  const read = await readOnceMore(readOnly(service), open, {
    now: host.now,
    signal,
    tickMs: host.waits?.tickMs,
    onWait: (why, forMs) => talk.say(`Waiting ${Math.ceil(forMs / 1000)} s: ${why}.`),
  });
  return new Map(
    [...read].flatMap(([{ address, kind, entry }, { live, settled }]): [string, Entry][] => {
      const isSame = strayedFields(kind, entry.applied, live.spec).length === 0;
      if (!isSame || !settled || live.updatedAt === undefined) return [];
      return [[address, { ...entry, inSyncAt: live.updatedAt }]];
    }),
  );
}

/** The account, with stamps that later plans can trust. */
export async function settledAccount(call: Call, service: Service, account: Account): Promise<Account> {
  const open = account.objects.filter((one) => !one.settled);
  const stamped = await settledEntries(
    call,
    service,
    open.map(({ address, kind, spec, live: { id, updatedAt } }) => {
      return { address, kind, id, updatedAt, entry: { id, applied: rememberSpec(kind, spec) } };
    }),
  );
  call.signal.throwIfAborted();
  const objects = account.objects.map((one) => {
    const updatedAt = stamped.get(one.address)?.inSyncAt;
    return updatedAt === undefined ? one : { ...one, live: { ...one.live, updatedAt }, settled: true };
  });
  return { ...account, objects };
}
