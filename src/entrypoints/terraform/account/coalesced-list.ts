import type { ListResult, StopReading } from "../../../core/kinds/index.js";

/**
 * A list that replaces reads of single objects when that saves requests.
 *
 * Terraform requests one object at a time, in an unknown number. The service returns a hundred on one page of a list, which
 * is enough for every object that has not changed. This is the ski rental problem: keep paying for single reads, or buy the
 * whole list, without knowing how many reads follow.
 *
 *     first read        single
 *     second            page 1 of the list, which also contains the number of pages P
 *     all others        from page 1, if the object is on it; otherwise single, until P requests were sent;
 *                       then the whole list is read, once
 *
 * The number of requests is at most twice the optimum plus one. Let N be the number of objects to read, and m the number of
 * objects that a list cannot settle because they were changed or deleted. With N and m known, OPT = min(N, P + m). Let s be
 * the number of single reads before the whole list, and f the number of single reads of objects that the list did not
 * settle. Each read is of another object, so s + f ≤ N, and f ≤ m.
 *
 *   - N = 1 costs 1.
 *   - Only page 1 is read: s + 1 + f requests. That is ≤ N + 1 ≤ 2N. Because s + 1 ≤ P, it is also ≤ P + m.
 *   - The whole list is read when s + 1 = P: s + 1 + P + f ≤ 2P + m requests. The read that triggers it is not counted in s,
 *     so N ≥ s + 1 = P, and s + 1 + P + f ≤ 2N + 1.
 *
 * Repeated reads of a list that changes meanwhile (see `core/api`) are not counted here.
 *
 * Reads are concurrent. A request that is already in flight is shared.
 */
export interface CoalescedList {
  /**
   * Returns the part of the list that may contain an object, or undefined if a single read is cheaper. `contains`
   * checks whether a part contains the object. With `only`, the object cannot be read singly.
   */
  choosePart(contains: (part: ListResult) => boolean, only: boolean): Promise<ListResult | undefined>;
  /** Reads the whole list, once. */
  readWhole(): Promise<ListResult>;
}

/** Shares the requests that `read` sends for a list. */
export function coalesceReads(
  read: (options: { enough?: StopReading }) => Promise<ListResult>,
): CoalescedList {
  let singleReads = 0;
  let isFirstRequested = false;
  let isWholeRequested = false;
  const readFirst = readOnce(async () => {
    let first: ListResult | undefined;
    const whole = await read({
      enough(page) {
        first = page;
        return true;
      },
    });
    return first ?? whole;
  });
  const readAll = readOnce(async () => {
    // The first page may be the whole list.
    const part = isFirstRequested ? await readFirst() : undefined;
    return part?.complete ? part : read({});
  });

  function readWhole(): Promise<ListResult> {
    isWholeRequested = true;
    return readAll();
  }

  return {
    readWhole,
    async choosePart(contains, only) {
      if (only || isWholeRequested) return readWhole();
      if (singleReads === 0) {
        singleReads = 1;
        return undefined;
      }
      isFirstRequested = true;
      const part = await readFirst();
      if (part.complete || contains(part)) return part;
      if (isWholeRequested || singleReads + 1 >= part.pages) return readWhole();
      singleReads++;
      return undefined;
    },
  };
}

/** Reads at the first call and shares the result. After a failure, the next call reads again. */
function readOnce(read: () => Promise<ListResult>): () => Promise<ListResult> {
  let reading: Promise<ListResult> | undefined;
  return () => {
    reading ??= read().catch((error) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}
