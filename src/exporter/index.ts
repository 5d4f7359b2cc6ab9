/** Sessions as metrics of Prometheus: counts that survive a restart. */

/** What was counted. */
export { addPoll, noCounts, type SessionCounts } from "./counts.js";
/** What one process leaves to the next. */
export { type ExporterMemory, memoryText, readMemory } from "./memory.js";
/** The metrics. */
export { openSessionMetrics, type SessionMetrics } from "./metrics.js";
