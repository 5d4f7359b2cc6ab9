/** Sessions as metrics of Prometheus: counts that survive a restart. */

export { checkpointText, type MetricsCheckpoint, readCheckpoint } from "./checkpoint.js";
export { addPoll, noCounts, type SessionCounts } from "./counts.js";
export { openSessionMetrics, type SessionMetrics } from "./metrics.js";
