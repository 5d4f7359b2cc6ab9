import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import { encodeState } from "../../src/core/state/encoding.js";
import { openStore, StateError, type StoreEnvironment } from "../../src/core/state/index.js";
import { openBackend } from "../../src/core/state/open-backend.js";
import type { HeldLock, StoreBackend, StoredTexts } from "../../src/core/state/store-backend.js";
import { findBuilt } from "../built.js";
import { isLong } from "../real/long.js";
import {
  createEntry,
  createIntent,
  createState,
  holder,
  listRecords,
  lock,
  patience,
  service,
} from "./building.js";
import type { Fault, FaultProxy } from "./fault-proxy.js";
import { checks, fenceCheck, raceCheck } from "./store-checks.js";

/** Empty location for one state in the tested store. */
export interface StoreFixture {
  /** `state:` value. Requests pass through `faults` if set. */
  readonly location: string;
  /** Same location without faults. */
  readonly direct: string;
  /** Project folder and environment variables with addresses and credentials. */
  readonly environment: Pick<StoreEnvironment, "root" | "environment">;
  /** Undefined for a store without requests. */
  readonly faults?: FaultProxy;
  /** Removes the lock as an administrator would, regardless of its owner. */
  removeLock(): Promise<void>;
  /** Overwrites the state without the lock, as no run would. Undefined if the store cannot detect that. */
  readonly overwriteState?: (text: string) => Promise<void>;
  /** Same location for a user without access. No message may contain `secret`. */
  readonly stranger?: {
    readonly location?: string;
    readonly environment: Pick<StoreEnvironment, "root" | "environment">;
    readonly secret: string;
  };
}

export interface Traits {
  /** The server checks a condition and writes in two steps, so two simultaneous requests may both succeed. */
  readonly losesRaces?: true;
  /** Faults to try at each request. Default: none. */
  readonly disturbances?: readonly Disturbance[];
  /**
   * Number of requests between two outages of four requests each, enough for a run to start. If omitted, the outage
   * test is skipped.
   */
  readonly passing?: number;
  /** A remote lock owner without a write in progress can be fenced off. */
  readonly fencesHolders?: true;
  /** A killed run's lock is released on any machine. */
  readonly freesKilledRuns?: true;
  /** A removed lock goes unnoticed until another run takes it. */
  readonly missesRemovedLock?: true;
}

/** Tests that every state store must pass, through the store interface and through the session above it. */
export function describeStore(
  name: string,
  newFixture: () => Promise<StoreFixture>,
  traits: Traits = {},
): void {
  describe(`state ${name}`, () => {
    for (const [what, check] of Object.entries(checks)) {
      const isLeftOut =
        (what === raceCheck && traits.losesRaces) || (what === fenceCheck && !traits.fencesHolders);
      test.skipIf(isLeftOut)(what, async () => {
        const fixture = await newFixture();
        await check(() => openAt(fixture));
      });
    }

    const race = test.skipIf(traits.losesRaces);
    race("keeps the entries of several waiting runs", async () => {
      const fixture = await newFixture();
      const names = ["a", "b", "c", "d"];
      const add = async (address: string) => {
        const session = await openStore(fixture.direct, createMachine(fixture)).lock({
          ...patience,
          timeoutMs: 60_000,
        });
        await session.begin(service);
        await session.recordIntent(createIntent(`context.${address}`));
        session.completeIntent(`context.${address}`, createEntry(address));
        await session.commit();
        await session.release();
      };
      await Promise.all(names.map(add));
      const snapshot = await openStore(fixture.direct, createMachine(fixture)).read();
      expect(snapshot).toMatchObject({ interrupted: false, state: { serial: 4 } });
      expect(Object.keys(snapshot?.state?.objects ?? {})).toEqual(
        names.map((address) => `context.${address}`),
      );
    });

    test.skipIf(traits.missesRemovedLock)("rejects writes of a run whose lock was removed", async () => {
      const fixture = await newFixture();
      const hold = await acquireLock(fixture);
      await hold.read();
      await fixture.removeLock();
      await expect(hold.append(formatJournal(0, "context.a"))).rejects.toMatchObject({ code: lostCode });
      await expect(hold.commit({ state: formatState(1) })).rejects.toMatchObject({ code: lostCode });
      await hold.release().catch(() => undefined);
      expect(await (await openAt(fixture)).read()).toMatchObject({ state: undefined });
    });

    test("does not overwrite a state written without the lock", async (context) => {
      const fixture = await newFixture();
      const hold = await acquireLock(fixture);
      await hold.commit({ state: formatState(1) });
      if (!fixture.overwriteState) return context.skip();
      const theirs = formatState(9, { lineage: "theirs" });
      await fixture.overwriteState(theirs);
      await expect(hold.commit({ state: formatState(2) })).rejects.toMatchObject({ code: "conflict" });
      await hold.release();
      expect((await (await openAt(fixture)).read()).state).toBe(theirs);
    });

    test("passes the results of an interrupted run to the next run", async () => {
      const fixture = await newFixture();
      const session = await openStore(fixture.direct, createMachine(fixture)).lock(patience);
      await session.begin(service);
      session.completeIntent("context.a", createEntry("a1"));
      await session.recordIntent(createIntent("secret.b"));
      await session.setFingerprintKey("key");
      expect(await openStore(fixture.direct, createMachine(fixture)).read()).toMatchObject({
        lockedBy: { pid: 7 },
      });
      // The last outcome is flushed when the lock is released.
      session.completeIntent("context.c", createEntry("c1"));
      await session.release();
      const known = {
        fingerprintKey: "key",
        objects: { "context.a": createEntry("a1"), "context.c": createEntry("c1") },
        pending: { "secret.b": createIntent("secret.b") },
      };
      const store = openStore(fixture.direct, createMachine(fixture));
      expect(await store.read()).toMatchObject({ interrupted: true, state: known });
      const next = await store.lock(patience);
      expect([next.interrupted, next.state]).toMatchObject([true, known]);
      await next.release();
      expect(await store.read()).toMatchObject({ interrupted: false, state: { serial: 1, ...known } });
    });

    test("keeps the intents of a killed run", async () => {
      const fixture = await newFixture();
      await runAndDie(fixture);
      const store = openStore(fixture.direct, createMachine(fixture));
      expect(await store.read()).toMatchObject({
        state: { pending: { "context.a": createIntent("context.a") } },
      });
      if (!traits.freesKilledRuns) {
        await expect(store.lock(patience)).rejects.toMatchObject({
          code: "locked",
          holder: { command: "the killed run" },
        });
        expect(await store.unlock()).toMatchObject({ command: "the killed run" });
      }
      const next = await store.lock(patience);
      expect(Object.keys(next.state?.pending ?? {})).toEqual(["context.a"]);
      await next.release();
    });

    test("rejects a user without access and keeps secrets out of the message", async (context) => {
      const fixture = await newFixture();
      const { stranger } = fixture;
      if (!stranger) return context.skip();
      const environment = { ...createMachine(fixture), ...stranger.environment };
      const store = openStore(stranger.location ?? fixture.direct, environment);
      for (const attempt of [() => store.read(), () => store.lock(patience)]) {
        const error = await attempt().then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error).toMatchObject({ name: "StateError", code: "refused" });
        expect(inspectError(error)).not.toContain(stranger.secret);
      }
    });

    test.skipIf(!traits.disturbances)(
      "reports the location and a hint if the server is unreachable",
      async () => {
        const fixture = await newFixture();
        fixture.faults?.disturb(() => "refused");
        const store = openStore(fixture.location, createMachine(fixture));
        for (const attempt of [() => store.read(), () => store.lock(patience)]) {
          const error = await attempt().then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          expect(error).toMatchObject({
            code: "unreachable",
            message: expect.stringMatching(/^Cannot .+: .+\. Check .+\./),
          });
        }
      },
    );

    for (const disturbance of traits.disturbances ?? []) {
      test(`neither loses nor duplicates records if one request ${disturbance}`, async () => {
        await tryAtRequests(newFixture, disturbance);
      }, 600_000);
    }

    const { passing = 0 } = traits;
    const outlasts = test.skipIf(passing === 0).each(isLong ? [0, 0.35, 0.7] : [0.35]);
    outlasts("survives repeated outages (starting at %f of a cycle)", async (from) => {
      const fixture = await newFixture();
      const every = passing + 4;
      fixture.faults?.disturb((request) =>
        (request + Math.round(from * every)) % every < 4 ? "refused" : undefined,
      );
      const run = await runSteps(fixture, 6_000);
      fixture.faults?.disturb(() => undefined);
      expect(run).toEqual({ done: steps.length, error: undefined });
      const store = await openAt(fixture);
      expect(await store.findLock(holder())).toBeUndefined();
      await expectToGoOn(store, await expectStored(store, steps.length, false));
    });
  });
}

/** Faults by request number, relative to one selected request. */
const disturbances = {
  "is refused": (request, at) => (request === at ? "refused" : undefined),
  "loses its response": (request, at) => (request === at ? "answer lost" : undefined),
  "gets a truncated response": (request, at) => (request === at ? "answer cut" : undefined),
  "gets a web page as its response": (request, at) => (request === at ? "web page" : undefined),
  // The store cannot distinguish the next two faults from a killed run.
  "and all later ones are refused": (request, at) => (request >= at ? "refused" : undefined),
  "is the last to arrive and loses its response": (request, at) =>
    request === at ? "answer lost" : request > at ? "refused" : undefined,
} satisfies Record<string, (request: number, at: number) => Fault | undefined>;

export type Disturbance = keyof typeof disturbances;

export const allDisturbances = Object.keys(disturbances) as Disturbance[];

/** A lost lock may also appear as a conflicting write. */
const lostCode = expect.stringMatching(/^(lock-lost|conflict)$/);

/** Strings stored after one step of a run. */
interface Version extends StoredTexts {
  readonly history: readonly string[];
}

interface Step {
  readonly take: (hold: HeldLock) => Promise<unknown>;
  readonly leaves: Version;
}

const first = formatJournal(0, "context.a");
const second = formatJournal(1, "context.b");
const more = '[{"settle":"context.a","entry":{"id":"a1","applied":{}}}]\n';
const afterFirst = formatState(1);

const steps: readonly Step[] = [
  { take: (hold) => hold.append(first), leaves: createVersion({ journal: first }) },
  { take: (hold) => hold.append(more), leaves: createVersion({ journal: first + more }) },
  {
    take: (hold) => hold.commit({ state: afterFirst, record: formatRecord("first") }),
    leaves: createVersion({ state: afterFirst, history: [formatRecord("first")] }),
  },
  {
    take: (hold) => hold.append(second),
    leaves: createVersion({ state: afterFirst, journal: second, history: [formatRecord("first")] }),
  },
];

/** Repeats the same run once for each of its requests, with the fault at that request. */
async function tryAtRequests(
  newFixture: () => Promise<StoreFixture>,
  disturbance: Disturbance,
): Promise<void> {
  const faultAt = disturbances[disturbance];
  let total = Number.POSITIVE_INFINITY;
  // Tries a ninth of the requests in a short run, starting at request 0, 1 or 2, depending on the disturbance.
  const first = isLong ? 0 : allDisturbances.indexOf(disturbance) % 3;
  for (let at = first; at < total; at += isLong ? 1 : 9) {
    const fixture = await newFixture();
    fixture.faults?.disturb((request) => faultAt(request, at));
    const { done, error } = await runSteps(fixture);
    const requests = fixture.faults?.requests ?? 0;
    fixture.faults?.disturb(() => undefined);
    if (error !== undefined) {
      expect(error, `request ${at}`).toBeInstanceOf(StateError);
      expect(error, `request ${at}`).toMatchObject({
        code: expect.stringMatching(/^(unreachable|refused)$/),
      });
    }
    const store = await openAt(fixture);
    const history = await expectStored(store, done, error !== undefined);
    await expectToGoOn(store, history);
    if (requests <= at) total = at;
  }
  expect(total).toBeGreaterThan(8);
}

/** Returns the number of acknowledged steps and the error that stopped the run. */
async function runSteps(fixture: StoreFixture, patienceMs = 100): Promise<{ done: number; error: unknown }> {
  let done = 0;
  let hold: HeldLock | undefined;
  try {
    const store = await openFor(fixture.location, { ...createMachine(fixture), patienceMs });
    hold = await lock(store);
    await hold.read();
    for (const { take } of steps) {
      await take(hold);
      done += 1;
    }
    await hold.release();
    return { done, error: undefined };
  } catch (error) {
    await hold?.release().catch(() => undefined);
    return { done, error };
  }
}

/** Asserts that the acknowledged steps are stored, with or without the step in progress. */
async function expectStored(store: StoreBackend, done: number, failed: boolean): Promise<readonly string[]> {
  const { state, journal } = await store.read();
  const found = { state, journal, history: await listRecords(store) };
  const left = [createVersion({}), createVersion({}), ...steps.map(({ leaves }) => leaves)].slice(done);
  const [older = createVersion({}), before = createVersion({}), next = before] = left;
  const isCommit = (one: Version, other: Version) => other.history.length > one.history.length;
  const possible = [before];
  // The journal of a commit may remain until the next append.
  if (isCommit(older, before)) possible.push({ ...before, journal: older.journal });
  if (failed) possible.push(next);
  // A commit may take several writes, in the order record, state, journal.
  if (failed && isCommit(before, next))
    possible.push({ ...before, history: next.history }, { ...next, journal: before.journal });
  expect(possible).toContainEqual(found);
  return found.history;
}

/** Asserts that a run on another machine can read and continue the state. */
async function expectToGoOn(store: StoreBackend, history: readonly string[]): Promise<void> {
  const found = await store.findLock(holder());
  if (found) await store.breakLock(found, holder());
  const hold = await lock(store);
  await hold.read();
  await hold.commit({ state: formatState(7), record: formatRecord("next") });
  await hold.release();
  expect(await store.read()).toEqual({ state: formatState(7), journal: undefined });
  expect(await listRecords(store)).toEqual([formatRecord("next"), ...history]);
}

function createVersion(texts: Partial<Version>): Version {
  return { state: undefined, journal: undefined, history: [], ...texts };
}

/** Creates a separate machine, whose processes other machines cannot see. */
function createMachine({ environment }: StoreFixture): StoreEnvironment {
  return {
    ...environment,
    allowCode: false,
    system: nodeSystem,
    pid: 7,
    host: `runner-${randomUUID().slice(0, 8)}`,
    isAlive: () => true,
    readStart: () => undefined,
    patienceMs: 100,
  };
}

function openAt(fixture: StoreFixture): Promise<StoreBackend> {
  return openFor(fixture.direct, createMachine(fixture));
}

/** Opens a store and closes it after the test. */
async function openFor(location: string, environment: StoreEnvironment): Promise<StoreBackend> {
  const store = await openBackend(location, environment);
  onTestFinished(() => store.close?.());
  return store;
}

async function acquireLock(fixture: StoreFixture): Promise<HeldLock> {
  const hold = await lock(await openAt(fixture));
  await hold.read();
  return hold;
}

function formatState(serial: number, more: Parameters<typeof createState>[0] = {}): string {
  return encodeState(createState({ serial, ...more }), undefined);
}

function formatJournal(serial: number, address: string): string {
  const header = {
    journal: 1,
    id: `journal-of-${address}`,
    lineage: "line",
    serial,
    service,
    requestTimeoutMs: 30_000,
  };
  return `${JSON.stringify(header)}\n${JSON.stringify([{ intend: createIntent(address) }])}\n`;
}

/** Builds a single-line record. */
function formatRecord(of: string): string {
  return JSON.stringify({ record: of });
}

function inspectError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [
    error.message,
    error.stack,
    JSON.stringify(error),
    error.cause ? inspectError(error.cause) : "",
  ].join("\n");
}

/** Starts a process on another machine that records an intent and is killed while it owns the lock. */
async function runAndDie({ direct, environment }: StoreFixture): Promise<void> {
  const program = `
    const { openStore } = await import(${JSON.stringify(findBuilt("core/state/index.js"))});
    const { nodeSystem } = await import(${JSON.stringify(findBuilt("base/system/index.js"))});
    const session = await openStore(${JSON.stringify(direct)}, {
      ...${JSON.stringify(environment)}, system: nodeSystem, pid: process.pid, host: "killed",
    }).lock({ command: "the killed run", timeoutMs: 0 });
    await session.begin(${JSON.stringify(service)});
    await session.recordIntent(${JSON.stringify(createIntent("context.a"))});
    process.kill(process.pid, "SIGKILL");`;
  const run = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    timeout: 300_000,
  });
  await expect(run).rejects.toMatchObject({ signal: "SIGKILL" });
}
