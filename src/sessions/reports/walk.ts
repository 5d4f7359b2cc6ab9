/**
 * Walks the pages of a list of sessions in one direction, none of whose entries may be lost.
 *
 * Pages are addressed by number (§2.2), and a list that changes moves entries across page borders. What is
 * added before the place that has been reached moves entries on: they come twice, which the reader of the pages
 * sees by their ids. What is taken away there moves entries back, onto a page that was read already: they would
 * be lost. The count shows it: it is then smaller than that of the page before (walking backwards: larger), and
 * the walk goes back as many pages as that can be. Pages that are read ahead can be answered in another order than
 * that in which they were requested. The same comparison finds it.
 *
 * Without a count that can be relied on, pages are read one by one until one is short.
 */
import type { Page } from "../../core/api/index.js";

/** A page on its way; `repeated` if it is read again. */
export interface WalkedPage {
  readonly number: number;
  readonly entries: readonly unknown[];
  readonly count: number | undefined;
  readonly repeated: boolean;
}

/** Requests at most this many pages ahead, after a slow start: a reader may stop soon. */
const mostAhead = 4;
/** A list that takes away entries all the time would be read for ever. */
const mostReturns = 50;
/** Bounds a list whose pages have something new for ever: ten million sessions in pages of a hundred. */
const mostPages = 100_000;

export const pageSize = 100;

/** Whether the count is that of the list. That of one page can mean either (§2.2). */
export function isCounted({ count, entries, next }: Page<unknown>): boolean {
  if (count === undefined || count < entries.length) return false;
  return count > entries.length || (entries.length < pageSize && !next);
}

/**
 * Walks from the first page, which was read, to the last, or from the last one to the first. The latter only if the first
 * page {@link isCounted}.
 */
export function walkPages(
  first: Page<unknown>,
  read: (page: number) => Promise<Page<unknown>>,
  direction: "forward" | "backward" = "forward",
) {
  const size = Math.max(1, first.entries.length);
  const counted = isCounted(first);
  const step = direction === "forward" ? 1 : -1;
  const start = step === 1 ? 1 : Math.ceil((first.count ?? 0) / size);
  const isLast = (number: number, { entries, count = 0 }: Page<unknown>) => {
    if (step === -1) return number <= 1;
    if (entries.length === 0) return true;
    if (!counted) return entries.length < size;
    // A full page that the count does not explain: the list is longer than it says.
    return number * size >= count && (entries.length < size || number * size === count);
  };
  let isUnstable = false;

  async function* pages(): AsyncGenerator<WalkedPage> {
    const requested = new Map<number, Promise<Page<unknown>>>();
    if (step === 1) requested.set(start, Promise.resolve(first));
    let ahead = 0;
    let returns = 0;
    let furthest = start - step;
    let before: number | undefined;
    for (let number = start, walked = 0; walked < mostPages; walked++) {
      for (let at = number; step * at <= step * (number + step * ahead); at += step) {
        const isBeyond = at < 1 || (counted && before !== undefined && (at - 1) * size >= before);
        if ((at !== number && isBeyond) || requested.has(at)) continue;
        const reading = read(at);
        // A page that is read ahead may never be awaited; its failure is then nobody's.
        reading.catch(() => {});
        requested.set(at, reading);
      }
      const page = await (requested.get(number) ?? read(number));
      requested.delete(number);
      // A page past the end may have no count, or its own.
      const count = page.entries.length === 0 && number > 1 ? before : (page.count ?? before);
      const lost = counted && before !== undefined && count !== undefined ? step * (before - count) : 0;
      before = count;
      if (lost > 0 && returns++ < mostReturns) {
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
      if (counted) ahead = Math.min(mostAhead, Math.max(1, 2 * ahead));
    }
    isUnstable = true;
  }

  return {
    [Symbol.asyncIterator]: pages,
    /** The list did not keep still: entries may be missing. */
    isUnstable: () => isUnstable,
  };
}
