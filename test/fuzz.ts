import fc from "fast-check";

/**
 * Property tests try the same cases in every run, so that a red CI means a change and not luck. To look for new cases:
 * `FUZZ_SEED=$RANDOM FUZZ_RUNS=2000 npx vitest run`.
 */
const { FUZZ_SEED: seed = "20261121", FUZZ_RUNS: numRuns } = process.env;
fc.configureGlobal({ seed: Number(seed), ...(numRuns ? { numRuns: Number(numRuns) } : {}) });
