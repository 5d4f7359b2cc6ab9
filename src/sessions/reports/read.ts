/**
 * Reads sessions as a stream, newest first, each once.
 *
 * The order of the list is undocumented (§4.5), so it is inferred from the first sessions. A list sorted by time is
 * read page by page from its newest end. Any other list is read completely and sorted.
 */
import type { Page, Service } from "../../core/api/index.js";
import { getCreatedMs, getEndedMs, parseRow, type SessionRow } from "./row.js";
import { hasTotalCount, type PageWalk, pageSize, readLastPage, type WalkedPage, walkPages } from "./walk.js";

/** Filters `context_id` and `avatar_id`, which require a profile. */
export type SessionFilter = Readonly<Record<string, string>>;

export interface SessionQuery {
  readonly type: "active" | "historic";
  /** Earliest creation time, in ms since the epoch, by the service's clock. */
  readonly since?: number | undefined;
  /** Latest creation time, exclusive. */
  readonly until?: number | undefined;
  readonly filter?: SessionFilter | undefined;
}

/** Facts about the list so far, final once the iteration has ended. */
export interface SessionFacts {
  /** Number of distinct sessions read, before filtering. */
  readonly read: number;
  /** Whether sessions may be missing, because the list kept changing or its count is wrong. */
  readonly unstable: boolean;
  /** Number of entries without an id, which are not returned. */
  readonly unreadable: number;
  /** Number of malformed entries, by problem, such as "no id". */
  readonly unknown: Readonly<Record<string, number>>;
  /** Number of sessions omitted because they have no creation time. */
  readonly undated: number;
}

/** Sessions, newest first, each once. Leaving the loop stops reading. Throws the client's errors. */
export interface SessionStream extends AsyncIterable<SessionRow> {
  facts(): SessionFacts;
}

/** Minimum number of sessions needed to recognize an order, because fewer could be in order by chance. */
const minSessionsForOrder = 10;
/** Maximum number of ids to remember for a list in order, in which duplicates are close together. */
const maxRememberedIds = 5_000;
/** Maximum number of times to read a list that keeps changing and has to be read completely. */
const maxSweeps = 3;

/**
 * Reads the sessions of one type. Sends no request before the iteration starts. Filters by period on the client,
 * because only some profiles support it in requests.
 */
export function readSessions(service: Pick<Service, "sessions">, query: SessionQuery): SessionStream {
  let unstable = false;
  let reader = openReader(maxRememberedIds);
  const { since = Number.NEGATIVE_INFINITY } = query;

  const readPage = (number: number) =>
    service.sessions.readPage(query.type, number, pageSize, { filter: query.filter });

  async function* rows(): AsyncGenerator<SessionRow> {
    const first = await readPage(1);
    const order = query.type === "historic" ? recognizeOrderIn(first) : undefined;
    const isBackward = order?.direction === "oldest-first";
    const last = isBackward ? await readLastPage(first, readPage) : undefined;
    if (order && (last || !isBackward)) yield* readInOrder(walkPages(first, readPage, last), order);
    else yield* await readSorted(first);
  }

  async function* readInOrder(walk: PageWalk, { direction, by }: Order): AsyncGenerator<SessionRow> {
    const sorter = openSorter(by);
    try {
      for await (const walked of walk) {
        const fresh = reader.take(walked);
        if (!fresh) break;
        if (direction === "oldest-first") fresh.reverse();
        for (const row of fresh) yield* sorter.add(row).filter(isWanted);
        unstable = walk.isUnstable();
        if (sorter.latestMs() < since) return yield* sorter.rest().filter(isWanted);
      }
    } catch (error) {
      yield* sorter.rest().filter(isWanted);
      throw error;
    }
    yield* sorter.rest().filter(isWanted);
    unstable = walk.isUnstable() || reader.isShort();
  }

  /** Reads a complete list. If it changes meanwhile, reads it again until two attempts agree, or up to the maximum. */
  async function readSorted(first: Page<unknown>): Promise<SessionRow[]> {
    const kept = new Map<string, SessionRow>();
    for (let sweep = 1, before = -1; ; sweep++) {
      const walk = walkPages(sweep === 1 ? first : await readPage(1), readPage);
      const found: SessionRow[] = [];
      reader = openReader(Number.POSITIVE_INFINITY);
      for await (const walked of walk) {
        const fresh = reader.take(walked);
        if (!fresh) break;
        for (const row of fresh) if (isWanted(row)) found.push(row);
      }
      unstable = walk.isUnstable() || reader.isShort();
      if (!unstable) return sortNewestFirst(found);
      for (const row of found) kept.set(row.id ?? "", row);
      if (sweep === maxSweeps || reader.facts().read === before) return sortNewestFirst([...kept.values()]);
      before = reader.facts().read;
    }
  }

  function isWanted(row: SessionRow): boolean {
    const { until } = query;
    if (query.since === undefined && until === undefined) return true;
    const ms = getCreatedMs(row);
    if (Number.isNaN(ms)) reader.undated++;
    return ms >= since && ms < (until ?? Number.POSITIVE_INFINITY);
  }

  return {
    [Symbol.asyncIterator]: rows,
    facts: () => ({ unstable, ...reader.facts() }),
  };
}

/**
 * Returns the creation day of the newest ended session with a context or avatar. Returns "none" if there is no such
 * session, or "unknown" if the first page does not show it.
 */
export async function readLastUse({ sessions }: Pick<Service, "sessions">, filter: SessionFilter) {
  const first = await sessions.readPage("historic", 1, pageSize, { filter });
  if (!isWhole(first) && recognizeOrderIn(first)?.direction !== "newest-first") return "unknown";
  const rows = first.entries.flatMap((entry) => parseRow(entry) ?? []);
  return (
    sortNewestFirst(rows)[0]?.created_at?.slice(0, 10) ?? (first.entries.length > 0 ? "unknown" : "none")
  );
}

/** Sums the malformed entries of several lists, by problem. */
export function sumUnknown(lists: readonly SessionFacts[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const [problem, count] of lists.flatMap(({ unknown }) => Object.entries(unknown)))
    sums[problem] = (sums[problem] ?? 0) + count;
  return sums;
}

function recognizeOrderIn(first: Page<unknown>): Order | undefined {
  const rows = first.entries.flatMap((entry) => parseRow(entry) ?? []);
  if (rows.length < minSessionsForOrder || isWhole(first)) return undefined;
  const order = recognizeOrder(rows);
  return order?.direction === "oldest-first" && !hasTotalCount(first) ? undefined : order;
}

function isWhole(first: Page<unknown>): boolean {
  return hasTotalCount(first) && first.count === first.entries.length;
}

/** Parses the entries of pages into distinct rows, and counts problems. */
function openReader(remembered: number) {
  const ids = new Set<string>();
  const unknown: Record<string, number> = {};
  let read = 0;
  let unreadable = 0;
  let fewest: number | undefined;
  let before: number | undefined;
  return {
    undated: 0,
    /**
     * Returns the new rows of a page. Returns undefined for a page past the end. Such a page has only known rows, even
     * though the list has not grown and shifted them.
     */
    take({ number, entries, count, repeated }: WalkedPage): SessionRow[] | undefined {
      const problems: string[] = [];
      const rows = entries.flatMap((entry) => parseRow(entry, (text) => problems.push(text)) ?? []);
      const fresh = rows.filter(({ id = "" }) => !ids.has(id) && ids.add(id));
      for (const id of ids) {
        if (ids.size <= remembered) break;
        ids.delete(id);
      }
      read += fresh.length;
      if (!repeated) {
        unreadable += entries.length - rows.length;
        for (const problem of problems) unknown[problem] = (unknown[problem] ?? 0) + 1;
      }
      const hasGrown = before !== undefined && count !== undefined && count > before;
      before = count;
      fewest = Math.min(count ?? Number.POSITIVE_INFINITY, fewest ?? Number.POSITIVE_INFINITY);
      const isRepetition = rows.length > 0 && fresh.length === 0;
      return isRepetition && number > 1 && !repeated && !hasGrown ? undefined : fresh;
    },
    /** Returns whether fewer entries were read than the list contains. */
    isShort: () => fewest !== undefined && Number.isFinite(fewest) && read + unreadable < fewest,
    facts() {
      return { read, unreadable, undated: this.undated, unknown: { ...unknown } };
    },
  };
}

/** Order of a list, as returned by the service. */
type Order = {
  readonly direction: "newest-first" | "oldest-first";
  /** The times that the list may be ordered by, each NaN if a session has none. */
  readonly by: readonly ((row: SessionRow) => number)[];
};

/** Recognizes the undocumented order (§4.5) from the first sessions of a list. */
function recognizeOrder(rows: readonly SessionRow[]): Order | undefined {
  const candidates = [getCreatedMs, getEndedMs].map((by) => ({ by, direction: findDirection(rows, by) }));
  const direction = candidates.find((candidate) => candidate.direction)?.direction;
  if (!direction) return undefined;
  return {
    direction,
    by: candidates.flatMap((candidate) => (candidate.direction === direction ? candidate.by : [])),
  };
}

function findDirection(
  rows: readonly SessionRow[],
  by: (row: SessionRow) => number,
): Order["direction"] | undefined {
  const times = rows.map(by).filter((time) => !Number.isNaN(time));
  // Equal times, as after a migration, show no order.
  if (times.length < rows.length / 2 || times[0] === times.at(-1)) return undefined;
  if (times.every((time, at) => time <= (times[at - 1] ?? time))) return "newest-first";
  return times.every((time, at) => time >= (times[at - 1] ?? time)) ? "oldest-first" : undefined;
}

/**
 * Sorts sessions by creation time, newest first. The input must be ordered by one of `by` (creation or end time),
 * newest first. Sessions are held back only as long as necessary: once the list reaches sessions that ended at 10:00,
 * none of the rest was created after 10:00.
 */
function openSorter(by: Order["by"]) {
  const held: { readonly row: SessionRow; readonly ms: number }[] = [];
  const orders = by.map((getMs) => ({ getMs, latestMs: Number.POSITIVE_INFINITY, isBroken: false }));
  /** Returns the latest time by any order that still fits, because the list may have that order. */
  function getLatestMs(): number {
    const fitting = orders.filter(({ isBroken }) => !isBroken);
    return Math.max(...(fitting.length > 0 ? fitting : orders).map(({ latestMs }) => latestMs));
  }
  return {
    /** Adds the next session. Returns the sessions whose position is now known. */
    add(row: SessionRow): readonly SessionRow[] {
      for (const order of orders) {
        const orderMs = order.getMs(row);
        if (orderMs > order.latestMs) order.isBroken = true;
        else if (!Number.isNaN(orderMs)) order.latestMs = orderMs;
      }
      const latestMs = getLatestMs();
      const startMs = getCreatedMs(row);
      const ms = Number.isNaN(startMs) ? latestMs : startMs;
      let at = held.length;
      while (at > 0 && (held[at - 1]?.ms ?? 0) < ms) at--;
      held.splice(at, 0, { row, ms });
      const waiting = held.findIndex((other) => other.ms < latestMs);
      return held.splice(0, waiting === -1 ? held.length : waiting).map((released) => released.row);
    },
    /** Returns a time after which none of the remaining sessions was created. */
    latestMs: () => (orders.every(({ isBroken }) => isBroken) ? Number.POSITIVE_INFINITY : getLatestMs()),
    rest: (): readonly SessionRow[] => held.splice(0).map(({ row }) => row),
  };
}

/** Sorts newest first, sessions without a time last. Stable. */
function sortNewestFirst(rows: readonly SessionRow[]): SessionRow[] {
  return rows
    .map((row) => ({ row, ms: getCreatedMs(row) }))
    .sort((a, b) => (Number.isNaN(a.ms) ? 1 : 0) - (Number.isNaN(b.ms) ? 1 : 0) || b.ms - a.ms || 0)
    .map(({ row }) => row);
}

/** Active sessions, excluding sandbox sessions, which only developers use. */
export interface ActiveSessionCount {
  readonly count: number;
  /** Age of the oldest session, by the service's clock. Omitted if unknown. */
  readonly oldestMs?: number;
  /** Whether more sessions may be active, because the list kept changing or its count is wrong. */
  readonly isIncomplete: boolean;
}

/**
 * Counts active sessions in the whole list (§4.5), including unreadable entries and sessions without a sandbox flag.
 *
 * @param now This machine's clock, for a service whose responses have no date.
 */
export async function countActiveSessions(
  service: Pick<Service, "sessions" | "getServerTime">,
  now: () => number,
): Promise<ActiveSessionCount> {
  const stream = readSessions(service, { type: "active" });
  let count = 0;
  let oldest = Number.POSITIVE_INFINITY;
  for await (const row of stream) {
    if (isSandbox(row)) continue;
    count++;
    oldest = Math.min(oldest, getCreatedMs(row) || Number.POSITIVE_INFINITY);
  }
  const { unreadable, unstable: isIncomplete } = stream.facts();
  count += unreadable;
  if (!Number.isFinite(oldest)) return { count, isIncomplete };
  return { count, isIncomplete, oldestMs: Math.max(0, (service.getServerTime() ?? now()) - oldest) };
}

/** Counts active sessions on the first page with one request, without retries. `complete` means that this was the only page. */
export async function countActiveOnFirstPage(
  service: Pick<Service, "sessions">,
): Promise<{ readonly count: number; readonly complete: boolean }> {
  const page = await service.sessions.readPage("active", 1, pageSize, { once: true });
  const { entries, count, next } = page;
  const counted = entries.filter((entry) => !isSandbox(parseRow(entry)));
  const complete = count === undefined ? entries.length < pageSize && !next : isWhole(page);
  return { count: counted.length, complete };
}

function isSandbox(row: SessionRow | undefined): boolean {
  return row?.is_sandbox === true;
}
