/**
 * Reads complete lists.
 *
 * Pages are addressed by number: `next` may be a URL, a marker, null or absent (§2.2), and only numbers allow reading
 * pages in parallel. Numbered pages can fail in four ways. Pages can be shorter than requested: the length of page one
 * is the true page size. `count` can be missing or too small: then pages are read until one is short or has nothing
 * new. The service can repeat one page for ever: a page with nothing new ends the list, whatever the count says. And
 * the list can change between two pages, so that entries move across page borders and appear twice or never: a sweep is
 * reliable only if every page had the same count and exactly that many different entries came; otherwise it is
 * repeated. A list that goes far beyond the length announced by its first page is endless, and an error.
 */
import * as z from "zod";
import { ServiceError } from "./errors.js";
import { misshapen } from "./failure.js";
import { request, type Send, type ServiceRequest } from "./request.js";
import { ask } from "./shape.js";

/** What is known after the first page. */
export interface FirstPage<T> {
  readonly entries: readonly T[];
  /** Number of entries in the whole list according to the service; otherwise, of this page. */
  readonly count: number;
  /** Number of pages in the whole list. */
  readonly pages: number;
  /** This page is the whole list. */
  readonly complete: boolean;
}

export interface ListOptions<T> {
  /** 1 to 100 (§8); the service may return shorter pages. Default 100. */
  readonly pageSize?: number | undefined;
  /** Called once, after the first of several pages: true stops there. Reading waits for a promise. */
  readonly enough?: ((first: FirstPage<T>) => boolean | Promise<boolean>) | undefined;
}

/** A list as read. */
export interface Listing<T> {
  /** Without duplicates, in the service's order. */
  readonly entries: readonly T[];
  readonly count: number;
  /** False if `enough` stopped before the end. */
  readonly complete: boolean;
  /** Pages read, including repetitions. */
  readonly pages: number;
  /** The list kept changing, or its count is wrong: entries that came or went meanwhile may be missing. */
  readonly unstable?: true;
}

/** One page of a list, as answered (§2.2). */
export interface Page<T> {
  readonly entries: readonly T[];
  readonly count: number | undefined;
  /** A URL, a marker, null or absent. */
  readonly next: unknown;
}

/** What is special about the requests for the pages of a list. */
type RequestFacts = Partial<Pick<ServiceRequest, "once" | "isBeyondDocument" | "isPublic">>;

/** One pass over the list; `steady` if it is reliable. */
interface Sweep<T> {
  readonly entries: Map<string, T>;
  readonly pages: number;
  readonly steady: boolean;
}

const maxSweeps = 3;
/** Limits a list whose pages have something new for ever. */
const mostPages = 5_000;
/** The same for a list without a count. */
const mostUntold = 2_000;
/** Pages requested at a time. The limiter decides how many run at once; this bounds an absurd count. */
const waveLength = 16;

/** Reads a list operation (§2.2) completely, or as far as `enough` wants. */
export async function readList<T extends { readonly id: string }>(
  send: Send,
  template: string,
  entry: z.ZodType<T>,
  query: Record<string, string>,
  { pageSize = 100, enough }: ListOptions<T> = {},
  more: RequestFacts = {},
): Promise<Listing<T>> {
  const endless = (pages: number) =>
    misshapen(
      request("GET", template, { query }),
      undefined,
      "data.results",
      `the list is endless: each of its first ${pages} pages had something new`,
    );
  const page = (number: number) =>
    readPage(send, template, entry, { ...query, page: `${number}`, page_size: `${pageSize}` }, more);

  const first = await page(1);
  const known = outline(first);
  if (!known.complete && (await enough?.(known))) {
    return { entries: [...byId(first.entries).values()], count: known.count, complete: false, pages: 1 };
  }
  const union = new Map<string, T>();
  let pages = 0;
  let before: Sweep<T> | undefined;
  for (let sweeps = 1; ; sweeps++) {
    const sweep: Sweep<T> = await sweepFrom(sweeps === 1 ? first : await page(1), page, endless);
    pages += sweep.pages;
    if (sweep.steady)
      return { entries: [...sweep.entries.values()], count: sweep.entries.size, complete: true, pages };
    for (const [id, entry] of sweep.entries) union.set(id, entry);
    // Twice the same entries: the list is stable and its count is wrong. Reading again would not help.
    if (sweeps === maxSweeps || (before && sameIds(before, sweep))) {
      return { entries: [...union.values()], count: union.size, complete: true, pages, unstable: true };
    }
    before = sweep;
  }
}

async function sweepFrom<T extends { readonly id: string }>(
  first: Page<T>,
  page: (number: number) => Promise<Page<T>>,
  endless: (pages: number) => Error,
): Promise<Sweep<T>> {
  const entries = byId(first.entries);
  const isCountKnown = isTold(first);
  const counts = new Set([first.count]);
  const { count, pages: expected, complete } = outline(first);
  let read = 1;
  let ended = complete;
  // It may grow while it is read, and its count may be that of a page.
  const most =
    isCountKnown && count > first.entries.length ? Math.min(mostPages, 2 * expected + 100) : mostUntold;
  while (!ended) {
    if (read >= most) throw endless(read);
    // In parallel up to the count, one by one beyond it.
    const reachable = Math.max(1, Math.min(waveLength, isCountKnown ? expected - read : 1));
    const wave = await Promise.all(Array.from({ length: reachable }, (_, index) => page(read + 1 + index)));
    read += wave.length;
    for (const { entries: found, count: said } of wave) {
      const sizeBefore = entries.size;
      for (const entry of found) entries.set(entry.id, entry);
      // A page past the end may omit the count.
      if (found.length > 0) counts.add(said);
      if (entries.size === sizeBefore) ended = true;
      if (!isCountKnown && found.length < first.entries.length) ended = true;
    }
    if (isCountKnown && read >= expected && entries.size <= count) ended = true;
  }
  const steady = counts.size === 1 && (!isCountKnown || entries.size === count);
  return { entries, pages: read, steady };
}

/** The length of the list according to its first page. */
function outline<T>(first: Page<T>): FirstPage<T> {
  const { entries, next } = first;
  if (!isTold(first)) {
    const complete = entries.length === 0;
    return { entries, count: entries.length, pages: complete ? 1 : 2, complete };
  }
  const count = first.count ?? 0;
  // "Count of entries" (§2.2) could mean those of the page: a full page with a `next` gets a second check.
  const hidden = count === entries.length && next ? 1 : 0;
  const pages = Math.max(1, Math.ceil(count / Math.max(1, entries.length)) + hidden);
  return { entries, count, pages, complete: pages === 1 };
}

/** A count that is missing, or smaller than its page, has no meaning. */
function isTold<T>({ count, entries }: Page<T>): boolean {
  return count !== undefined && count >= entries.length && (count > 0 || entries.length === 0);
}

function byId<T extends { readonly id: string }>(entries: readonly T[]): Map<string, T> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}

function sameIds<T>(first: Sweep<T>, other: Sweep<T>): boolean {
  return (
    first.entries.size === other.entries.size &&
    [...first.entries.keys()].every((id) => other.entries.has(id))
  );
}

/** Reads one page; one past the end is empty. */
export async function readPage<T>(
  send: Send,
  template: string,
  entry: z.ZodType<T>,
  query: Record<string, string>,
  more: RequestFacts = {},
): Promise<Page<T>> {
  const shape = z
    .object({
      count: z.number().nullish(),
      results: z.array(entry).nullish(),
      next: z.unknown().optional(),
    })
    // A response in another format must not look like an empty account: everything would be created again.
    .refine(({ count, results }) => results || count === 0 || query.page !== "1", {
      path: ["results"],
      message: "expected a list",
    });
  try {
    const { count, results, next } = await ask(send, request("GET", template, { query, ...more }), shape);
    return { entries: results ?? [], count: count ?? undefined, next };
  } catch (error) {
    // Some frameworks respond with 404 for a page past the end.
    const pastEnd = error instanceof ServiceError && error.code === "not-found" && query.page !== "1";
    if (pastEnd) return { entries: [], count: undefined, next: undefined };
    throw error;
  }
}
