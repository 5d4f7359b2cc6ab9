import { toPlainLine } from "../../base/text/index.js";
import { decodeRecord } from "./history-record.js";
import { load } from "./load.js";
import type { State } from "./state.js";
import type { StateError } from "./state-error.js";
import type { StoreBackend } from "./store-backend.js";
import { createLockLostError } from "./stores/errors.js";

/** Store content after this run lost its lock. */
export interface LostLock {
  /** Error that describes the run that now owns the lock or has written the state since. */
  readonly error: StateError;
  /** Stored state with the journal applied. */
  readonly state: State | undefined;
  /** Whether another run has written the state and released the lock. */
  readonly isReplaced: boolean;
}

/**
 * Finds out what happened after this run lost its lock.
 *
 * @param serial Serial of the state that this run last read or wrote.
 * @throws StateError if the store cannot be read.
 */
export async function readLostLock(store: StoreBackend, serial: number): Promise<LostLock> {
  const { names } = store;
  const found: Partial<Awaited<ReturnType<StoreBackend["read"]>>> = {};
  const { draft, saved } = await load(names, async () => Object.assign(found, await store.read()));
  const { holder, status } = found.lock ?? {};
  if (holder && status !== "dead")
    return { error: createLockLostError(names, holder), state: draft, isReplaced: false };
  const isReplaced = saved !== undefined && saved.serial > serial;
  const since = isReplaced ? `${await describeWriter(store)} has since written serial ${saved.serial}` : "";
  return { error: createLockLostError(names, undefined, since), state: draft, isReplaced };
}

/** Describes the run that wrote the newest record. */
async function describeWriter(store: StoreBackend): Promise<string> {
  for await (const text of store.readHistory()) {
    const record = decodeRecord(text);
    if ("unreadable" in record) break;
    const { command, by } = record;
    const user = by.user === undefined ? "" : ` by ${toPlainLine(by.user)}`;
    const host = by.host === undefined ? "" : ` on ${toPlainLine(by.host)}`;
    return `\`${toPlainLine(command)}\`${user}${host}`;
  }
  return "another run";
}
