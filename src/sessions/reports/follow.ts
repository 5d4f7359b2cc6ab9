/**
 * Follows an account's active sessions, and the sessions that ended since the last poll.
 *
 * Each poll reads the active list first, so that a session that ends between the two reads is in both lists instead of
 * in neither. Ended sessions that were never seen active are new if they were created after the watermark, which trails
 * the newest session to allow for late listing. The watermark uses the service's times and only advances, so clock
 * differences do not matter.
 */
import type { Service } from "../../core/api/index.js";
import { readSessions, sumUnknown } from "./read.js";
import { getCreatedMs, type SessionRow } from "./row.js";

export interface SessionPoll {
  /** Time of the poll by the service's clock, in ms. */
  readonly at: number;
  readonly active: readonly SessionRow[];
  /** Sessions that ended since the last successful poll, newest first. Empty in the first poll. */
  readonly ended: readonly SessionRow[];
  /**
   * Number of sessions given up in this poll, because they left the active list over a day ago and were never listed as
   * ended.
   */
  readonly lost: number;
  /** Number of malformed entries, by problem. */
  readonly unknown: Readonly<Record<string, number>>;
}

/** Maximum delay between the creation of a session and its first appearance in a list. */
const maxListingDelayMs = 15 * 60_000;

/** Time after which a session that is in neither list is given up as lost. */
const lostAfterMs = 24 * 3_600_000;

/** How far the response clock may be ahead of the sessions' creation times in the first poll. */
const maxClockSkewMs = 24 * 3_600_000;

/**
 * Data kept between polls. Its size depends only on the sessions of the look-back period. Maps are keyed by id, and
 * times are in ms.
 */
interface KnownSessions {
  /** Sessions created earlier are reported only if they were seen active. */
  readonly watermark: number;
  /** Active sessions, and sessions that left the active list but are not listed as ended yet. */
  readonly followed: ReadonlyMap<string, FollowedSession>;
  /** Sessions already reported, or ended before the first poll. Kept while they could be mistaken for new sessions. */
  readonly ended: ReadonlyMap<string, EndedSession>;
}

interface FollowedSession {
  /** Creation time, or 0 if unknown. */
  readonly created: number;
  /** Set once the session has left the active list: time of the first poll without it, and the number of such polls. */
  readonly missing?: { readonly since: number; readonly polls: number };
}

interface EndedSession {
  readonly created: number;
  /** When the session was reported as ended, or last seen in the active list if it is still there. */
  readonly listed: number;
}

/**
 * Follows the sessions of the service's account, poll by poll.
 *
 * @param now This machine's clock, for a service whose responses have no date.
 */
export function followSessions(service: Pick<Service, "sessions" | "getServerTime">, now: () => number) {
  let known: KnownSessions | undefined;

  /**
   * Polls once. Calls must not overlap. Rejects with the client's error if a request fails. The next poll then
   * continues from the last successful one.
   */
  async function poll(): Promise<SessionPoll> {
    const activeStream = readSessions(service, { type: "active" });
    const active: SessionRow[] = [];
    for await (const row of activeStream) active.push(row);
    const at = service.getServerTime() ?? now();
    /** Sessions that have left the active list and have not been found as ended. */
    const missing = new Map(known?.followed);
    const ended = new Map(known?.ended);
    const reported: SessionRow[] = [];
    let newest = Number.NEGATIVE_INFINITY;
    const recordSeen = (id: string, created: number) => {
      newest = Math.max(newest, created);
      missing.delete(id);
    };
    for (const row of active) if (row.id !== undefined) recordSeen(row.id, readCreated(row));

    /** How far back the first poll looks for the newest session. */
    const earliest = at - maxListingDelayMs - maxClockSkewMs;
    /**
     * Returns the start of the look-back period. The period ends at the newest session, but not later than now, because
     * session times may be ahead of the response clock.
     */
    const getTrailing = () => Math.min(newest, at) - maxListingDelayMs;
    const due = new Map([...missing].filter(([, session]) => isDue(session)));
    // Reads further back than the watermark if a due session was created earlier.
    const since = known
      ? [...due.values()].reduce((first, { created }) => Math.min(first, created), known.watermark)
      : earliest;
    const range = since > 0 ? { since } : {};
    const historicStream = readSessions(service, { type: "historic", ...range });
    for await (const row of historicStream) {
      const { id } = row;
      if (id === undefined) continue;
      const created = readCreated(row);
      recordSeen(id, created);
      due.delete(id);
      const isNew = created >= (known?.watermark ?? getTrailing());
      if ((isNew || known?.followed.has(id)) && !ended.has(id)) {
        // In the first poll, all ended sessions ended before the watch started.
        if (known) reported.push(row);
        ended.set(id, { created, listed: at });
      }
      if (created !== 0 && !isNew && due.size === 0) break;
    }

    const followed = new Map<string, FollowedSession>();
    for (const row of active) {
      const { id } = row;
      if (id === undefined) continue;
      const created = readCreated(row);
      // An ended session may stay in the active list for a long time. Keeping it here avoids reporting its end again
      // when it leaves.
      if (ended.has(id)) ended.set(id, { created, listed: at });
      else followed.set(id, { created });
    }
    let lost = 0;
    for (const [id, { created, missing: before }] of missing) {
      const { since = at, polls = 0 } = before ?? {};
      if (at - since > lostAfterMs) lost++;
      else followed.set(id, { created, missing: { since, polls: polls + 1 } });
    }
    const watermark = Math.max(known?.watermark ?? earliest, getTrailing());
    for (const [id, { created, listed }] of ended)
      if (Math.max(created, listed) < watermark) ended.delete(id);
    known = { watermark, followed, ended };
    const ids = new Set(reported.map(({ id }) => id));
    return {
      at,
      active: active.filter(({ id }) => !ids.has(id)),
      ended: reported,
      lost,
      unknown: sumUnknown([activeStream.facts(), historicStream.facts()]),
    };
  }

  return { poll };
}

/**
 * Returns whether to search for a session in this poll: the first, second, third, fifth, ninth … poll without it. Other
 * polls skip the search, because it may read the entire list.
 */
function isDue({ missing }: FollowedSession): boolean {
  const polls = missing?.polls ?? 0;
  return (polls & (polls - 1)) === 0;
}

/** Reads the creation time. Returns 0 if unknown. */
function readCreated(row: SessionRow): number {
  return getCreatedMs(row) || 0;
}
