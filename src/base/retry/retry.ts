/**
 * Does something until it succeeds. After each failure `beforeNext` decides: it throws if there is no next attempt, and
 * otherwise waits. `attempts`: how many there were, 1 at first.
 */
export async function retry<Result>(
  work: () => Promise<Result>,
  beforeNext: (error: unknown, attempts: number) => Promise<void>,
): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await work();
    } catch (error) {
      await beforeNext(error, attempts);
    }
  }
}

/**
 * Returns a pause in ms, twice as long after each attempt. Random between half of it and the whole, so that clients that
 * saw the same failure do not come back at the same moment.
 */
export function backoffMs(
  firstMs: number,
  attempts: number,
  random: () => number,
  maxMs = Number.POSITIVE_INFINITY,
): number {
  return Math.min(maxMs, firstMs * 2 ** (attempts - 1)) * (0.5 + random() / 2);
}
