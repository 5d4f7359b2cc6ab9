/**
 * Follows the sessions of an account: which are active, and which have ended since the last pass.
 *
 * The service sends no events, so each poll reads two lists. The active list is read first: a session that ends in
 * between is then in both lists, and never in neither. Of the historic list, sessions are found in two ways.
 *
 * - Those that were seen active are looked for by id, however long ago they were created: a session of many hours is far
 *   down in a list that begins with the newest. What has left the active list and is not found is looked for again, less
 *   and less often, and given up after a day.
 * - Those that began and ended between two polls are recognised by when they were created:
 *   after the watermark. It trails the newest session by the look-back, so that a session that the service lists late is
 *   still reported. The ids of what was reported are kept as long as a session could be taken for a new one.
 *
 * The watermark is made from times of the service, and only ever advances; so neither our clock nor a constant difference
 * between the clocks of the service matters. A poll that fails changes nothing.
 */
import type { Service } from "../../core/api/index.js";
import { readSessions, sumUnknown } from "./read.js";
import { createdMs, type SessionRow } from "./row.js";

/** What a poll found. */
export interface SessionPoll {
  /** By the service's clock, in ms. */
  readonly at: number;
  readonly active: readonly SessionRow[];
  /** Newly ended since the last successful poll, newest first; the first poll of all reports none. */
  readonly ended: readonly SessionRow[];
  /** How many sessions left the active list more than a day ago, and never came into the historic one; given up now. */
  readonly lost: number;
  /** Entries of unknown shape among those that were read: what is wrong, and how often. */
  readonly unknown: Readonly<Record<string, number>>;
}

/** How long after it was created a session may come into the lists, if it was never seen active; ms. */
const lookBackMs = 15 * 60_000;

/** After which a session that is in neither list is given up; ms. */
const patienceMs = 24 * 3_600_000;

/** How far the clock of the answers may be ahead of that of the sessions at the first poll; ms. */
const mostSkewMs = 24 * 3_600_000;

/** What a follower knows between two polls; only the sessions of the look-back make it grow. Times in ms, by id. */
interface Known {
  /** Sessions created before this are reported only if they were seen active. */
  readonly watermark: number;
  /** Sessions that are active, or have left the active list and are looked for. */
  readonly followed: ReadonlyMap<string, FollowedSession>;
  /** Sessions that were reported, or had ended before the first poll, as long as they could be taken for new ones. */
  readonly ended: ReadonlyMap<string, EndedSession>;
}

interface FollowedSession {
  /** 0 if the service does not say. */
  readonly created: number;
  /** Since when, and in how many polls, a session that has left the active list was not found. */
  readonly missing?: { readonly since: number; readonly polls: number };
}

interface EndedSession {
  readonly created: number;
  /** When it was reported, or last seen in the active list although it has ended. */
  readonly listed: number;
}

/**
 * Follows the sessions of the service's account, poll by poll.
 *
 * @param now our clock, in ms, for a service whose answers have no date.
 */
export function followSessions(service: Pick<Service, "sessions" | "serverTime">, now: () => number) {
  let known: Known | undefined;

  /** One poll; the next one comes after it. Rejects as the client does; what was known stays. */
  async function poll(): Promise<SessionPoll> {
    const activeStream = readSessions(service, { type: "active" });
    const active: SessionRow[] = [];
    for await (const row of activeStream) active.push(row);
    const at = service.serverTime() ?? now();
    /** Sessions that have left the active list and were not found yet. */
    const missing = new Map(known?.followed);
    const ended = new Map(known?.ended);
    const reported: SessionRow[] = [];
    let newest = Number.NEGATIVE_INFINITY;
    const noteSeen = (id: string, created: number) => {
      newest = Math.max(newest, created);
      missing.delete(id);
    };
    for (const row of active) if (row.id !== undefined) noteSeen(row.id, createdIn(row));

    /** How far back the first poll looks for the newest session. */
    const earliest = at - lookBackMs - mostSkewMs;
    /** Behind the newest session, whose clock may not be that of the answers; and never in the future. */
    const trailing = () => Math.min(newest, at) - lookBackMs;
    const due = new Map([...missing].filter(([, session]) => isDue(session)));
    // For the sake of those that are due, this poll reads beyond the watermark.
    const since = known
      ? [...due.values()].reduce((first, { created }) => Math.min(first, created), known.watermark)
      : earliest;
    const range = since > 0 ? { since } : {};
    const historicStream = readSessions(service, { type: "historic", ...range });
    for await (const row of historicStream) {
      const { id } = row;
      if (id === undefined) continue;
      const created = createdIn(row);
      noteSeen(id, created);
      due.delete(id);
      const isNew = created >= (known?.watermark ?? trailing());
      if ((isNew || known?.followed.has(id)) && !ended.has(id)) {
        // What is there at the first poll has ended before somebody looked.
        if (known) reported.push(row);
        ended.set(id, { created, listed: at });
      }
      if (created !== 0 && !isNew && due.size === 0) break;
    }

    const followed = new Map<string, FollowedSession>();
    for (const row of active) {
      const { id } = row;
      if (id === undefined) continue;
      const created = createdIn(row);
      // In both lists, perhaps for long: it must not be reported when it leaves the active one.
      if (ended.has(id)) ended.set(id, { created, listed: at });
      else followed.set(id, { created });
    }
    let lost = 0;
    for (const [id, { created, missing: before }] of missing) {
      const { since = at, polls = 0 } = before ?? {};
      if (at - since > patienceMs) lost++;
      else followed.set(id, { created, missing: { since, polls: polls + 1 } });
    }
    const watermark = Math.max(known?.watermark ?? earliest, trailing());
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

/** At the first, second, third, fifth, ninth … poll without it: a search may read the whole list. */
function isDue({ missing }: FollowedSession): boolean {
  const polls = missing?.polls ?? 0;
  return (polls & (polls - 1)) === 0;
}

/** In ms; 0 if the service does not say. */
function createdIn(row: SessionRow): number {
  return createdMs(row) || 0;
}
