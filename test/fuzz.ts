import fc from "fast-check";
import { scaleRuns } from "./real/long.js";

/**
 * Property tests use the same cases in every run, so CI never fails by chance. To search for new cases:
 * `FUZZ_SEED=$RANDOM FUZZ_RUNS=2000 npx vitest run`.
 */
const { FUZZ_SEED: seed = "20261121", FUZZ_RUNS: numRuns = scaleRuns(100) } = process.env;
fc.configureGlobal({ seed: Number(seed), numRuns: Number(numRuns) });
