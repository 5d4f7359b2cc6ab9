import type { ListResult, StopReading } from "../../../core/kinds/index.js";

/**
 * Fewer requests than one for each object.
 *
 * Terraform asks for one object at a time and does not say how many there will be. The service returns a hundred on
 * one page of a list, which settles every object that has not moved. So it is the question of the ski rental: to go on
 * reading singly, or to buy the whole list, without knowing how long one skis.
 *
 *     first reading     singly
 *     second            page 1 of the list, which also says how many pages P there are
 *     any further       from page 1, if it is on it; else singly, until the requests made so far are P;
 *                       then the whole list is read, and never again
 *
 * It is never more than twice the optimum, and one request. Let N objects be read, m of which the list cannot answer, since
 * they moved after the state saw them, or are gone. Who knows all of this beforehand needs OPT = min(N, P + m). Of our
 * requests, let s be the single readings before the list was whole, and f those made after the list could not answer:
 * s + f ≤ N, since each is of another object, and f ≤ m.
 *
 *   - N = 1 costs 1.
 *   - Only page 1 is read: s + 1 + f requests. That is ≤ N + 1 ≤ 2N; and s + 1 ≤ P, so that it is ≤ P + m.
 *   - The list is read after page 1, as soon as s + 1 = P: s + 1 + P + f ≤ 2P + m. The reading that asks for it is none of
 *     the s, so that N ≥ s + 1 = P, and s + 1 + P + f ≤ 2N + 1.
 *
 * A list that changes while it is read is read again (see the api's pages); that is not counted here.
 *
 * Readings come side by side. What is asked for already is waited for and never asked for twice.
 */
export interface CoalescedList {
  /**
   * What to look an object up in: as much of the list as it is worth reading now. Undefined: read it singly. `isIn` says
   * whether a part of the list holds it; `only`: it can be seen only in the list.
   */
  consult(isIn: (part: ListResult) => boolean, only: boolean): Promise<ListResult | undefined>;
  /** The whole list, read once. */
  whole(): Promise<ListResult>;
}

/** A list as read by `read`, for many to look into. */
export function coalesceReads(
  read: (options: { enough?: StopReading }) => Promise<ListResult>,
): CoalescedList {
  let singles = 0;
  let isFirstAsked = false;
  let isWholeAsked = false;
  const readFirst = askOnce(async () => {
    let first: ListResult | undefined;
    const all = await read({
      enough(page) {
        first = page;
        return true;
      },
    });
    return first ?? all;
  });
  const readAll = askOnce(async () => {
    // The first page may be all.
    const part = isFirstAsked ? await readFirst() : undefined;
    return part?.complete ? part : read({});
  });

  function whole(): Promise<ListResult> {
    isWholeAsked = true;
    return readAll();
  }

  return {
    whole,
    async consult(isIn, only) {
      if (only || isWholeAsked) return whole();
      if (singles === 0) {
        singles = 1;
        return undefined;
      }
      isFirstAsked = true;
      const part = await readFirst();
      if (part.complete || isIn(part)) return part;
      if (isWholeAsked || singles + 1 >= part.pages) return whole();
      singles++;
      return undefined;
    },
  };
}

/** Asks when it is first called; what failed is tried again by the next call. */
function askOnce(ask: () => Promise<ListResult>): () => Promise<ListResult> {
  let asked: Promise<ListResult> | undefined;
  return () => {
    asked ??= ask().catch((error) => {
      asked = undefined;
      throw error;
    });
    return asked;
  };
}
