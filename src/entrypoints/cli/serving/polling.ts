import { type Service, ServiceError } from "../../../core/api/index.js";
import { StateError } from "../../../core/state/index.js";
import { addPoll, noCounts, type SessionMetrics } from "../../../sessions/metrics/index.js";
import { type DurationUnit, FollowError, followSessions } from "../../../sessions/reports/index.js";
import type { CheckpointFile } from "./checkpoint-file.js";

/** What polls need. */
export interface PollingOptions {
  readonly service: Service;
  readonly metrics: SessionMetrics;
  readonly checkpoint: CheckpointFile;
  readonly lookBackMs: number;
  readonly durationUnit: DurationUnit | undefined;
  readonly now: () => number;
  /** A poll that it ends has not failed. */
  readonly signal: AbortSignal;
  /** Called once when polls begin to fail, and once when they succeed again. */
  readonly onOutage: (error: Error | undefined) => void;
}

/** Polls the service; counts what has ended, keeps it, and only then shows it. */
export function openPolling(options: PollingOptions) {
  const { service, metrics, checkpoint, lookBackMs, durationUnit, now, signal, onOutage } = options;
  let counts = checkpoint.earlier?.counts ?? noCounts;
  let hasSucceeded = false;
  let isFailing = false;
  let beganMs: number | undefined;
  metrics.counted(counts);

  const follower = followSessions(service, {
    lookBackMs,
    checkpoint: checkpoint.earlier?.follower,
    now,
    // What was reported and what was counted of it are replaced at one moment: whenever this process ends, nothing is counted
    // twice. A scrape before that would see a counter that may go back.
    async keep(known, found) {
      const next = addPoll(counts, found, durationUnit);
      await checkpoint.save({ service: service.baseUrl, follower: known, counts: next });
      counts = next;
      metrics.counted(counts);
    },
  });

  return {
    /** One poll; true: it failed. Throws only what another poll cannot mend. */
    async poll(): Promise<boolean> {
      const begin = now();
      beganMs = begin;
      try {
        const { active, unknown } = await follower.poll();
        metrics.succeeded({ active, unknown, nowMs: now(), tookMs: now() - begin });
        if (isFailing) onOutage(undefined);
        [hasSucceeded, isFailing] = [true, false];
        return false;
      } catch (error) {
        if (signal.aborted) return true;
        if (!(error instanceof Error) || isFatal(error, !hasSucceeded)) throw error;
        metrics.failed("code" in error ? String(error.code) : "unexpected");
        if (!isFailing) onOutage(error);
        isFailing = true;
        return true;
      } finally {
        beganMs = undefined;
      }
    },
    /** How long the poll that is going on takes so far, ms; 0 if none is. */
    tookMs: () => (beganMs === undefined ? 0 : now() - beganMs),
    /** Whether the sessions have been read once. */
    hasSucceeded: () => hasSucceeded,
  };
}

/** Whether another poll would fail in the same way. A key that was good may be so again, when somebody notices. */
function isFatal(error: Error, isFirst: boolean): boolean {
  if (error instanceof ServiceError)
    return isFirst && (error.code === "unauthorized" || error.code === "forbidden");
  if (error instanceof StateError) return error.code === "lock-lost" || error.code === "conflict";
  return error instanceof FollowError || !("code" in error);
}
