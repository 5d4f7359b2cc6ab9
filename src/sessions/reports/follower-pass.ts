import { createdMs, type SessionRow } from "./row.js";

/** What a follower knows between two polls; only the sessions of the look-back make it grow. Times in ms. */
export interface FollowerCheckpoint {
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
  /** Of a session that has left the active list: since when, and how many polls have not found it. */
  readonly missing?: { readonly since: number; readonly polls: number };
}

/** `listed`: when it was reported, or last seen in the active list although it has ended. */
type EndedSession = readonly [id: string, created: number, listed: number];

/** After which a session that is in neither list is given up; ms. */
const patienceMs = 24 * 3_600_000;

/** How far the clock of the answers may be ahead of that of the sessions at the first poll; ms. */
const mostSkewMs = 24 * 3_600_000;

/** One pass over both lists: decides which sessions of the historic one are reported, and what is known afterwards. */
export function startPass(given: {
  readonly known: FollowerCheckpoint | undefined;
  readonly active: readonly SessionRow[];
  readonly at: number;
  readonly lookBackMs: number;
}) {
  const { known, at, lookBackMs } = given;
  const active = new Map(
    given.active.flatMap((row) => (row.id === undefined ? [] : [[row.id, createdIn(row)]])),
  );
  /** Sessions that have left the active list and were not found yet. */
  const missing = new Map(known?.followed.map((session) => [session.id, session]));
  const followed: ReadonlySet<string> = new Set(missing.keys());
  const ended = new Map(known?.ended.map((session) => [session[0], session]));
  const reported: SessionRow[] = [];
  let newest = Number.NEGATIVE_INFINITY;
  let hasRecognised = false;
  const noteSeen = (id: string, created: number) => {
    newest = Math.max(newest, created);
    if (followed.has(id) || ended.has(id)) hasRecognised = true;
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

    /** False if what is known is of another account: none of its sessions is in the lists. */
    isPlausible: () =>
      hasRecognised || !known || !known.ended.some(([, created]) => created >= known.watermark),

    /** What is known after this pass, and how many sessions were given up. */
    result(): { readonly checkpoint: FollowerCheckpoint; readonly lost: number } {
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
        checkpoint: { watermark, followed: [...stillActive, ...awaited], ended: kept },
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
