/** Whether tests that take minutes run, as in `npm run test:real`. */
export const isLong = process.env.AVATAROPS_TEST_REAL === "1";

/** Number of random cases: all in a long run, otherwise a fifth. */
export function tries(count: number): number {
  return isLong ? count : Math.ceil(count / 5);
}

/** A third of the steps of a whole, such as the steps after which a process is killed. */
export interface Third {
  /** Part of a test title. */
  readonly which: string;
  /** Whether every run tries it. The others are for long runs. */
  readonly isAlways: boolean;
  /** Returns its numbers between `from` and `to`, or every sixth of them unless the run is long. */
  steps(from: number, to: number): number[];
}

/**
 * Splits a walk over all failures into thirds. Every run tries one step in eighteen. `chosen` selects the third from
 * 0 to 2: similar tests choose different ones, so that together they cover every kind of step.
 */
export function thirds(chosen: number): readonly Third[] {
  return [0, 1, 2].map((third) => ({
    which: `third ${third + 1} of 3`,
    isAlways: third === chosen % 3,
    steps: (from, to) =>
      Array.from({ length: to - from + 1 }, (_, at) => from + at)
        .filter((step) => step % 3 === third)
        .filter((_, at) => isLong || at % 6 === 0),
  }));
}
