import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { nodeSystem } from "../../../src/base/system/index.js";
import { openService } from "../../../src/core/api/index.js";
import { findKind, type ListedEntries } from "../../../src/core/kinds/index.js";
import { generateDataset } from "../../../src/emulator/index.js";
import { coalesceReads } from "../../../src/entrypoints/terraform/account/coalesced-list.js";
import { startEmulator } from "../../documented-emulator.js";
import { scaleRuns } from "../../real/long.js";

const context = findKind("context");

/** Starts an account with this number of contexts, and a client that reads them over HTTP. */
async function startAccount(contexts: number) {
  const emulator = await startEmulator({ world: generateDataset({ contexts }) });
  const service = openService({ baseUrl: emulator.url, apiKey: "test-key", system: nodeSystem });
  onTestFinished(() => Promise.all([service.close(), emulator.close()]).then(() => {}));
  const ids = emulator.world.contexts.map(({ id }) => id);
  return { emulator, service, ids };
}

type Account = Awaited<ReturnType<typeof startAccount>>;

/**
 * Reads unchanged contexts from the list and others individually, like the provider. Returns the number of
 * requests.
 */
async function countRequests(
  { service, emulator }: Account,
  pageSize: number,
  waves: Reading[][],
): Promise<number> {
  const list = coalesceReads(({ enough }) => service.contexts.list({ pageSize, enough }));
  emulator.requests.length = 0;
  for (const wave of waves) {
    await Promise.all(
      wave.map(async ({ id, isMoved }) => {
        const part = await list.choosePart((listing) => listIds(listing).includes(id), false);
        if (isMoved || !part || !listIds(part).includes(id)) await service.contexts.read(id);
      }),
    );
  }
  return emulator.requests.length;
}

interface Reading {
  readonly id: string;
  readonly isMoved: boolean;
}

const listIds = (listing: ListedEntries) =>
  listing.entries.map((entry) => context?.list?.toListed(entry)?.id);

test("reads objects with at most twice the minimum number of requests, plus one", async () => {
  const there = await startAccount(60);
  const reading = fc.record({ at: fc.nat(59), isMoved: fc.boolean() });
  const arrivals = fc.record({
    pageSize: fc.integer({ min: 1, max: 70 }),
    readings: fc.uniqueArray(reading, { selector: ({ at }) => at, minLength: 1, maxLength: 60 }),
    // Number of simultaneous reads, as with -parallelism.
    width: fc.constantFrom(1, 2, 10),
    moves: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(arrivals, async ({ pageSize, readings, width, moves }) => {
      const all = readings.map(({ at, isMoved }) => ({ id: there.ids[at] ?? "", isMoved: moves && isMoved }));
      const waves = Array.from({ length: Math.ceil(all.length / width) }, (_, i) =>
        all.slice(i * width, (i + 1) * width),
      );
      const moved = all.filter(({ isMoved }) => isMoved).length;
      const optimum = Math.min(all.length, Math.ceil(60 / pageSize) + moved);
      expect(await countRequests(there, pageSize, waves)).toBeLessThanOrEqual(2 * optimum + 1);
    }),
    { numRuns: scaleRuns(150) },
  );
});

test.each([
  { contexts: 100, requests: 2 },
  { contexts: 200, requests: 4 },
  { contexts: 1000, requests: 20 },
])("reads $contexts unchanged objects with $requests requests", async ({ contexts, requests }) => {
  const there = await startAccount(contexts);
  const readings = there.ids.map((id) => ({ id, isMoved: false })).reverse();
  expect(await countRequests(there, 100, [readings])).toBe(requests);
});

test("requests a list of contexts again after a failed request", async () => {
  const { service, emulator, ids } = await startAccount(3);
  const list = coalesceReads(({ enough }) => service.contexts.list({ enough }));
  const isIn = (listing: ListedEntries) => listIds(listing).includes(ids[2]);
  await list.choosePart(isIn, false);
  emulator.addFault("GET /v1/contexts 403");
  await expect(list.choosePart(isIn, false)).rejects.toThrow("403");
  expect((await list.choosePart(isIn, false))?.count).toBe(3);
});

test("reads a list that fits on one page only once", async () => {
  const { service, emulator, ids } = await startAccount(30);
  const list = coalesceReads(({ enough }) => service.contexts.list({ enough }));
  const isIn = (listing: ListedEntries) => listIds(listing).includes(ids[2]);
  await list.choosePart(isIn, false);
  emulator.requests.length = 0;
  const [part, whole] = await Promise.all([list.choosePart(isIn, false), list.readWhole()]);
  expect([part?.count, whole.count, emulator.requests.length]).toEqual([30, 30, 1]);
});

test("reads a whole list only once if several reads need all of it", async () => {
  const { service, emulator } = await startAccount(30);
  const list = coalesceReads(({ enough }) => service.contexts.list({ pageSize: 10, enough }));
  emulator.requests.length = 0;
  const [listing] = await Promise.all([
    list.choosePart(() => false, true),
    list.readWhole(),
    list.readWhole(),
  ]);
  expect([listing?.complete, emulator.requests.length]).toEqual([true, 3]);
});
