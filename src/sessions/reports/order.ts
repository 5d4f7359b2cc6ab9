import { createdMs, endedMs, type SessionRow } from "./row.js";

/** How the service orders a list; `none` if neither by the sessions' begin nor by their end. */
export type Order = {
  readonly direction: "newest-first" | "oldest-first";
  /** What the list is ordered by, in ms; NaN where a session does not say. */
  readonly by: (row: SessionRow) => number;
};

/** Recognises the order from the first sessions of a list. It is not documented (§4.5). */
export function recogniseOrder(rows: readonly SessionRow[]): Order | undefined {
  for (const by of [createdMs, endedMs]) {
    const times = rows.map(by).filter((time) => !Number.isNaN(time));
    if (times.length < rows.length / 2) continue;
    if (times.every((time, at) => time <= (times[at - 1] ?? time))) return { direction: "newest-first", by };
    if (times.every((time, at) => time >= (times[at - 1] ?? time))) return { direction: "oldest-first", by };
  }
  return undefined;
}

/**
 * Puts sessions that come by their end into the order of their begin, with as few as possible held back; of a list that is
 * newest first by `by`. A session begins before it ends: once the list has come to those that ended at ten, no session to
 * come was created after ten.
 */
export function openSorter(by: Order["by"]) {
  const held: { readonly row: SessionRow; readonly ms: number }[] = [];
  let latestMs = Number.POSITIVE_INFINITY;
  let isBroken = false;
  return {
    /** Takes the next session, and returns those that no later one can precede. */
    add(row: SessionRow): readonly SessionRow[] {
      const ownMs = by(row);
      if (ownMs > latestMs) isBroken = true;
      else if (!Number.isNaN(ownMs)) latestMs = ownMs;
      const begunMs = createdMs(row);
      const ms = Number.isNaN(begunMs) ? latestMs : begunMs;
      let at = held.length;
      while (at > 0 && (held[at - 1]?.ms ?? 0) < ms) at--;
      held.splice(at, 0, { row, ms });
      const waiting = held.findIndex((other) => other.ms < latestMs);
      return held.splice(0, waiting === -1 ? held.length : waiting).map((released) => released.row);
    },
    /** No session to come was created after this time. */
    latestMs: () => (isBroken ? Number.POSITIVE_INFINITY : latestMs),
    rest: (): readonly SessionRow[] => held.splice(0).map(({ row }) => row),
    /** A session came later than its time: the list is not in this order. */
    isBroken: () => isBroken,
  };
}

/** Newest first; those without a time last. Stable. */
export function newestFirst(rows: readonly SessionRow[]): SessionRow[] {
  return rows
    .map((row) => ({ row, ms: createdMs(row) }))
    .sort((a, b) => (Number.isNaN(a.ms) ? 1 : 0) - (Number.isNaN(b.ms) ? 1 : 0) || b.ms - a.ms || 0)
    .map(({ row }) => row);
}
