/**
 * Repeats an action until it succeeds. After each failure, `beforeNext` receives the number of attempts so far, and
 * waits, or throws to stop.
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
 * Returns a pause that doubles with each attempt. A random factor between 0.5 and 1 keeps clients that failed together
 * from retrying together.
 */
export function calculateBackoffMs(
  firstMs: number,
  attempts: number,
  random: () => number,
  maxMs = Number.POSITIVE_INFINITY,
): number {
  return Math.min(maxMs, firstMs * 2 ** (attempts - 1)) * (0.5 + random() / 2);
}
