import fc from "fast-check";
import { expect, test } from "vitest";
import { isLong, scaleRuns } from "../real/long.js";
import {
  createEntries,
  createEntry,
  type Query,
  readQuery,
  slice,
  startListService,
} from "./list-service.js";
import {
  catchFailure,
  createSuccess,
  type ReceivedRequest,
  type Reply,
  startRawService,
} from "./raw-service.js";

test("reads a list of 100 entries with one request", async () => {
  await using raw = await startListService((query) => slice(createEntries(1, 100), query));
  expect(await raw.service.contexts.list()).toEqual({
    entries: createEntries(1, 100),
    count: 100,
    complete: true,
    pages: 1,
  });
  expect(raw.heard.map(({ url }) => url)).toEqual(["/v1/contexts?page=1&page_size=100"]);
});

test("marks an empty list from the service as complete", async () => {
  await using raw = await startListService((query) => slice([], query));
  expect(await raw.service.avatars.list()).toEqual({ entries: [], count: 0, complete: true, pages: 1 });
});

test("requests a session list with its type and filters as query parameters", async () => {
  await using raw = await startListService((query) => slice([], query));
  await raw.service.sessions.readPage("historic", 1, 5);
  await raw.service.sessions.readPage("active", 2, 100, { filter: { context_id: "c&1" } });
  expect(raw.heard.map(({ url }) => url)).toEqual([
    "/v1/sessions?type=historic&page=1&page_size=5",
    "/v1/sessions?type=active&context_id=c%261&page=2&page_size=100",
  ]);
});

test("requests the remaining list pages concurrently", async () => {
  let together = 0;
  let most = 0;
  const give: (heard: ReceivedRequest) => Reply = (heard) => (response) => {
    most = Math.max(most, ++together);
    setTimeout(() => {
      together--;
      response.end(JSON.stringify(createSuccess(slice(createEntries(1, 1000), readQuery(heard))).body));
    }, 200);
  };
  await using raw = await startRawService(give, { concurrency: 4 });
  expect(await raw.service.contexts.list()).toEqual({
    entries: createEntries(1, 1000),
    count: 1000,
    complete: true,
    pages: 10,
  });
  expect(most).toBe(4);
});

test("stops after the first page of a list if the caller needs no more", async () => {
  await using raw = await startListService((query) => slice(createEntries(1, 250), query));
  const asked: object[] = [];
  const listing = await raw.service.contexts.list({
    enough: (first) => {
      asked.push({ ...first, entries: first.entries.length });
      return true;
    },
  });
  expect(asked).toEqual([{ entries: 100, count: 250, pages: 3, complete: false }]);
  expect(listing).toEqual({ entries: createEntries(1, 100), count: 250, complete: false, pages: 1 });
  expect((await raw.service.contexts.list({ enough: () => false })).entries.length).toBe(250);
});

test("marks a one-page list as complete even if the caller stops early", async () => {
  await using raw = await startListService((query) => slice(createEntries(1, 3), query));
  expect((await raw.service.contexts.list({ enough: () => true })).complete).toBe(true);
});

// Responses for a list with 45 entries, and the number of pages read.
test.each<[string, (query: Query) => object, number]>([
  ["pages are shorter than requested", (query) => slice(createEntries(1, 45), query, 20), 3],
  // Without a usable count, a second sweep with another page size must find the same entries.
  ["count is missing", (query) => ({ results: slice(createEntries(1, 45), query, 20).results }), 4 + 3],
  ["count is null", (query) => ({ ...slice(createEntries(1, 45), query, 20), count: null }), 4 + 3],
  ["count is 0", (query) => ({ ...slice(createEntries(1, 45), query, 20), count: 0 }), 4 + 3],
  ["count is too small", (query) => ({ ...slice(createEntries(1, 45), query, 20), count: 44 }), 4 + 3],
  [
    "count is the page's length",
    (query) => {
      const page = slice(createEntries(1, 45), query, 20);
      return { ...page, count: page.results.length, next: "more" };
    },
    4 + 3,
  ],
  [
    "count is only on the first page",
    (query) => ({ ...slice(createEntries(1, 45), query, 20), ...(query.page > 1 && { count: null }) }),
    3 + 3,
  ],
  [
    "count is missing and the last page is full",
    (query) => ({ results: slice(createEntries(1, 45), query, 15).results }),
    4 + 4,
  ],
  [
    "count is missing and page_size is ignored",
    ({ page }) => ({ results: slice(createEntries(1, 45), { page, pageSize: 20 }).results }),
    4 + 4,
  ],
  [
    "count is missing and the last page repeats past the end",
    (query) => ({
      results: slice(createEntries(1, 45), { ...query, page: Math.min(query.page, 3) }, 20).results,
    }),
    4 + 3,
  ],
  [
    "count is missing and the only page announces a next page",
    (query) => ({ results: slice(createEntries(1, 45), query).results, next: "more" }),
    2 + 2,
  ],
  [
    "count is missing and one page has all entries",
    (query) => ({ results: slice(createEntries(1, 45), query).results }),
    4,
  ],
  [
    "the last page is past the end",
    (query) => ({ ...slice(createEntries(1, 45), query, 45), next: "more" }),
    2,
  ],
])("reads a whole list if %s", async (_name, give, pages) => {
  await using raw = await startListService(give);
  expect(await raw.service.contexts.list()).toEqual({
    entries: createEntries(1, 45),
    count: 45,
    complete: true,
    pages,
  });
});

test.each([404, 410])("treats status %d for a page past the end as the end of the list", async (status) => {
  await using raw = await startRawService((heard) => {
    const page = slice(createEntries(1, 40), readQuery(heard), 20);
    return page.results.length === 0
      ? { status, body: { detail: "Invalid page." } }
      : createSuccess({ results: page.results });
  });
  expect(await raw.service.contexts.list()).toEqual({
    entries: createEntries(1, 40),
    count: 40,
    complete: true,
    pages: 3 + 3,
  });
});

test("fails if a proxy returns its own 404 page in the middle of a list", async () => {
  const body = "<html><body>Not Found</body></html>";
  await using raw = await startRawService((heard) => {
    const { page } = readQuery(heard);
    const { results } = slice(createEntries(1, 60), readQuery(heard), 20);
    return page === 3
      ? { status: 404, headers: { "content-type": "text/html" }, body }
      : createSuccess({ results });
  });
  expect((await catchFailure(raw.service.contexts.list())).code).toBe("not-found");
});

test("fails to read a list if the request for its first page returns a 404", async () => {
  await using raw = await startRawService([{ status: 404, body: { detail: "Not Found" } }]);
  expect((await catchFailure(raw.service.contexts.list())).code).toBe("not-found");
});

test.each([
  ["no list", { ids: [] }],
  ["a count without its entries", { count: 5, results: null }],
])("fails if the first page of a list contains %s", async (_name, data) => {
  await using raw = await startListService(() => data);
  const failure = await catchFailure(raw.service.contexts.list());
  expect(failure).toMatchObject({
    code: "wrong-shape",
    message: expect.stringContaining(" at data.results:"),
  });
});

test("reads all list pages if the service returns the page length as the count", async () => {
  await using raw = await startListService((query) => {
    const page = slice(createEntries(1, 45), query, 20);
    return { ...page, count: page.results.length, next: query.page < 3 ? "more" : null };
  });
  const listing = await raw.service.contexts.list();
  expect(listing.entries).toEqual(createEntries(1, 45));
});

test.each([
  ["given", 5000],
  ["missing", undefined],
  ["absurd", 1e15],
])("stops reading a list if the service repeats one page forever (count: %s)", async (_name, count) => {
  await using raw = await startListService(() => ({ count, results: createEntries(1, 20), next: "more" }));
  expect((await raw.service.contexts.list()).entries).toEqual(createEntries(1, 20));
  expect(raw.heard.length).toBeLessThan(50);
});

test("rereads a list if an entry is created during the read", async () => {
  let all = createEntries(1, 40);
  await using raw = await startListService((query) => {
    const page = slice(all, query, 20);
    if (query.page === 1) all = [createEntry(0), ...createEntries(1, 40)];
    return page;
  });
  expect(await raw.service.contexts.list()).toEqual({
    entries: createEntries(0, 40),
    count: 41,
    complete: true,
    pages: 5,
  });
});

test("neither loses nor duplicates existing entries if a list changes during the read", {
  tags: "night",
}, async () => {
  const edit = fc.constantFrom("add", "remove", "touch", "nothing");
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 1, max: 7 }),
      fc.array(edit, { maxLength: 12 }),
      async (size, pageLength, edits) => {
        // The first entries exist from the start and may be deleted.
        let all = [...createEntries(2000, 2005), ...createEntries(1, size)];
        const waiting = [...edits];
        await using raw = await startListService((query) => {
          const page = slice(all, query, pageLength);
          const next = waiting.shift();
          if (next === "add") all = [createEntry(1000 + waiting.length), ...all];
          if (next === "remove" && Number(all[0]?.id.slice(2)) >= 1000) all = all.slice(1);
          const last = all.at(-1);
          if (next === "touch" && last) all = [last, ...all.slice(0, -1)];
          return page;
        });
        const listing = await raw.service.contexts.list();
        const ids = listing.entries.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        if (!listing.doubt)
          expect(ids).toEqual(expect.arrayContaining(createEntries(1, size).map(({ id }) => id)));
      },
    ),
    { numRuns: scaleRuns(60) },
  );
});

const endless = [
  ["has a count of 1", 1, 2000],
  ["has no count", undefined, 2000],
  ["has an absurd count", 1e12, 5016],
] as const;
test.each(isLong ? endless : endless.slice(1, 2))(
  "gives up on an endless list that %s",
  async (_, count, most) => {
    await using raw = await startListService(({ page }) => ({
      count,
      results: [createEntry(page)],
      next: "more",
    }));
    const error = await catchFailure(raw.service.contexts.list());
    expect(error).toMatchObject({
      code: "wrong-shape",
      message: expect.stringContaining(" at data.results:"),
    });
    expect(error.message).toMatch(
      /^GET \/v1\/contexts: the response differs from the documentation at data\.results: the list does not end \(each of the first \d+ pages had new entries\)\./,
    );
    expect(raw.heard.length).toBeLessThanOrEqual(most);
  },
);
