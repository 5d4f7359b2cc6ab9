/**
 * Repeats an action until it succeeds. After each failure, `beforeNext` waits, or throws to stop. It receives the number of
 * attempts so far.
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
 * Returns a pause that doubles with each attempt. Random between half of it and all of it, so that clients that failed
 * together do not retry together.
 */
export function calculateBackoffMs(
  firstMs: number,
  attempts: number,
  random: () => number,
  maxMs = Number.POSITIVE_INFINITY,
): number {
  return Math.min(maxMs, firstMs * 2 ** (attempts - 1)) * (0.5 + random() / 2);
}
