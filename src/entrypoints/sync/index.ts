/** What a process needs that follows a repository: cycles, checkouts, metrics, log. What a cycle does is an operation. */

/** The files of the followed branch. */
export {
  type Checkout,
  type FollowedBranch,
  hasCredentials,
  makeWorkFolder,
  openCheckouts,
  withGitToken,
} from "./checkouts.js";
/** One cycle, which plans a commit and applies what has moved. */
export { type CycleOptions, createCycle } from "./cycle.js";
/** What cycles found, as log lines. */
export { createCycleLog } from "./cycle-log.js";
/** What cycles found and did. */
export type { CycleOutcome, CycleResult } from "./cycle-result.js";
/** Log lines as JSON. */
export { type Log, type LogFacts, openLog } from "./log.js";
/** Metrics for Prometheus. */
export { type Metrics, openMetrics } from "./metrics.js";
