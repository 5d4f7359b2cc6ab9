/** Parts of a process that follows a branch: cycles, checkouts, metrics and log. */

/** Checkouts of the followed branch. */
export {
  type Checkout,
  type FollowedBranch,
  hasCredentials,
  makeWorkFolder,
  openCheckouts,
  withGitToken,
} from "./checkouts.js";
/** Cycle that plans the branch's head and applies changes. */
export { type CycleOptions, createCycle } from "./cycle.js";
/** Log lines for cycles. */
export { createCycleLog } from "./cycle-log.js";
export type { CycleOutcome, CycleResult } from "./cycle-result.js";
/** Log lines as JSON. */
export { type Log, type LogFacts, openLog } from "./log.js";
/** Metrics for Prometheus. */
export { type Metrics, openMetrics } from "./metrics.js";
