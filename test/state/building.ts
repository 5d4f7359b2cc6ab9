import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import type {
  Intent,
  LockOptions,
  State,
  StateEntry,
  StateWriter,
  Store,
  StoreEnvironment,
} from "../../src/core/state/index.js";
import type { StoreNames } from "../../src/core/state/store-backend.js";

export const service = "https://api.example.com";

/** Creates a temporary folder for one test. */
export async function makeFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "avatarops-state-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a machine with sequential ids on which only the given processes run. */
export function createMachine(
  pid = 1,
  running: readonly number[] = [pid],
  now = () => 1_700_000_000_000,
): StoreEnvironment {
  let made = 0;
  return {
    allowCode: false,
    system: { ...nodeSystem, now, newId: () => `id-${pid}-${++made}` },
    pid,
    host: "desk",
    isAlive: (other) => running.includes(other),
    readStart: (other) => `start of ${other}`,
    patienceMs: 100,
  };
}

export function createEntry(id: string, more: Partial<StateEntry> = {}): StateEntry {
  return { id, applied: { name: `Name of ${id}` }, ...more };
}

export function createIntent(address: string, more: Partial<Intent> = {}): Intent {
  return {
    address,
    action: "create",
    label: address,
    sent: { name: address, prompt: { digest: "abc", length: 300 } },
    known: [],
    at: "2026-01-02T03:04:05.000Z",
    ...more,
  };
}

export function createState(more: Partial<State> = {}): State {
  return { version: 1, lineage: "line", serial: 3, service, objects: {}, pending: {}, ...more };
}

export const patience = { command: "avatarops apply", timeoutMs: 0 };

/** Runs `change` under the lock and commits. */
export async function commitTo(
  store: Store,
  change: (session: StateWriter) => void,
  more: Partial<LockOptions> = {},
): Promise<void> {
  const session = await store.lock({ ...patience, ...more });
  await session.begin(service);
  change(session);
  await session.commit();
  await session.release();
}

/** Returns the names that messages use for a store's parts. */
export function createStoreNames(state: string): StoreNames {
  return { state, journal: `${state}.journal`, lock: `${state}.lock`, restore: "restore it" };
}

export { isHeldLock } from "../../src/core/state/store-backend.js";
export { createHolder as holder, listRecords, lock } from "./store-checks.js";
