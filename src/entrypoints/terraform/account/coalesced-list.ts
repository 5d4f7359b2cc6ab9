import type { ListedEntries, StopReading } from "../../../core/kinds/index.js";

/**
 * A list that replaces single reads when that saves requests, although the number of reads is unknown in advance (the
 * ski rental problem). Concurrent reads share a request in flight.
 *
 *     first read        single
 *     second            page 1 of the list, which also contains the number of pages P
 *     all others        from page 1, if the object is on it; otherwise single, until P requests were sent;
 *                       then the whole list is read, once
 *
 * Sends at most twice the optimal number of requests plus one (see "Design notes" in ARCHITECTURE.md).
 */
export interface CoalescedList {
  /**
   * Returns the part of the list that may contain an object, or undefined if a single read is cheaper. `contains`
   * checks whether a part contains the object. `only` means that the object cannot be read individually.
   */
  choosePart(contains: (part: ListedEntries) => boolean, only: boolean): Promise<ListedEntries | undefined>;
  /** Reads the whole list, once. */
  readWhole(): Promise<ListedEntries>;
}

/** Shares the requests that `read` sends for a list. */
export function coalesceReads(
  read: (options: { enough?: StopReading }) => Promise<ListedEntries>,
): CoalescedList {
  let singleReads = 0;
  let isFirstRequested = false;
  let isWholeRequested = false;
  const readFirst = readOnce(async () => {
    let first: ListedEntries | undefined;
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

  function readWhole(): Promise<ListedEntries> {
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

/** Reads on the first call and shares the result. After a failure, the next call reads again. */
function readOnce(read: () => Promise<ListedEntries>): () => Promise<ListedEntries> {
  let reading: Promise<ListedEntries> | undefined;
  return () => {
    reading ??= read().catch((error) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}
