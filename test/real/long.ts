/** Whether tests that take minutes are run: the run is one of `npm run test:real`. */
export const isLong = process.env.AVATAROPS_TEST_REAL === "1";

/** How many random cases a run tries: all that a test wants in a long one, otherwise a fifth. */
export function tries(count: number): number {
  return isLong ? count : Math.ceil(count / 5);
}

/** A third of the steps of a whole, such as those after which a process is killed. */
export interface Third {
  /** For the title of a test. */
  readonly which: string;
  /** Whether every run tries it; the others are for runs that are long. */
  readonly isAlways: boolean;
  /** Those of the numbers from `from` to `to` that belong to it; where the run is not long, every sixth of them. */
  steps(from: number, to: number): number[];
}

/**
 * The steps of a walk over all that may go wrong, of which every run tries one in eighteen. `chosen` says which, from 0 to 2: tests alike
 * choose different ones, so that together they meet every sort of step.
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
