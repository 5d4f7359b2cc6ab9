/** Whether tests that take minutes run, as in `npm run test:real`. */
export const isLong = process.env.AVATAROPS_TEST_REAL === "1";

/** Returns the number of random cases to run: all in a long run, otherwise a fifth. */
export function scaleRuns(count: number): number {
  return isLong ? count : Math.ceil(count / 5);
}

/** One third of the numbered steps that a test repeats, such as the points at which it kills a process. */
export interface Third {
  /** Name of this third in test titles. */
  readonly which: string;
  /** Whether every run tests this third. Long runs test all thirds. */
  readonly isAlways: boolean;
  /** Returns the step numbers of this third between `from` and `to`. A short run gets every sixth number. */
  steps(from: number, to: number): number[];
}

/**
 * Splits the steps of a test into thirds. A short run tests every sixth step of one third, `chosen` (0 to 2). Similar
 * tests use different thirds, so together they cover every kind of step.
 */
export function splitIntoThirds(chosen: number): readonly Third[] {
  return [0, 1, 2].map((third) => ({
    which: `third ${third + 1} of 3`,
    isAlways: third === chosen % 3,
    steps: (from, to) =>
      Array.from({ length: to - from + 1 }, (_, at) => from + at)
        .filter((step) => step % 3 === third)
        .filter((_, at) => isLong || at % 6 === 0),
  }));
}
