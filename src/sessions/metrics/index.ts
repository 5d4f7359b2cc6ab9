/** Sessions as Prometheus metrics. */

export { openSessionMetrics, type SessionMetrics } from "./metrics.js";
