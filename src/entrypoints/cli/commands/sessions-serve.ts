import { UsageError } from "../../../base/diagnostics/index.js";
import { sleep } from "../../../base/retry/index.js";
import {
  type Page,
  type RunningServer,
  repeat,
  startHttpServer,
  verdictPage,
} from "../../../base/serving/index.js";
import { readOnly, type Service } from "../../../core/api/index.js";
import { openAccount, type Project, usedAsFilters, withService } from "../../../operations/index.js";
import { openSessionMetrics, type SessionMetrics } from "../../../sessions/metrics/index.js";
import { FollowError } from "../../../sessions/reports/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import type { sessionsServeCommand } from "../facts/sessions.js";
import { type CheckpointFile, openCheckpointFile } from "../serving/checkpoint-file.js";
import { openPolling } from "../serving/polling.js";

type ServeCall = CommandCall<typeof sessionsServeCommand>;

/** Signals end the loop, and what is being written is finished; the second one ends the process. */
export const command: RunCommand<typeof sessionsServeCommand> = (call) =>
  call.finishing(async () => {
    const project = await openAccount(call);
    const { host } = call;
    const { interval: intervalMs } = call.options;
    const metrics = await openSessionMetrics({
      now: host.now,
      staleMs: Math.max(shortestStaleMs, 3 * intervalMs),
      price: project.service.creditPrice,
    });
    const inner = { ...call, host: { ...host, onRequest: metrics.request } };
    await withService(inner, usedAsFilters(project), async (service) => {
      const named = call.options.checkpoint;
      const checkpoint = await openCheckpointFile(call, project, service.baseUrl, named);
      try {
        await serve(call, project, readOnly(service), metrics, checkpoint);
      } finally {
        await checkpoint.release();
      }
    });
  });

/** How long active sessions are shown after the last successful poll, at least; ms. */
const shortestStaleMs = 60_000;
/** No poll takes longer than this, however many sessions there are and however slow the service; ms. */
const longestPollMs = 30 * 60_000;

async function serve(
  call: ServeCall,
  project: Project,
  service: Service,
  metrics: SessionMetrics,
  checkpoint: CheckpointFile,
): Promise<void> {
  const { host, output, signal } = call;
  const { interval: intervalMs, lookBack: lookBackMs } = call.options;
  const polling = openPolling({
    ...{ service, metrics, checkpoint, now: host.now, signal, lookBackMs },
    durationUnit: project.service.sessionDurationUnit,
    onOutage: (error) =>
      output.warn(
        error
          ? `The sessions cannot be read since ${new Date(host.now()).toISOString()}; trying again. ${error.message}`
          : "The sessions can be read again.",
      ),
  });
  const server = await listen(call, {
    "/healthz": verdictPage(() => polling.tookMs() < longestPollMs, "ok", "a poll does not end"),
    "/readyz": verdictPage(() => polling.hasSucceeded() && !signal.aborted, "ready", "not ready"),
    "/metrics": {
      respond: async () => ({ status: 200, text: await metrics.text(), contentType: metrics.contentType }),
    },
  });
  try {
    output.info("Serving /metrics for Prometheus. Press Ctrl-C to stop.");
    output.result(server.url);
    await repeat({
      ...{ intervalMs, signal, sleep: host.sleep ?? sleep, cycle: polling.poll },
    });
  } catch (error) {
    if (!(error instanceof FollowError)) throw error;
    throw new UsageError(
      "other-account",
      "The lists have none of the sessions in the checkpoint of an earlier run, so it is of another account: name another file with --checkpoint, or correct the key.",
    );
  } finally {
    await server.close();
  }
}

async function listen(call: ServeCall, pages: Readonly<Record<string, Page>>): Promise<RunningServer> {
  const { listen: host, port, allowHost } = call.options;
  const isOfThisMachine = host === "localhost" || /^127\.|^::1$/.test(host);
  // Elsewhere the server may have any name.
  const names = isOfThisMachine ? { names: allowHost } : {};
  return startHttpServer({ host, port, ...names, pages }).catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(
      "listen",
      `Cannot listen on ${host}, port ${port} (${code}): choose others with --listen and --port.`,
    );
  });
}
