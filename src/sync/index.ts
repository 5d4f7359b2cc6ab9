/** What a process needs that follows a repository: cycles, checkouts, webhook, metrics, log. Applies nothing itself. */

export { type RunningServer, WakeSignal } from "../serving/index.js";
/** The files of the followed branch. */
export {
  type Checkout,
  Checkouts,
  type FollowedBranch,
  hasCredentials,
  makeWorkFolder,
  withGitToken,
} from "./checkouts.js";
/** Log lines as JSON. */
export { type Log, type LogFacts, openLog, withoutLongQuotes } from "./log.js";
/** The cycles, one after the other. */
export { type LoopOptions, repeatCycles } from "./loop.js";
/** Metrics for Prometheus. */
export { type Metrics, openMetrics } from "./metrics.js";
/** How a cycle ended. */
export type {
  ChangedObject,
  CycleOutcome,
  CycleProblem,
  CycleReport,
} from "./report.js";
/** Health, readiness, metrics and webhook over HTTP. */
export { type ServerOptions, startServer } from "./server.js";
export type { WebhookResult } from "./webhook.js";
