import { repeat, serveMonitoring } from "../../../base/serving/index.js";
import { restrictToReads, type Service, ServiceError } from "../../../core/api/index.js";
import { openAccount, restrictToSessionFilters, withService } from "../../../operations/index.js";
import { openSessionMetrics, type SessionMetrics } from "../../../sessions/metrics/index.js";
import { followSessions } from "../../../sessions/reports/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import type { sessionsServeCommand } from "../facts/sessions.js";

/** Serves until a signal ends the loop. A second signal ends the process. */
export const command: RunCommand<typeof sessionsServeCommand> = (call) =>
  call.runToEnd(async () => {
    const project = await openAccount(call);
    const { host, options } = call;
    const metrics = await openSessionMetrics({
      now: host.now,
      staleMs: Math.max(minStaleMs, 3 * options.interval),
      price: project.service.creditPrice,
      durationUnit: project.service.sessionDurationUnit,
      packages: { root: project.root, allowCode: call.allowCode },
    });
    const inner = { ...call, host: { ...host, onRequest: metrics.request } };
    await withService(inner, restrictToSessionFilters(project), (service) =>
      serve(call, restrictToReads(service), metrics),
    );
  });

/** Minimum time to show active sessions after the last successful poll. */
const minStaleMs = 60_000;
/** Maximum poll duration. Long enough for any number of sessions and a slow service. */
const maxPollMs = 30 * 60_000;

async function serve(
  { host, options, output, signal }: CommandCall<typeof sessionsServeCommand>,
  service: Service,
  metrics: SessionMetrics,
): Promise<void> {
  const follower = followSessions(service, host.now);
  let hasSucceeded = false;
  let isFailing = false;
  let beganMs: number | undefined;

  /** Polls once. Returns whether the poll failed. Throws only errors that another poll cannot fix. */
  async function poll(): Promise<boolean> {
    beganMs = host.now();
    try {
      metrics.succeeded(await follower.poll());
      if (isFailing) output.warn("The sessions can be read again.");
      [hasSucceeded, isFailing] = [true, false];
      return false;
    } catch (error) {
      if (signal.aborted) return true;
      // Before the first success, a rejected key is fatal. Later polls are retried, because the key may be restored.
      const isFatal = !hasSucceeded && ["unauthorized", "forbidden"].includes((error as ServiceError).code);
      if (!(error instanceof ServiceError) || isFatal) throw error;
      metrics.failed(error.code);
      if (!isFailing)
        output.warn(
          `The sessions could not be read at ${new Date(host.now()).toISOString()}. Retrying. ${error.message}`,
        );
      isFailing = true;
      return true;
    } finally {
      beganMs = undefined;
    }
  }

  const server = await serveMonitoring({
    ...{ listen: options.listen, metrics },
    isHealthy: () => beganMs === undefined || host.now() - beganMs < maxPollMs,
    isReady: () => hasSucceeded && !signal.aborted,
  });
  try {
    output.info("Serving /metrics for Prometheus. Press Ctrl-C to stop.");
    output.writeResult(server.url);
    await repeat({ intervalMs: options.interval, signal, sleep: host.pause ?? host.sleep, runCycle: poll });
  } finally {
    await server.close();
  }
}
