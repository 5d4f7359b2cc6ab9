/** Sessions as metrics of Prometheus: counts that survive a restart. */

/** What one process leaves to the next. */
export { checkpointText, type MetricsCheckpoint, readCheckpoint } from "./checkpoint.js";
/** What was counted. */
export { addPoll, noCounts, type SessionCounts } from "./counts.js";
/** The metrics. */
export { openSessionMetrics, type SessionMetrics } from "./metrics.js";
