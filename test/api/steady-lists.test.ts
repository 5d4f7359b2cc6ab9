/** Checks when a list proves that an object does not exist, and how many reads the proof needs. */
import { expect, test } from "vitest";
import {
  createEntries,
  createEntry,
  type Query,
  readQuery,
  slice,
  startListService,
} from "./list-service.js";
import { createSuccess, startRawService } from "./raw-service.js";

test("flags a list as unreliable if its count is still too large after two sweeps", async () => {
  await using raw = await startListService((query) => ({
    ...slice(createEntries(1, 38), query, 20),
    count: 40,
  }));
  expect(await raw.service.contexts.list()).toEqual({
    entries: createEntries(1, 38),
    count: 38,
    complete: true,
    pages: 2 + 3,
    doubt: { reason: "count-too-large", count: 40, listed: 38 },
  });
  const sizes = raw.heard.map((heard) => readQuery(heard).pageSize);
  expect(sizes).toEqual([100, 100, 17, 17, 17]);
});

test("ignores list counts if configured to do so", async () => {
  const give = (query: Query) => ({ ...slice(createEntries(1, 38), query, 20), count: 40 });
  await using raw = await startRawService((heard) => createSuccess(give(readQuery(heard))), {
    ignoreListCounts: true,
  });
  expect(await raw.service.contexts.list()).toEqual({
    entries: createEntries(1, 38),
    count: 38,
    complete: true,
    pages: 3 + 3,
  });
});

/** Returns pages of a list sorted by a key that all entries share. The order then depends on the page bounds. */
function paginateUnstably(all: readonly { readonly id: string }[], query: Query, longest = 100) {
  const order = ({ id }: { readonly id: string }) => hash(`${query.page} ${query.pageSize} ${id}`);
  return slice(
    all.toSorted((a, b) => order(a) - order(b)),
    query,
    longest,
  );
}

function hash(text: string): number {
  return [...text].reduce((sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 0x01000193) >>> 0, 7);
}

test.each<[string, (query: Query) => object]>([
  ["returns a count", (query) => paginateUnstably(createEntries(1, 60), query, 20)],
  ["returns no count", (query) => ({ results: paginateUnstably(createEntries(1, 60), query, 20).results })],
  [
    "returns no count and ignores page_size",
    ({ page }) => ({ results: paginateUnstably(createEntries(1, 60), { page, pageSize: 20 }).results }),
  ],
])(
  "flags a list as unreliable even if every read finds the same wrong entries and the service %s",
  async (_name, give) => {
    await using raw = await startListService(give);
    const listing = await raw.service.contexts.list();
    expect(listing).toMatchObject({ complete: true, count: listing.entries.length });
    expect(listing.doubt).toBeDefined();
    // Each sweep requests page 1 once, so there were four sweeps.
    expect(raw.heard.filter((heard) => readQuery(heard).page === 1)).toHaveLength(4);
  },
);

test("flags a list as unreliable if its order changes with each response", async () => {
  let responses = 0;
  await using raw = await startListService((query) => {
    responses += 1;
    const order = ({ id }: { readonly id: string }) => hash(`${responses} ${id}`);
    return slice(
      createEntries(1, 300).toSorted((a, b) => order(a) - order(b)),
      query,
    );
  });
  const { doubt } = await raw.service.contexts.list();
  expect(doubt).toMatchObject({ reason: "count-too-large", count: 300 });
});

test("accepts a list that becomes stable on the third attempt", async () => {
  let newest = 40;
  await using raw = await startListService((query) => {
    newest = Math.min(50, newest + 2);
    return slice(createEntries(1, newest).toReversed(), query, 20);
  });
  const listing = await raw.service.contexts.list();
  expect(listing).toMatchObject({ count: 50, complete: true });
  expect(listing.doubt).toBeUndefined();
  expect(raw.heard.filter((heard) => readQuery(heard).page === 1)).toHaveLength(3);
});

/** Starts a service that returns these entries, by sweep and page. Later sweeps are empty. */
function startScriptedService(...sweeps: readonly (readonly number[][])[]) {
  let sweep = -1;
  return startListService(({ page }) => {
    if (page === 1) sweep += 1;
    const results = sweeps[sweep]?.[page - 1]?.map(createEntry) ?? [];
    return { results };
  });
}

test.each<[string, number[][][], number]>([
  [
    "both sweeps are equal",
    [
      [[1], [2]],
      [[1], [2]],
    ],
    2,
  ],
  [
    "one of two sweeps has an entry twice",
    [
      [[1], [2]],
      [[1], [2], [1]],
      [[1], [2]],
      [[1], [2]],
    ],
    4,
  ],
  ["the list has one page", [[[1, 2]], [[1, 2]]], 2],
  ["one page lacks an entry", [[[1]], [[1, 2]], [[1, 2]]], 3],
  ["one page has an entry twice", [[[1, 1]], [[1]], [[1]]], 3],
  [
    "the first sweep is longer",
    [
      [[1], [2], [3]],
      [[1], [2]],
      [[1], [2]],
    ],
    3,
  ],
])("rereads a list without counts until consecutive sweeps match: %s", async (_name, sweeps, needed) => {
  await using raw = await startScriptedService(...sweeps);
  expect((await raw.service.contexts.list()).doubt).toBeUndefined();
  expect(raw.heard.filter((heard) => readQuery(heard).page === 1)).toHaveLength(needed);
});

test("flags a list as unreliable if two one-entry pages contain the same entry", async () => {
  const pages = [[2], [3], [4], [4]];
  await using raw = await startScriptedService([[2, 3], [4, 2], [5]], pages, pages, pages);
  expect(await raw.service.contexts.list()).toMatchObject({ count: 4, doubt: { reason: "changing" } });
});

test("flags an incomplete list as unreliable even if its count is too low and matches the entries found", async () => {
  // The order changes with each response, so one sweep shows 1 twice and omits 3.
  const pages = [[1, 2], [1]];
  await using raw = await startListService(({ page }) => ({
    ...{ results: (pages[page - 1] ?? []).map(createEntry), count: 2 },
    next: page === 1 ? "more" : null,
  }));
  expect((await raw.service.contexts.list()).doubt).toEqual({ reason: "changing" });
});

test("rereads a list if its count is too large in one sweep and too small in the next", async () => {
  const counts = [40, 40, 37];
  await using raw = await startListService((query) => ({
    ...slice(createEntries(1, 38), query, 20),
    count: counts.shift() ?? 37,
  }));
  expect((await raw.service.contexts.list()).doubt).toBeUndefined();
  expect(raw.heard.filter((heard) => readQuery(heard).page === 1)).toHaveLength(3);
});

test("returns all entries of a list that is longer than its count", async () => {
  // The second sweep has pages of 17 entries, so two full pages add up to the count of 34.
  await using raw = await startListService((query) => ({
    ...slice(createEntries(1, 35), query, 20),
    count: 34,
  }));
  expect(await raw.service.contexts.list()).toMatchObject({ entries: createEntries(1, 35), complete: true });
});

test("reads the next page if the service announces one, even if the list count is reached", async () => {
  await using raw = await startListService((query) => ({
    ...{ ...slice(createEntries(1, 41), query, 20), count: 40 },
    next: query.page < 3 ? "more" : null,
  }));
  expect(await raw.service.contexts.list()).toMatchObject({ entries: createEntries(1, 41), complete: true });
});

test("reports a changing list if the count differs between pages", async () => {
  await using raw = await startListService((query) => ({
    ...slice(createEntries(1, 38), query, 20),
    count: 60 + query.page,
  }));
  expect((await raw.service.contexts.list()).doubt).toEqual({ reason: "changing" });
});

test("flags a list as unreliable if its count is too small on one page and too large on another", async () => {
  await using raw = await startListService((query) => ({
    ...slice(createEntries(1, 38), query, 20),
    count: query.page === 1 ? 25 : 60,
  }));
  expect((await raw.service.contexts.list()).doubt).toEqual({ reason: "changing" });
});

test("marks an empty list as complete even if the client ignores list counts", async () => {
  await using raw = await startRawService([createSuccess({ count: 0, results: null })], {
    ignoreListCounts: true,
  });
  expect(await raw.service.contexts.list()).toMatchObject({ entries: [], complete: true });
});

test("flags a list without counts as unreliable if every page number returns the first page", async () => {
  await using raw = await startListService(({ pageSize }) => ({
    results: slice(createEntries(1, 300), { page: 1, pageSize }).results,
  }));
  expect((await raw.service.contexts.list()).doubt).toEqual({ reason: "changing" });
});

test("flags a list as unreliable if it never stabilizes, and returns all entries found", async () => {
  let newest = 40;
  await using raw = await startListService((query) => slice(createEntries(1, newest++).reverse(), query, 20));
  const { entries: seen, ...listing } = await raw.service.contexts.list();
  expect(listing).toMatchObject({ complete: true, doubt: { reason: "changing" }, count: seen.length });
  expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
  for (const one of createEntries(1, 40)) expect(seen).toContainEqual(one);
});
