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
 * Walks forward from the first page, which was already read, or backward from the last page. Walking backward requires
 * a total count (see {@link hasTotalCount}).
 */
export function walkPages(
  first: Page<unknown>,
  read: (page: number) => Promise<Page<unknown>>,
  direction: "forward" | "backward" = "forward",
) {
  const size = Math.max(1, first.entries.length);
  const counted = hasTotalCount(first);
  const step = direction === "forward" ? 1 : -1;
  const start = step === 1 ? 1 : Math.ceil((first.count ?? 0) / size);
  const isLast = (number: number, { entries, count = 0 }: Page<unknown>) => {
    if (step === -1) return number <= 1;
    if (entries.length === 0) return true;
    if (!counted) return entries.length < size;
    // A full page beyond the count means that the list is longer than reported.
    return number * size >= count && (entries.length < size || number * size === count);
  };
  let isUnstable = false;

  async function* pages(): AsyncGenerator<WalkedPage> {
    const requested = new Map<number, Promise<Page<unknown>>>();
    if (step === 1) requested.set(start, Promise.resolve(first));
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
        const last = Math.max(1, Math.ceil((count ?? 0) / size));
        number = Math.min(last, Math.max(1, number - step * Math.ceil(lost / size)));
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
