import { createdMs, type SessionRow } from "./row.js";

/** What a follower knows between two polls; only the sessions of the look-back make it grow. Times in ms. */
export interface FollowerCheckpoint {
  /** Sessions created before this are told only if they were seen active. */
  readonly watermark: number;
  /** Sessions that are active, or have left the active list and are looked for. */
  readonly followed: readonly FollowedSession[];
  /** Sessions that were told, or had ended before the first poll, as long as they could be taken for new ones. */
  readonly ended: readonly EndedSession[];
}

/** A session that was seen active. */
export interface FollowedSession {
  readonly id: string;
  /** 0 if the service does not say. */
  readonly created: number;
  /** Of a session that has left the active list: since when, and how many polls have not found it. */
  readonly missing?: { readonly since: number; readonly polls: number };
}

/** `listed`: when it was told, or last seen in the active list although it has ended. */
export type EndedSession = readonly [id: string, created: number, listed: number];

/** After which a session that is in neither list is given up; ms. */
const patienceMs = 24 * 3_600_000;

/** How far the clock of the answers may be ahead of that of the sessions at the first poll; ms. */
const mostSkewMs = 24 * 3_600_000;

/** One pass over both lists: decides which sessions of the historic one are told, and what is known afterwards. */
export class FollowerPass {
  /** How far back the historic list must be read, ms; absent: to its end. */
  readonly range: { readonly since?: number };
  /** In the order of the list. */
  readonly told: SessionRow[] = [];
  readonly #known: FollowerCheckpoint | undefined;
  readonly #active: ReadonlyMap<string, number>;
  readonly #at: number;
  readonly #lookBackMs: number;
  readonly #followed: ReadonlySet<string>;
  readonly #ended: Map<string, EndedSession>;
  /** Sessions that have left the active list and were not found yet. */
  readonly #missing: Map<string, FollowedSession>;
  /** Those of them for whose sake this pass reads beyond the watermark. */
  readonly #sought: Set<string>;
  #newest = Number.NEGATIVE_INFINITY;
  #hasRecognised = false;

  constructor(given: {
    readonly known: FollowerCheckpoint | undefined;
    readonly active: readonly SessionRow[];
    readonly at: number;
    readonly lookBackMs: number;
  }) {
    const { known, active, at, lookBackMs } = given;
    this.#known = known;
    this.#active = new Map(active.flatMap((row) => (row.id === undefined ? [] : [[row.id, createdOf(row)]])));
    this.#at = at;
    this.#lookBackMs = lookBackMs;
    this.#missing = new Map(known?.followed.map((session) => [session.id, session]));
    this.#followed = new Set(this.#missing.keys());
    this.#ended = new Map(known?.ended.map((session) => [session[0], session]));
    for (const [id, created] of this.#active) {
      this.#noteSeen(id, created);
      this.#missing.delete(id);
    }
    const sought = [...this.#missing.values()].filter(isDue);
    this.#sought = new Set(sought.map(({ id }) => id));
    const since = known
      ? sought.reduce((earliest, { created }) => Math.min(earliest, created), known.watermark)
      : this.#earliest();
    this.range = since > 0 ? { since } : {};
  }

  /** Takes in the next session of the historic list, newest first; false: the rest need not be read. */
  see(row: SessionRow): boolean {
    const { id } = row;
    if (id === undefined) return true;
    const created = createdOf(row);
    this.#noteSeen(id, created);
    this.#missing.delete(id);
    this.#sought.delete(id);
    const isFirstPass = this.#known === undefined;
    const isWanted = this.#followed.has(id) || created >= this.#horizon();
    if (isWanted && !this.#ended.has(id)) {
      // What is there at the first poll has ended before somebody looked.
      if (!isFirstPass) this.told.push(row);
      this.#ended.set(id, [id, created, this.#at]);
    }
    return created === 0 || created >= this.#horizon() || this.#sought.size > 0;
  }

  /** False if what is known is of another account: none of its sessions is in the lists. */
  isPlausible(): boolean {
    if (this.#hasRecognised || !this.#known) return true;
    const { ended, watermark } = this.#known;
    return !ended.some(([, created]) => created >= watermark);
  }

  /** What is known after this pass, and how many sessions were given up. */
  result(): { readonly checkpoint: FollowerCheckpoint; readonly lost: number } {
    const at = this.#at;
    const watermark = Math.max(this.#known?.watermark ?? this.#earliest(), this.#trailing());
    const followed: FollowedSession[] = [];
    for (const [id, created] of this.#active) {
      // In both lists, perhaps for long: it must not be told when it leaves the active one.
      if (this.#ended.has(id)) this.#ended.set(id, [id, created, at]);
      else followed.push({ id, created });
    }
    const missing = [...this.#missing.values()].map((session) => ({
      ...session,
      missing: { since: session.missing?.since ?? at, polls: (session.missing?.polls ?? 0) + 1 },
    }));
    const awaited = missing.filter(({ missing: { since } }) => at - since <= patienceMs);
    const ended = [...this.#ended.values()].filter(
      ([, created, listed]) => Math.max(created, listed) >= watermark,
    );
    return {
      checkpoint: { watermark, followed: [...followed, ...awaited], ended },
      lost: missing.length - awaited.length,
    };
  }

  #noteSeen(id: string, created: number): void {
    this.#newest = Math.max(this.#newest, created);
    if (this.#followed.has(id) || this.#ended.has(id)) this.#hasRecognised = true;
  }

  /** Sessions created from here on are new in this pass. */
  #horizon(): number {
    return this.#known?.watermark ?? this.#trailing();
  }

  /** How far back the first pass looks for the newest session. */
  #earliest(): number {
    return this.#at - this.#lookBackMs - mostSkewMs;
  }

  /** Behind the newest session, whose clock may not be that of the answers; and never in the future. */
  #trailing(): number {
    return Math.min(this.#newest, this.#at) - this.#lookBackMs;
  }
}

/** At the first, second, third, fifth, ninth … poll without it: a search may read the whole list. */
function isDue({ missing }: FollowedSession): boolean {
  const polls = missing?.polls ?? 0;
  return (polls & (polls - 1)) === 0;
}

/** In ms; 0 if the service does not say. */
function createdOf(row: SessionRow): number {
  return createdMs(row) || 0;
}
