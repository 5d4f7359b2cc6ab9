import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readScheme } from "../../base/files/index.js";
import { decodeState, unmarkMoved } from "./encoding.js";
import { load } from "./load.js";
import { type LockOptions, releaseHeldLock, takeLock } from "./lock.js";
import type { State } from "./state.js";
import { StateError } from "./state-error.js";
import { createHolder, openStore, withBackend } from "./store.js";
import type { HeldLock, StoreBackend, StoreEnvironment } from "./store-backend.js";

/** Result of a verified migration. */
export interface Migration {
  /** Source location, without credentials. */
  readonly from: string;
  readonly to: string;
  readonly state: State;
  readonly records: number;
  /** Whether the target already had everything. */
  readonly unchanged: boolean;
}

/**
 * Copies a state and its history to another store under both locks, and verifies the copy. Marks the source as moved,
 * so that later commands report the new location.
 *
 * @returns undefined if the source has no state.
 * @throws StateError `not-empty` if the target has content that is not from an earlier attempt, LockedError, or store
 * errors.
 */
export async function migrateState(
  from: string,
  to: string,
  environment: StoreEnvironment,
  options: LockOptions,
): Promise<Migration | undefined> {
  return withBackend(from, environment, (source) =>
    withBackend(to, environment, (target) => copyBetween(source, target)),
  );

  async function copyBetween(source: StoreBackend, target: StoreBackend): Promise<Migration | undefined> {
    if (source.names.state === target.names.state)
      throw new StateError(
        "not-empty",
        target.names.state,
        `Nothing was moved: ${target.names.state} is already the state location. Choose another location with --to.`,
      );
    const session = await openStore(from, environment).lock(options);
    try {
      const content = await readContent(source);
      if (!content) return undefined;
      const hold = await takeLock(target, createHolder(environment, options), options, environment.system);
      let unchanged: boolean;
      try {
        unchanged = await copy(content, source, target, hold, options);
      } finally {
        await releaseHeldLock(hold, options);
      }
      await withBackend(to, environment, (reread) => compare(content, reread));
      await session.markMigrated(formatLocation(to, environment));
      const [state, records] = [decodeState(content.state, source.names), content.history.length];
      return { from: source.names.state, to: target.names.state, state, records, unchanged };
    } finally {
      await session.release();
    }
  }
}

/** Formats a location as it would appear under `state:`. */
function formatLocation(location: string, { root }: StoreEnvironment): string {
  return readScheme(location) === undefined && root !== undefined ? path.relative(root, location) : location;
}

interface StoreContent {
  readonly state: string;
  /** Records, oldest first. */
  readonly history: readonly string[];
}

async function readContent(store: StoreBackend): Promise<StoreContent | undefined> {
  const { state } = await store.read();
  return state === undefined ? undefined : { state, history: await readHistory(store) };
}

async function readHistory(store: StoreBackend): Promise<string[]> {
  const records: string[] = [];
  for await (const record of store.readHistory()) {
    // Drops a repeated record, because the target stores it only once.
    if (record !== records.at(-1)) records.push(record);
  }
  return records.reverse();
}

/**
 * Copies the history first, and then the state, which makes the target complete. Returns whether the target already had
 * all content.
 */
async function copy(
  content: StoreContent,
  source: StoreBackend,
  target: StoreBackend,
  hold: HeldLock,
  { signal }: LockOptions,
): Promise<boolean> {
  const found = await hold.read();
  // The target may be marked as moved, because the state was moved away from it earlier.
  const before = found.state === undefined ? undefined : unmarkMoved(found.state, target.names);
  const there = await load(target.names, async () => ({ ...found, state: before }));
  if (there.journal !== undefined) {
    throw createNotEmptyError(
      target,
      "has the journal of an interrupted run (the next apply there completes it)",
    );
  }
  if (before !== undefined)
    assertOlderVersion(decodeState(content.state, source.names), before, content, target);
  const history = await readHistory(target);
  if (history.some((record, at) => record !== content.history[at])) {
    throw createNotEmptyError(target, `has a history that differs from ${source.names.state}`);
  }
  for (const record of content.history.slice(history.length)) {
    if (signal?.aborted)
      throw new StateError("cancelled", target.names.state, "Stopped before the move was complete.");
    await hold.commit({ record });
  }
  if (found.state !== content.state) await hold.commit({ state: content.state });
  return found.state === content.state && history.length === content.history.length;
}

/** Throws unless the target's state is an older version of the same state. */
function assertOlderVersion(
  { lineage, serial }: State,
  text: string,
  content: StoreContent,
  target: StoreBackend,
): void {
  if (text === content.state) return;
  const theirs = decodeState(text, target.names);
  if (theirs.lineage !== lineage)
    throw createNotEmptyError(target, `contains a different state (lineage ${theirs.lineage})`);
  if (theirs.serial >= serial) {
    throw createNotEmptyError(
      target,
      `has serial ${theirs.serial} of this state, but the source has serial ${serial}`,
    );
  }
}

/** Verifies the copy. @throws StateError `conflict` if the target does not return the written content. */
async function compare(content: StoreContent, target: StoreBackend): Promise<void> {
  if (isDeepStrictEqual(await readContent(target), content)) return;
  throw new StateError(
    "conflict",
    target.names.state,
    `${target.names.state} does not contain the state that was just written, because another program is writing to it. ` +
      "The state was not moved. Keep using the old location.",
  );
}

function createNotEmptyError({ names }: StoreBackend, problem: string): StateError {
  return new StateError(
    "not-empty",
    names.state,
    `Nothing was moved: ${names.state} ${problem}. Choose another location with --to. To use that state instead, set ` +
      "`state:` in the manifest.",
  );
}
