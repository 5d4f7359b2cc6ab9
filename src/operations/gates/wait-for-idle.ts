import { UsageError } from "../../base/diagnostics/index.js";
import { type Service, ServiceError, type ServiceErrorCode } from "../../core/api/index.js";
import { assertNotStale, type Plan } from "../../core/engine/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { formatDuration } from "../../output/render/index.js";
import type { ActiveSessionCount } from "../../sessions/reports/index.js";
import { isInUse, readChosenWaitMs } from "../plan/active-sessions.js";
import type { Runtime } from "../runtime/runtime.js";

/*
 * A changed context affects running sessions at once, so apply can wait until none is active. Other kinds need no wait,
 * because only the names of avatars and voices are written, and a replaced secret stays in the account.
 *
 * The lock is kept during the wait, so that no other run makes the plan stale. The dashboard ignores the lock, so the
 * plan is made again after the wait and must be the same.
 */

/** Interval for polling the list of active sessions. */
const pollIntervalMs = 10_000;

/** Rejects `--timeout` without `--wait-for-idle`, because `--timeout` does not limit the whole apply. */
export function checkIdleOptions(runtime: Runtime, manifest: Pick<Manifest, "service">): void {
  if (runtime.options.timeout === undefined || readChosenWaitMs(runtime, manifest) !== undefined) return;
  throw new UsageError(
    "usage",
    "--timeout requires --wait-for-idle. Add --wait-for-idle, or remove --timeout.",
  );
}

/**
 * Waits until no session is active, if requested and if the plan changes objects that sessions use. Without `again`,
 * checks only once, because the next `sync` cycle retries anyway.
 *
 * @returns the plan to apply, recomputed with `again` after a wait.
 * @throws UsageError; StalePlanError if the account changed during the wait. Both are thrown before any write.
 */
export async function waitForIdle<Made extends { readonly plan: Plan }>(
  runtime: Runtime,
  manifest: Manifest,
  service: Service,
  made: Made,
  again?: () => Promise<Made>,
): Promise<Made> {
  const waitMs = isInUse(runtime, manifest, made.plan) ? readChosenWaitMs(runtime, manifest) : undefined;
  if (waitMs === undefined) return made;
  const untilIdle = createIdleWait(runtime, service, again ? waitMs : 0);
  try {
    // A cancelled pipeline must not leave its lock behind.
    return await runtime.runToEnd(async () => {
      for (let latest = made; ; ) {
        // Making a plan takes time, so the sessions are checked again.
        if (!(await untilIdle()) || !again) return latest;
        latest = await again();
        assertNotStale(made.plan, latest.plan);
      }
    });
  } catch (error) {
    if (runtime.signal.aborted) runtime.output.warn("Stopped waiting. Nothing was applied.");
    throw error;
  }
}

/** Number of active sessions, or why it is unknown. */
type IdleCheck = ActiveSessionCount | UnknownCount;

interface UnknownCount {
  readonly why: string;
  readonly cause?: ServiceError;
}

const incompleteList: UnknownCount = {
  why: "The list of active sessions may be incomplete, because it kept changing while it was read or its count is wrong (if always, set `service.ignore_list_counts: true`).",
};

/**
 * Returns a function that waits until no session is active, at most `waitMs` over all calls. It returns whether it had
 * to wait.
 */
function createIdleWait({ host, signal, output }: Runtime, service: Service, waitMs: number) {
  const beganMs = host.now();

  async function checkNow(): Promise<IdleCheck> {
    const { countActiveSessions } = await import("../../sessions/reports/index.js");
    try {
      const active = await countActiveSessions(service, host.now);
      return active.count === 0 && active.isIncomplete ? incompleteList : active;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === "cancelled") throw error;
      const unknown = { why: error.message, cause: error };
      if (waitMs > 0 && transientErrorCodes.has(error.code)) return unknown;
      throw createUnknownError(unknown);
    }
  }

  function reportWait(check: IdleCheck): void {
    const what =
      "why" in check ? `the number of active sessions is unknown. ${check.why}` : `${describeActive(check)}.`;
    output.info(
      `Waiting until no session is active, for up to ${formatDuration(waitMs, "milliseconds")}: ${what}`,
    );
  }

  function toTimeoutError(check: IdleCheck): Error {
    if ("why" in check) return createUnknownError(check);
    const after = waitMs > 0 ? ` after ${formatDuration(waitMs, "milliseconds")},` : "";
    const advice = waitMs > 0 ? "Retry later, wait longer with --timeout" : "Apply after the sessions end";
    return new UsageError(
      "sessions-active",
      `Nothing was applied:${after} ${describeActive(check)}, and contexts are not changed during sessions. ${advice}, or apply anyway with --no-wait-for-idle.`,
      { sessions: check.count },
    );
  }

  return async (): Promise<boolean> => {
    for (let waited = false; ; waited = true) {
      const check = await checkNow();
      if (isIdle(check)) {
        if (waited) output.info("No sessions are active anymore.");
        return waited;
      }
      const leftMs = beganMs + waitMs - host.now();
      if (leftMs <= 0) throw toTimeoutError(check);
      if (!waited) reportWait(check);
      await (host.pause ?? host.sleep)(Math.min(pollIntervalMs, leftMs), signal);
      signal.throwIfAborted();
    }
  };
}

function isIdle(check: IdleCheck): boolean {
  return !("why" in check) && check.count === 0;
}

/** Error codes worth a retry. */
export const transientErrorCodes = new Set<ServiceErrorCode>([
  "unreachable",
  "dns",
  "timeout",
  "no-response",
  "cut",
  "rate-limited",
  "unavailable",
]);

function createUnknownError({ why, cause }: UnknownCount): UsageError {
  return new UsageError(
    "sessions-unknown",
    `Nothing was applied, because it is unknown whether sessions are active. ${why} To apply anyway, use --no-wait-for-idle.`,
    { cause },
  );
}

/** Describes the active sessions, such as "3 sessions are active, the oldest for 12 min". */
function describeActive({ count, oldestMs }: ActiveSessionCount): string {
  const active = count === 1 ? "1 session is active" : `${count} sessions are active`;
  if (oldestMs === undefined) return active;
  return `${active}, ${count === 1 ? "" : "the oldest "}for ${formatDuration(oldestMs, "milliseconds")}`;
}
