import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readScheme } from "../../base/files/index.js";
import { decodeState, unmarkMoved } from "./encoding.js";
import { load } from "./load.js";
import { type LockOptions, releaseHeldLock, takeLock } from "./lock.js";
import type { State } from "./state.js";
import { StateError } from "./state-error.js";
import { newHolder, openStore, withBackend } from "./store.js";
import type { HeldLock, StoreBackend, StoreEnvironment } from "./store-backend.js";

/** A state that was moved, and read back. */
export interface Migration {
  /** Without credentials. */
  readonly from: string;
  readonly to: string;
  readonly state: State;
  /** How many records the history has. */
  readonly records: number;
  /** Everything was there already. */
  readonly unchanged: boolean;
}

/**
 * Copies a state and its history from one store to another, under the locks of both, and compares what it then reads
 * there. An interrupted run is completed first; writes without a response are part of the state. What is in the target
 * already must be the beginning of the same history, as an earlier attempt leaves it, so that nothing is lost there.
 * The source keeps everything, and is marked as moved: who still names it is told where the state is.
 *
 * @returns undefined if there is no state.
 * @throws StateError `not-empty` if the target holds something else; LockedError; whatever the stores throw.
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
    if (source.names.state === target.names.state) throw notEmpty(target, "is where the state is already");
    const session = await openStore(from, environment).lock(options);
    try {
      const content = await readContent(source);
      if (!content) return undefined;
      const hold = await takeLock(target, newHolder(environment, options), options, environment.system);
      let unchanged: boolean;
      try {
        unchanged = await copy(content, source, target, hold, options);
      } finally {
        await releaseHeldLock(hold, options);
      }
      await withBackend(to, environment, (reread) => compare(content, reread));
      await session.leave(nameFor(to, environment));
      const [state, records] = [decodeState(content.state, source.names), content.history.length];
      return { from: source.names.state, to: target.names.state, state, records, unchanged };
    } finally {
      await session.release();
    }
  }
}

/** A place as `state:` names it. */
function nameFor(location: string, { root }: StoreEnvironment): string {
  return readScheme(location) === undefined && root !== undefined ? path.relative(root, location) : location;
}

interface Content {
  readonly state: string;
  /** Oldest first. */
  readonly history: readonly string[];
}

async function readContent(store: StoreBackend): Promise<Content | undefined> {
  const { state } = await store.read();
  return state === undefined ? undefined : { state, history: await readHistory(store) };
}

async function readHistory(store: StoreBackend): Promise<string[]> {
  const records: string[] = [];
  for await (const record of store.history()) {
    // A store keeps a record once, if it is given twice in a row.
    if (record !== records.at(-1)) records.push(record);
  }
  return records.reverse();
}

/** The history before the state: with the state, the target counts as complete. Whether there was nothing to do. */
async function copy(
  content: Content,
  source: StoreBackend,
  target: StoreBackend,
  hold: HeldLock,
  { signal }: LockOptions,
): Promise<boolean> {
  const found = await hold.read();
  // It may have been here before.
  const before = found.state === undefined ? undefined : unmarkMoved(found.state, target.names);
  const there = await load(target.names, async () => ({ ...found, state: before }));
  if (there.journal !== undefined) {
    throw notEmpty(target, "has the journal of an interrupted run, which the next apply with it completes");
  }
  if (before !== undefined) refuseOther(decodeState(content.state, source.names), before, content, target);
  const history = await readHistory(target);
  if (history.some((record, at) => record !== content.history[at])) {
    throw notEmpty(target, `holds a history that is not the one of ${source.names.state}`);
  }
  for (const record of content.history.slice(history.length)) {
    if (signal?.aborted)
      throw new StateError("cancelled", target.names.state, "Stopped before all was moved.");
    await hold.commit({ record });
  }
  if (found.state !== content.state) await hold.commit({ state: content.state });
  return found.state === content.state && history.length === content.history.length;
}

/** An older version of the same state is replaced; anything else stays. */
function refuseOther({ lineage, serial }: State, text: string, content: Content, target: StoreBackend): void {
  if (text === content.state) return;
  const theirs = decodeState(text, target.names);
  if (theirs.lineage !== lineage) throw notEmpty(target, `holds another state (lineage ${theirs.lineage})`);
  if (theirs.serial >= serial) {
    throw notEmpty(target, `holds serial ${theirs.serial} of this state, and here is serial ${serial}`);
  }
}

/** @throws StateError `conflict` if the target does not give back what was written. */
async function compare(content: Content, target: StoreBackend): Promise<void> {
  if (isDeepStrictEqual(await readContent(target), content)) return;
  throw new StateError(
    "conflict",
    target.names.state,
    `${target.names.state} does not hold what was just written to it: somebody else writes there. The state is where it ` +
      "was; keep using it.",
  );
}

function notEmpty({ names }: StoreBackend, what: string): StateError {
  return new StateError(
    "not-empty",
    names.state,
    `Nothing was moved: ${names.state} ${what}. Name another place with --to, or, if that is the state to use, write it ` +
      "in the manifest (`state:`) without moving.",
  );
}
