import type { Service } from "../../core/api/index.js";
import { readSessions } from "./read.js";
import { createdMs, parseRow, type SessionRow } from "./row.js";
import { pageSize } from "./walk.js";

/** Who is in a session now. Sandbox sessions do not count: nobody but a developer is in one. */
export interface ActiveSessionCount {
  readonly count: number;
  /** Since the oldest of them was created, in ms, by the service's clock; absent if no time is known. */
  readonly oldestMs?: number;
}

/**
 * Reads the whole list of active sessions (§4.5). What does not say whether it is of the sandbox counts, and so does an
 * entry that cannot be read.
 *
 * @param now our clock, for a service that does not tell the time.
 */
export async function countActiveSessions(
  service: Pick<Service, "sessions" | "serverTime">,
  now: () => number,
): Promise<ActiveSessionCount> {
  const stream = readSessions(service, { type: "active" });
  let count = 0;
  let oldest = Number.POSITIVE_INFINITY;
  for await (const row of stream) {
    if (isOfSandbox(row)) continue;
    count++;
    oldest = Math.min(oldest, createdMs(row) || Number.POSITIVE_INFINITY);
  }
  count += stream.facts().unreadable;
  if (!Number.isFinite(oldest)) return { count };
  return { count, oldestMs: Math.max(0, (service.serverTime() ?? now()) - oldest) };
}

/** The same of the first page alone: one request, which is not repeated. `complete`: there is no other page. */
export async function countActiveOnFirstPage(
  service: Pick<Service, "sessions">,
): Promise<{ readonly count: number; readonly complete: boolean }> {
  const { entries, count } = await service.sessions.page("active", 1, pageSize, { once: true });
  const counted = entries.filter((entry) => !isOfSandbox(parseRow(entry)));
  const complete = count === undefined ? entries.length < pageSize : entries.length >= count;
  return { count: counted.length, complete };
}

function isOfSandbox(row: SessionRow | undefined): boolean {
  return row?.is_sandbox === true;
}
