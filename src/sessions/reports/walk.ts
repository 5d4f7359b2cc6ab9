/**
 * Walks the pages of a session list in one direction without losing entries.
 *
 * When a list changes, its entries move across page boundaries (§2.2). Added sessions make some entries appear twice,
 * and the reader recognizes these by id. Removed sessions move unread entries to pages already read, so a forward walk
 * backtracks when the count decreases. A backward walk backtracks when the count increases. Without a reliable count,
 * the walk continues until a page is short.
 */
import type { Page } from "../../core/api/index.js";

/** A page of the walk. `repeated` means that it was already read before. */
export interface WalkedPage {
  readonly number: number;
  readonly entries: readonly unknown[];
  readonly count: number | undefined;
  readonly repeated: boolean;
}

export type PageWalk = ReturnType<typeof walkPages>;

/** Maximum number of pages to prefetch. The walk starts with fewer, because a reader may stop soon. */
const maxPrefetch = 4;
/** Maximum number of times to backtrack, because a list may keep losing entries. */
const maxBacktracks = 50;
/** Maximum number of pages, in case a list is endless: ten million sessions in pages of a hundred. */
const maxPages = 100_000;

export const pageSize = 100;

/** Returns whether the count covers the whole list instead of only the page (§2.2). */
export function hasTotalCount({ count, entries, next }: Page<unknown>): boolean {
  if (count === undefined || count < entries.length) return false;
  return count > entries.length || (entries.length < pageSize && !next);
}

/**
 * Reads the last page of a list with a total count (see {@link hasTotalCount}). Returns undefined if the count is too
 * small, because then the last page is unknown.
 */
export async function readLastPage(
  { count = 0, entries }: Page<unknown>,
  read: ReadPage,
): Promise<Page<unknown> | undefined> {
  const number = countPages(count, entries.length);
  const last = await read(number);
  if (!last.next) return last;
  const beyond = await read(number + 1);
  // If the list has grown since the first page, its count has grown too.
  const isBeyondCount = (beyond.count ?? 0) <= number * entries.length;
  return beyond.entries.length > 0 && isBeyondCount ? undefined : last;
}

type ReadPage = (page: number) => Promise<Page<unknown>>;

function countPages(count: number, size: number): number {
  return Math.ceil(count / Math.max(1, size));
}

/** Walks forward from the first page, or backward from `last` (see {@link readLastPage}). Both were already read. */
export function walkPages(first: Page<unknown>, read: ReadPage, last?: Page<unknown>) {
  const size = Math.max(1, first.entries.length);
  const counted = hasTotalCount(first);
  const step = last ? -1 : 1;
  const start = last ? countPages(first.count ?? 0, size) : 1;
  const isLast = (number: number, { entries, count = 0, next }: Page<unknown>) => {
    if (step === -1) return number <= 1;
    if (entries.length === 0) return true;
    if (!counted) return entries.length < size;
    // A full page beyond the count, or one that names a next page, means that the list is longer than reported.
    const isAtCount = number * size === count && !next;
    return number * size >= count && (entries.length < size || isAtCount);
  };
  let isUnstable = false;

  async function* pages(): AsyncGenerator<WalkedPage> {
    const requested = new Map([[start, Promise.resolve(last ?? first)]]);
    let ahead = 0;
    let backtracks = 0;
    let furthest = start - step;
    let before: number | undefined;
    for (let number = start, walked = 0; walked < maxPages; walked++) {
      for (let at = number; step * at <= step * (number + step * ahead); at += step) {
        const isBeyond = at < 1 || (counted && before !== undefined && (at - 1) * size >= before);
        if ((at !== number && isBeyond) || requested.has(at)) continue;
        const reading = read(at);
        // Prevents unhandled rejections of prefetched pages that are never awaited.
        reading.catch(() => {});
        requested.set(at, reading);
      }
      const page = await (requested.get(number) ?? read(number));
      requested.delete(number);
      // A page past the end may have no count or a different one.
      const count = page.entries.length === 0 && number > 1 ? before : (page.count ?? before);
      const lost = counted && before !== undefined && count !== undefined ? step * (before - count) : 0;
      before = count;
      if (lost > 0 && backtracks++ < maxBacktracks) {
        requested.clear();
        ahead = 0;
        const end = Math.max(1, countPages(count ?? 0, size));
        number = Math.min(end, Math.max(1, number - step * countPages(lost, size)));
        continue;
      }
      if (lost > 0) isUnstable = true;
      const repeated = step * number <= step * furthest;
      if (!repeated) furthest = number;
      yield { number, entries: page.entries, count, repeated };
      if (isLast(number, page)) return;
      number += step;
      if (counted) ahead = Math.min(maxPrefetch, Math.max(1, 2 * ahead));
    }
    isUnstable = true;
  }

  return {
    [Symbol.asyncIterator]: pages,
    /** Returns whether entries may be missing, because the list kept changing. */
    isUnstable: () => isUnstable,
  };
}
