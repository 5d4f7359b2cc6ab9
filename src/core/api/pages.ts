/**
 * Reads complete lists, and reports whether they are steady. Only a steady list proves that an object does not exist
 * (see "Design notes" in ARCHITECTURE.md).
 */
import * as z from "zod";
import { ServiceError } from "./errors.js";
import { createShapeError } from "./failure.js";
import { request, type SendRequest, type ServiceRequest } from "./request.js";
import { requestShape } from "./shape.js";

export interface FirstPage<T> {
  readonly entries: readonly T[];
  /** Total number of entries, or the number on this page if the service sends no usable count. */
  readonly count: number;
  /** Estimated total number of pages. */
  readonly pages: number;
  /** Whether this is the only page. */
  readonly complete: boolean;
}

export interface ListOptions<T> {
  /** Page size, 1 to 100 (§8), default 100. The service may return shorter pages. */
  readonly pageSize?: number | undefined;
  /** Called once, after the first of several pages. Stops the read if it returns true. */
  readonly enough?: ((first: FirstPage<T>) => boolean | Promise<boolean>) | undefined;
}

export interface PagedListing<T> {
  /** Unique entries, in the service's order. */
  readonly entries: readonly T[];
  readonly count: number;
  /** Whether all pages were read. False if `enough` stopped the read. */
  readonly complete: boolean;
  /** Number of pages read, including pages that were read again. */
  readonly pages: number;
  /** Reason why entries may be missing. Omitted if the list is steady. */
  readonly doubt?: ListDoubt;
}

/** Reason why a list is not steady. */
export type ListDoubt =
  /** The service's count exceeds the number of entries in all sweeps. */
  | { readonly reason: "count-too-large"; readonly count: number; readonly listed: number }
  /** The sweeps found different entries. */
  | { readonly reason: "changing" };

/** List page, as the service sent it (§2.2). */
export interface Page<T> {
  readonly entries: readonly T[];
  readonly count: number | undefined;
  /** Link to the next page: a URL, a marker, null or undefined. */
  readonly next: unknown;
}

type PageRequestOptions = Partial<Pick<ServiceRequest, "once" | "isBeyondDocument" | "isPublic">>;

/** One pass over the list. */
interface Sweep<T> {
  readonly entries: Map<string, T>;
  readonly pages: number;
  /** Length of the first page, which may be shorter than requested. */
  readonly pageLength: number;
  /** Whether the list was stable during the sweep, so no other sweep is needed. */
  readonly isSteady: boolean;
  /** Whether an entry appeared on two pages. */
  readonly hasRepeats: boolean;
  /** Counts reported by the pages. */
  readonly counts: ReadonlySet<number | undefined>;
}

const maxSweeps = 4;
/** Maximum number of pages, in case the list never ends. */
const maxPages = 5_000;
const maxPagesWithoutCount = 2_000;
/**
 * Number of pages to request at a time. Only guards against an absurd count, because the limiter sets the concurrency.
 */
const maxPagesPerWave = 16;

/** Reads a list (§2.2) completely, or until `enough` returns true. */
export async function readList<T extends { readonly id: string }>(
  send: SendRequest,
  template: string,
  entry: z.ZodType<T>,
  query: Record<string, string>,
  { pageSize = 100, enough }: ListOptions<T> = {},
  more: PageRequestOptions = {},
): Promise<PagedListing<T>> {
  const createEndlessError = (pages: number) =>
    createShapeError(
      request("GET", template, { query }),
      undefined,
      "data.results",
      `the list does not end (each of the first ${pages} pages had new entries)`,
    );
  /** Whether a sweep found more entries than the service counts. */
  let isCountTooSmall = false;
  const page = async (number: number, size: number): Promise<Page<T>> => {
    const pageQuery = { ...query, page: `${number}`, page_size: `${size}` };
    const read = await readPage(send, template, entry, pageQuery, more);
    return isCountTooSmall ? { ...read, count: undefined } : read;
  };

  const first = await page(1, pageSize);
  const known = estimateLength(first);
  if (!known.complete && (await enough?.(known))) {
    return { entries: [...mapById(first.entries).values()], count: known.count, complete: false, pages: 1 };
  }
  const union = new Map<string, T>();
  const counts = new Set<number | undefined>();
  let size = pageSize;
  let pages = 0;
  let before: Sweep<T> | undefined;
  for (let sweeps = 1; ; sweeps++) {
    const start = sweeps === 1 ? first : await page(1, size);
    const sweep: Sweep<T> = await readSweep(start, size, page, createEndlessError);
    const { entries } = sweep;
    pages += sweep.pages;
    const isConfirmed = before !== undefined && doSweepsAgree(before, sweep);
    if (sweep.isSteady || (isConfirmed && !isShort(sweep)))
      return { entries: [...entries.values()], count: entries.size, complete: true, pages };
    for (const [id, entry] of entries) union.set(id, entry);
    for (const count of sweep.counts) counts.add(count);
    isCountTooSmall ||= [...sweep.counts].every((count) => count !== undefined && count < entries.size);
    // Two sweeps agree on fewer entries than the count, so the count is wrong. Another sweep would not help.
    if (sweeps === maxSweeps || isConfirmed) {
      const listed = union.size;
      const [count = 0, another] = counts;
      const doubt: ListDoubt =
        another === undefined && count > listed
          ? { reason: "count-too-large", count, listed }
          : { reason: "changing" };
      return { entries: [...union.values()], count: listed, complete: true, pages, doubt };
    }
    before = sweep;
    size = reducePageSize(sweep.pageLength || size);
  }
}

/** Returns whether the service counts more entries than a sweep found. */
function isShort<T>({ counts, entries }: Sweep<T>): boolean {
  return [...counts].some((count = 0) => count > entries.size);
}

/** Returns whether two sweeps with different page sizes found the same entries. */
function doSweepsAgree<T>(before: Sweep<T>, sweep: Sweep<T>): boolean {
  return (
    !before.hasRepeats &&
    !sweep.hasRepeats &&
    isShort(before) === isShort(sweep) &&
    before.entries.size === sweep.entries.size &&
    [...before.entries.keys()].every((id) => sweep.entries.has(id))
  );
}

/** Reduces the page size to move the page boundaries (100 to 89, 20 to 17). */
function reducePageSize(size: number): number {
  return Math.max(1, Math.floor(size * 0.89));
}

async function readSweep<T extends { readonly id: string }>(
  first: Page<T>,
  size: number,
  page: (number: number, size: number) => Promise<Page<T>>,
  endless: (pages: number) => Error,
): Promise<Sweep<T>> {
  const entries = mapById(first.entries);
  const pageLength = first.entries.length;
  const hasTotalCount = isCountUsable(first);
  const counts = new Set([first.count]);
  const { count, pages: expected, complete } = estimateLength(first);
  let read = 1;
  let ended = complete;
  let hasRepeats = entries.size < pageLength;
  let last = first;
  // The list may grow during the read, and the count may be only the page length.
  const limit =
    hasTotalCount && count > pageLength ? Math.min(maxPages, 2 * expected + 100) : maxPagesWithoutCount;
  while (!ended) {
    if (read >= limit) throw endless(read);
    // Reads in parallel up to the count, and one by one beyond it.
    const reachable = Math.max(1, Math.min(maxPagesPerWave, hasTotalCount ? expected - read : 1));
    const wave = await Promise.all(
      Array.from({ length: reachable }, (_, index) => page(read + 1 + index, size)),
    );
    read += wave.length;
    for (const next of wave) {
      const { entries: found, count: pageCount } = next;
      const sizeBefore = entries.size;
      for (const entry of found) entries.set(entry.id, entry);
      const fresh = entries.size - sizeBefore;
      // A page past the end may omit the count.
      if (found.length > 0) counts.add(pageCount);
      if (fresh === 0) ended = true;
      // If the service honors the page size, a shorter page is the last one.
      if (!hasTotalCount && pageLength === size && found.length < pageLength) ended = true;
      // Some services repeat the last page past the end. Pages with a single entry can match by chance.
      if (fresh < found.length && (size === 1 || !isSamePage(last, next))) hasRepeats = true;
      last = next;
    }
    if (hasTotalCount && read >= expected && entries.size <= count && !last.next) ended = true;
  }
  const isSteady = hasTotalCount && counts.size === 1 && entries.size === count && !hasRepeats;
  return { entries, pages: read, pageLength, isSteady, hasRepeats, counts };
}

function estimateLength<T>(first: Page<T>): FirstPage<T> {
  const { entries, next } = first;
  if (!isCountUsable(first)) {
    const complete = entries.length === 0;
    return { entries, count: entries.length, pages: complete ? 1 : 2, complete };
  }
  const count = first.count ?? 0;
  // "Count of entries" (§2.2) may mean the page length, so a full page with a `next` is not assumed to be the last.
  const hidden = count === entries.length && next ? 1 : 0;
  const pages = Math.max(1, Math.ceil(count / Math.max(1, entries.length)) + hidden);
  return { entries, count, pages, complete: pages === 1 };
}

/** Returns whether the count is present and not smaller than the page. */
function isCountUsable<T>({ count, entries }: Page<T>): boolean {
  return count !== undefined && count >= entries.length && (count > 0 || entries.length === 0);
}

function mapById<T extends { readonly id: string }>(entries: readonly T[]): Map<string, T> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}

function isSamePage<T extends { readonly id: string }>(page: Page<T>, other: Page<T>): boolean {
  return (
    page.entries.length === other.entries.length &&
    page.entries.every(({ id }, at) => id === other.entries[at]?.id)
  );
}

/** Removes `count` from list responses. */
export function dropCounts(next: SendRequest): SendRequest {
  return async (request) => {
    const data = await next(request);
    const { results } = (data ?? {}) as { readonly results?: unknown };
    return Array.isArray(results) ? { ...(data as object), count: undefined } : data;
  };
}

/** Page shapes by entry shape. Cached, because building a shape takes longer than parsing a page. */
const pageShapes = new WeakMap<z.ZodType, PageShapes<unknown>>();

type PageShapes<T> = ReturnType<typeof createPageShapes<T>>;

function createPageShapes<T>(entry: z.ZodType<T>) {
  const other = z.object({
    count: z.number().nullish(),
    results: z.array(entry).nullish(),
    next: z.unknown().optional(),
  });
  // Data in another format must not look like an empty account, because all objects would be created again.
  const first = other.refine(({ count, results }) => results || count === 0, {
    path: ["results"],
    message: "expected a list",
  });
  return { first, other };
}

/** Reads one page. A page past the end is empty. */
export async function readPage<T>(
  send: SendRequest,
  template: string,
  entry: z.ZodType<T>,
  query: Record<string, string>,
  more: PageRequestOptions = {},
): Promise<Page<T>> {
  const shapes = pageShapes.get(entry) ?? createPageShapes(entry);
  pageShapes.set(entry, shapes);
  const shape = (query.page === "1" ? shapes.first : shapes.other) as PageShapes<T>["first"];
  try {
    const { count, results, next } = await requestShape(
      send,
      request("GET", template, { query, ...more }),
      shape,
    );
    return { entries: results ?? [], count: count ?? undefined, next };
  } catch (error) {
    // Some frameworks respond with 404 past the end. An HTML page from a proxy does not mean the end.
    const isNotFound = error instanceof ServiceError && error.code === "not-found" && !error.fromProxy;
    if (isNotFound && query.page !== "1") return { entries: [], count: undefined, next: undefined };
    throw error;
  }
}
