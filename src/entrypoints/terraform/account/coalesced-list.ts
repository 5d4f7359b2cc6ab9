import type { ListResult, StopReading } from "../../../core/kinds/index.js";

/**
 * Fewer requests than one for each object.
 *
 * Terraform asks for one object at a time and does not say how many there will be. The service returns a hundred on
 * one page of a list, which settles every object that has not moved. So it is the question of the ski rental: to go on
 * reading singly, or to buy the whole list, without knowing how long one skis.
 *
 *     first reading     singly
 *     second            page 1 of the list, which also says how many pages P there are; the sweep is held there
 *     any further       from page 1, if it is on it; else singly, until the requests made so far are P;
 *                       then the sweep goes on from where it was held: P - 1 pages more, and never again
 *
 * It is never more than twice the optimum. Let N objects be read, m of which the list cannot answer, since they moved
 * after the state saw them, or are gone. Who knows all of this beforehand needs OPT = min(N, P + m). Of our requests,
 * let s be the single readings before the list was whole, and f those made after the list could not answer: s + f ≤ N,
 * since each is of another object, and f ≤ m.
 *
 *   - N = 1 costs 1.
 *   - The sweep stays held: s + 1 + f requests. That is ≤ N + 1 ≤ 2N; and s + 1 ≤ P, so that it is ≤ P + m.
 *   - The sweep goes on, and P pages are read. That happens as soon as s + 1 ≥ P, so that s = P - 1, or s = 1 where
 *     P = 1: s ≤ P. So s + P + f ≤ 2P + m ≤ 2 (P + m). The reading that let it go on is none of the s, so that
 *     N ≥ s + 1 ≥ P. So P + (s + f) ≤ N + N.
 *
 * Page 1 is counted once, since the sweep is held and not begun again. A list that changes while it is read is read again
 * (see the api's pages); that is not counted here.
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
  read: (options: { enough: StopReading }) => Promise<ListResult>,
): CoalescedList {
  let singles = 0;
  let sweep: Sweep | undefined;

  function begin(): Sweep {
    const begun = beginSweep(read);
    // What failed is tried again by the next one that asks.
    begun.whole.catch(() => {
      if (sweep === begun) sweep = undefined;
    });
    return begun;
  }

  return {
    async consult(isIn, only) {
      if (!only && singles === 0 && !sweep) {
        singles++;
        return undefined;
      }
      sweep ??= begin();
      const current = sweep;
      const part = await current.held;
      if (part.complete || isIn(part)) return part;
      if (!only && !current.isGoingOn && singles + 1 < part.pages) {
        singles++;
        return undefined;
      }
      current.goOn();
      return current.whole;
    },
    whole() {
      sweep ??= begin();
      sweep.goOn();
      return sweep.whole;
    },
  };
}

type Sweep = ReturnType<typeof beginSweep>;

function beginSweep(read: (options: { enough: StopReading }) => Promise<ListResult>) {
  let isGoingOn = false;
  let release = () => {};
  const decided = new Promise<boolean>((resolve) => {
    release = () => resolve(false);
  });
  let whole: Promise<ListResult> | undefined;
  const held = new Promise<ListResult>((resolve, reject) => {
    whole = read({
      enough(first) {
        resolve(first);
        return decided;
      },
    });
    whole.then(resolve, reject);
  });
  held.catch(() => {});
  return {
    /** The first page; the whole list where that is all. */
    held,
    whole: whole ?? held,
    get isGoingOn() {
      return isGoingOn;
    },
    goOn() {
      isGoingOn = true;
      release();
    },
  };
}
