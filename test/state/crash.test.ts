import { existsSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  decodeRecord,
  type Intent,
  openStore,
  type StateEntry,
  StateError,
  type StateWriter,
  type Store,
} from "../../src/core/state/index.js";
import { splitIntoThirds } from "../real/long.js";
import { createEntry, createIntent, createMachine, makeFolder, patience, service } from "./building.js";
import { type Ended, type Fate, type SystemCall, watchCalls } from "./system-calls.js";

/**
 * Step of the run under test. An acknowledged step must survive a failure of any later system call, and the next run
 * must be able to continue.
 */
interface Step {
  readonly address: string;
  readonly intent?: Intent;
  readonly entry?: StateEntry;
  acknowledged: boolean;
}

async function run(file: string, steps: Step[]): Promise<void> {
  const session = await openStore(file, createMachine(1)).lock(patience);
  try {
    await work(session, steps);
  } finally {
    await session.release();
  }
}

/** Performs every kind of step. */
async function work(session: StateWriter, steps: Step[]): Promise<void> {
  const record = async (step: Omit<Step, "acknowledged">, done: Promise<void>) => {
    const noted = { ...step, acknowledged: false };
    steps.push(noted);
    await done;
    noted.acknowledged = true;
  };
  const intend = (address: string) => {
    const intent = createIntent(address);
    const recorded = { ...intent, run: { by: { host: "desk" } } };
    return record({ address, intent: recorded }, session.recordIntent(intent));
  };
  const settle = (address: string, entry?: StateEntry) => {
    session.completeIntent(address, entry);
    return record({ address, ...(entry ? { entry } : {}) }, session.flush());
  };

  await session.begin(service);
  await Promise.all([intend("context.a"), intend("context.b"), intend("context.c")]);
  session.discardIntent("context.b");
  await Promise.all([
    record({ address: "context.b" }, session.flush()),
    settle("context.a", createEntry("a1")),
  ]);
  await settle("context.c", createEntry("c1"));
  await session.commit();
  await intend("context.a");
  await settle("context.a", createEntry("a2"));
  await settle("context.c", undefined);
  await intend("secret.d");
  await session.commit();
}

/** Returns the two possible outcomes for an address, without and with the step in progress. */
function listPossibleOutcomes(steps: readonly Step[], address: string): unknown[] {
  const own = steps.filter((step) => step.address === address);
  const acknowledged = own.filter((step) => step.acknowledged);
  return [computeOutcome(acknowledged), computeOutcome(own)];
}

function computeOutcome(steps: readonly Step[]) {
  let known: { entry?: StateEntry | undefined; intent?: Intent | undefined } = {};
  for (const { address, intent, entry } of steps) {
    const refused = address === "context.b" && !intent;
    known = intent ? { ...known, intent } : { entry: refused ? known.entry : entry };
  }
  return { entry: known.entry, intent: known.intent };
}

async function expectNothingLost(file: string, steps: readonly Step[]): Promise<void> {
  const store = openStore(file, createMachine(2));
  const seen = (await store.read())?.state;
  for (const address of ["context.a", "context.b", "context.c", "secret.d"]) {
    const found = { entry: seen?.objects[address], intent: removeStoppedMark(seen?.pending)[address] };
    expect(listPossibleOutcomes(steps, address), address).toContainEqual(found);
  }
  const next = await store.lock(patience);
  expect([next.state?.objects, removeStoppedMark(next.state?.pending)]).toEqual([
    seen?.objects,
    removeStoppedMark(seen?.pending),
  ]);
  await next.begin(service);
  await next.recordIntent(createIntent("context.next"));
  next.completeIntent("context.next", createEntry("n1"));
  await next.commit();
  await next.release();
  const after = await store.read();
  expect(
    after && { ...after, state: { ...after.state, pending: removeStoppedMark(after.state?.pending) } },
  ).toEqual({
    state: {
      version: 1,
      lineage: after?.state?.lineage,
      serial: after?.state?.serial,
      service,
      objects: { ...seen?.objects, "context.next": createEntry("n1") },
      pending: removeStoppedMark(seen?.pending),
    },
    interrupted: false,
  });
  const left = (await readdir(join(file, ".."))).filter(
    (name) => !/\.(new|next)$/.test(name) && !/lock\.id/.test(name),
  );
  expect(left).toEqual(["state.json", "state.json.history"]);
  expect(await listRecordedSerials(store)).toEqual(
    Array.from({ length: after?.state?.serial ?? 0 }, (_, at) => at + 1),
  );
}

/** Removes the `stopped` mark, which a commit adds to each create without an outcome. */
function removeStoppedMark(pending: Readonly<Record<string, Intent>> = {}): Record<string, Intent> {
  return Object.fromEntries(
    Object.entries(pending).map(([address, { stopped: _, ...intent }]) => [address, intent]),
  );
}

/** Returns the serials with a readable record, without duplicates. */
async function listRecordedSerials(store: Store): Promise<number[]> {
  const serials = new Set<number>();
  for await (const text of store.readHistory()) {
    const record = decodeRecord(text);
    if (!("unreadable" in record)) serials.add(record.serial);
  }
  return [...serials].sort((a, b) => a - b);
}

/** Simulates a power failure that keeps the length of the journal but zeroes this share of its unsynced bytes. */
async function losePower(synced: ReadonlyMap<string, number>, journal: string, share: number): Promise<void> {
  const bytes = await readFile(journal).catch(() => Buffer.alloc(0));
  const safe = synced.get(journal) ?? 0;
  if (bytes.length <= safe) return;
  await writeFile(journal, bytes.fill(0, safe, safe + Math.ceil((bytes.length - 1 - safe) * share)));
}

/**
 * Simulates a power failure that loses names created or renamed since the last sync of their folder. Removals persist.
 */
async function loseNames(names: Ended<unknown>["unsyncedNames"]): Promise<void> {
  for (const [name, before] of names) {
    await rm(name, { recursive: true, force: true });
    if (before && existsSync(dirname(name))) await writeFile(name, before);
  }
}

async function listCalls(): Promise<readonly SystemCall[]> {
  const file = join(await makeFolder(), ".avatarops/state.json");
  return (
    await watchCalls(
      () => run(file, []),
      () => "happens",
    )
  ).calls;
}

interface Stop {
  readonly how: string;
  readonly fate: Fate;
  /** Share of the unsynced bytes that is lost, or `names` if unsynced names are lost. */
  readonly lost?: number | "names";
}

const kills: readonly Stop[] = [
  { how: "killed", fate: "freezes" },
  { how: "killed half-way through a write", fate: "tears" },
  { how: "stopped by a power failure", fate: "freezes", lost: 1 },
  { how: "stopped by a power failure that keeps the last bytes", fate: "freezes", lost: 0.3 },
  { how: "stopped by a power failure that loses new file names", fate: "freezes", lost: "names" },
];
const refusals = ["ENOSPC", "EIO", "EROFS"].map((refuse): Stop => {
  return { how: `hit by ${refuse}`, fate: { refuse } };
});

for (const [at, { how, fate, lost }] of [...kills, ...refusals].entries())
  describe(`run that is ${how} at any system call`, () => {
    for (const { which, isAlways, steps } of splitIntoThirds(at))
      test(`loses no recorded step (${which})`, { tags: isAlways ? [] : "night" }, async () => {
        const total = (await listCalls()).length;
        expect(total).toBeGreaterThan(50);
        for (const at of steps(0, total - 1)) {
          const file = join(await makeFolder(), ".avatarops/state.json");
          const done: Step[] = [];
          const fateOf = ({ number }: SystemCall): Fate => (number === at ? fate : "happens");
          const { synced, unsyncedNames, result, calls } = await watchCalls(() => run(file, done), fateOf);
          if (result?.status === "rejected") {
            expect(result.reason, calls[at]?.name).toBeInstanceOf(StateError);
            expect(result.reason.message).toMatch(/^Cannot (read|write) .+: .+\. .+\.$/);
          }
          if (lost === "names") await loseNames(unsyncedNames);
          else if (lost)
            for (const beside of ["journal", "history"]) await losePower(synced, `${file}.${beside}`, lost);
          await expectNothingLost(file, done);
        }
      });
  });

test("keeps the records of a finished run after a power failure that loses new file names", async () => {
  const file = join(await makeFolder(), ".avatarops/state.json");
  const done: Step[] = [];
  const { unsyncedNames } = await watchCalls(
    () => run(file, done),
    () => "happens",
  );
  await loseNames(unsyncedNames);
  await expectNothingLost(file, done);
});

test("keeps the old state and the journal if the disk is full", async () => {
  const file = join(await makeFolder(), "state.json");
  await run(file, []);
  const before = await readFile(file, "utf8");
  const session = await openStore(file, createMachine(1)).lock(patience);
  session.completeIntent("context.z", createEntry("z"));
  const { result } = await watchCalls(
    () => session.commit(),
    ({ name }) => (name === "writeFile" ? { refuse: "ENOSPC" } : "happens"),
  );
  expect(result).toMatchObject({ status: "rejected", reason: { code: "disk-full", file } });
  expect(await readFile(file, "utf8")).toBe(before);
  expect((await readdir(join(file, ".."))).sort()).toEqual([
    "state.json",
    "state.json.history",
    "state.json.journal",
    "state.json.lock",
  ]);
  await session.release();
  expect(await openStore(file, createMachine(2)).read()).toMatchObject({
    interrupted: true,
    state: { objects: { "context.z": createEntry("z") } },
  });
});

test("rejects further intents after a failed journal write, but still commits", async () => {
  const file = join(await makeFolder(), "state.json");
  const session = await openStore(file, createMachine(1)).lock(patience);
  await session.begin(service);
  await session.recordIntent(createIntent("context.a"));
  await watchCalls(
    async () => {
      session.completeIntent("context.a", createEntry("a1"));
      await expect(session.flush()).rejects.toMatchObject({ code: "disk-full" });
    },
    ({ name }) => (name === "datasync" ? { refuse: "ENOSPC" } : "happens"),
  );
  await expect(session.recordIntent(createIntent("context.b"))).rejects.toMatchObject({ code: "disk-full" });
  const state = await session.commit();
  expect([state.objects, state.pending]).toEqual([{ "context.a": createEntry("a1") }, {}]);
  await session.recordIntent(createIntent("context.b"));
  expect(Object.keys(session.state?.pending ?? {})).toEqual(["context.b"]);
  await session.release();
});
