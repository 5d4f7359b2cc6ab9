/**
 * Follows the sessions of an account: which are active, and which have ended since the last pass.
 *
 * The service sends no events, so each poll reads two lists. The active list is read first: a session that ends in
 * between is then in both lists, and never in neither. Of the historic list, sessions are found in two ways.
 *
 * - Those that were seen active are looked for by id, however long ago they were created: a session of many hours is far
 *   down in a list that begins with the newest. What has left the active list and is not found is looked for again, less
 *   and less often, and given up after a day.
 * - Those that began and ended between two polls, also while nothing polled, are recognised by when they were created:
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
    const pass = startPass({ known, active, at });
    const historicStream = readSessions(service, { type: "historic", ...pass.range });
    for await (const row of historicStream) if (!pass.see(row)) break;
    const result = pass.result();
    known = result.known;
    const reported = new Set(pass.reported.map(({ id }) => id));
    return {
      at,
      active: active.filter(({ id }) => !reported.has(id)),
      ended: pass.reported,
      lost: result.lost,
      unknown: sumUnknown([activeStream.facts(), historicStream.facts()]),
    };
  }

  return { poll };
}

/** What a follower knows between two polls; only the sessions of the look-back make it grow. Times in ms. */
interface Known {
  /** Sessions created before this are reported only if they were seen active. */
  readonly watermark: number;
  /** Sessions that are active, or have left the active list and are looked for. */
  readonly followed: readonly FollowedSession[];
  /** Sessions that were reported, or had ended before the first poll, as long as they could be taken for new ones. */
  readonly ended: readonly EndedSession[];
}

interface FollowedSession {
  readonly id: string;
  /** 0 if the service does not say. */
  readonly created: number;
  /** Since when, and in how many polls, a session that has left the active list was not found. */
  readonly missing?: { readonly since: number; readonly polls: number };
}

/** `listed`: when it was reported, or last seen in the active list although it has ended. */
type EndedSession = readonly [id: string, created: number, listed: number];

/** After which a session that is in neither list is given up; ms. */
const patienceMs = 24 * 3_600_000;

/** How far the clock of the answers may be ahead of that of the sessions at the first poll; ms. */
const mostSkewMs = 24 * 3_600_000;

/** One pass over both lists: decides which sessions of the historic one are reported, and what is known afterwards. */
function startPass(given: {
  readonly known: Known | undefined;
  readonly active: readonly SessionRow[];
  readonly at: number;
}) {
  const { known, at } = given;
  const active = new Map(
    given.active.flatMap((row) => (row.id === undefined ? [] : [[row.id, createdIn(row)]])),
  );
  /** Sessions that have left the active list and were not found yet. */
  const missing = new Map(known?.followed.map((session) => [session.id, session]));
  const followed: ReadonlySet<string> = new Set(missing.keys());
  const ended = new Map(known?.ended.map((session) => [session[0], session]));
  const reported: SessionRow[] = [];
  let newest = Number.NEGATIVE_INFINITY;
  const noteSeen = (id: string, created: number) => {
    newest = Math.max(newest, created);
    missing.delete(id);
  };
  for (const [id, created] of active) noteSeen(id, created);

  /** How far back the first pass looks for the newest session. */
  const earliest = at - lookBackMs - mostSkewMs;
  /** Behind the newest session, whose clock may not be that of the answers; and never in the future. */
  const trailing = () => Math.min(newest, at) - lookBackMs;
  /** Sessions created from here on are new in this pass. */
  const horizon = () => known?.watermark ?? trailing();

  const due = [...missing.values()].filter(isDue);
  /** For the sake of these, this pass reads beyond the watermark. */
  const sought = new Set(due.map(({ id }) => id));
  const since = known
    ? due.reduce((first, { created }) => Math.min(first, created), known.watermark)
    : earliest;

  return {
    /** How far back the historic list must be read, ms; absent: to its end. */
    range: since > 0 ? { since } : {},
    /** In the order of the list. */
    reported: reported as readonly SessionRow[],

    /** Takes in the next session of the historic list, newest first; false: the rest need not be read. */
    see(row: SessionRow): boolean {
      const { id } = row;
      if (id === undefined) return true;
      const created = createdIn(row);
      noteSeen(id, created);
      sought.delete(id);
      const isWanted = followed.has(id) || created >= horizon();
      if (isWanted && !ended.has(id)) {
        // What is there at the first poll has ended before somebody looked.
        if (known) reported.push(row);
        ended.set(id, [id, created, at]);
      }
      return created === 0 || created >= horizon() || sought.size > 0;
    },

    /** What is known after this pass, and how many sessions were given up. */
    result(): { readonly known: Known; readonly lost: number } {
      const watermark = Math.max(known?.watermark ?? earliest, trailing());
      const stillActive: FollowedSession[] = [];
      for (const [id, created] of active) {
        // In both lists, perhaps for long: it must not be reported when it leaves the active one.
        if (ended.has(id)) ended.set(id, [id, created, at]);
        else stillActive.push({ id, created });
      }
      const absent = [...missing.values()].map((session) => ({
        ...session,
        missing: { since: session.missing?.since ?? at, polls: (session.missing?.polls ?? 0) + 1 },
      }));
      const awaited = absent.filter((session) => at - session.missing.since <= patienceMs);
      const kept = [...ended.values()].filter(
        ([, created, listed]) => Math.max(created, listed) >= watermark,
      );
      return {
        known: { watermark, followed: [...stillActive, ...awaited], ended: kept },
        lost: absent.length - awaited.length,
      };
    },
  };
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
