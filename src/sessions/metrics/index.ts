/** Sessions as metrics of Prometheus. */

export { openSessionMetrics, type SessionMetrics } from "./metrics.js";
