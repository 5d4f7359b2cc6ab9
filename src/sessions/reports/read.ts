/**
 * Reads sessions as a stream, newest first, each once.
 *
 * The order of the list is not documented (§4.5): it is recognised from its first sessions. A list that begins with
 * the newest is passed on page by page, and reading ends where the period ends; one that begins with the oldest is
 * read from its end. What is held in memory is then a few pages, however many sessions there are. Any other list
 * has to be read completely and sorted.
 *
 * Periods are applied here, since the interface has no filters, but for those of a profile.
 */
import type { Page, Service } from "../../core/api/index.js";
import { createdMs, endedMs, parseRow, type SessionRow } from "./row.js";
import { isCounted, pageSize, type WalkedPage, walkPages } from "./walk.js";

/** With a profile: the `context_id` and `avatar_id` of the sessions. */
export type SessionFilter = Readonly<Record<string, string>>;

/** Which sessions to read. */
export interface SessionQuery {
  readonly type: "active" | "historic";
  /** Only sessions created at this time or later; ms since the epoch, by the service's clock. */
  readonly since?: number | undefined;
  /** Only sessions created before this time. */
  readonly until?: number | undefined;
  readonly filter?: SessionFilter | undefined;
}

/** What is known of a list so far; final once the iteration has ended. */
export interface SessionFacts {
  /** Different sessions read, before filters. */
  readonly read: number;
  /** The list kept changing, or its count is wrong: sessions may be missing. */
  readonly unstable: boolean;
  /** Entries that are no rows, because they cannot be told apart from others. */
  readonly unreadable: number;
  /** Entries of unknown shape: what is wrong, such as "no id", and how often. */
  readonly unknown: Readonly<Record<string, number>>;
  /** Sessions left out because their time is not known, so that they belong to no period. */
  readonly undated: number;
}

/** Sessions, newest first, each once. Leaving the loop ends reading. Throws what the client throws. */
export interface SessionStream extends AsyncIterable<SessionRow> {
  facts(): SessionFacts;
}

/** Fewer sessions could be in order by chance. */
const enoughForOrder = 10;
/** Ids remembered of a list in order: those that can come twice are close to each other. */
const mostRemembered = 5_000;
/** How often a list that has to be read completely is read again because it changed meanwhile. */
const mostSweeps = 3;

/** Reads the sessions of one type. Sends nothing before the iteration begins. */
export function readSessions(service: Pick<Service, "sessions">, query: SessionQuery): SessionStream {
  let unstable = false;
  let reader = openReader(mostRemembered);
  const { since = Number.NEGATIVE_INFINITY } = query;

  const page = (number: number) =>
    service.sessions.page(query.type, number, pageSize, { filter: query.filter });

  async function* rows(): AsyncGenerator<SessionRow> {
    const first = await page(1);
    const order = query.type === "historic" ? recogniseOrderIn(first) : undefined;
    if (order) yield* inOrder(first, order);
    else yield* await sorted(first);
  }

  async function* inOrder(first: Page<unknown>, { direction, by }: Order): AsyncGenerator<SessionRow> {
    const walk = walkPages(first, page, direction === "newest-first" ? "forward" : "backward");
    const sorter = openSorter(by);
    for await (const walked of walk) {
      const fresh = reader.take(walked);
      if (!fresh) break;
      if (direction === "oldest-first") fresh.reverse();
      for (const row of fresh) yield* sorter.add(row).filter(isWanted);
      unstable = walk.isUnstable();
      if (sorter.latestMs() < since) return yield* sorter.rest().filter(isWanted);
    }
    yield* sorter.rest().filter(isWanted);
    unstable = walk.isUnstable() || reader.isShort();
  }

  /** Reads a list completely; if it changes meanwhile, again, until it keeps still or has been wrong twice. */
  async function sorted(first: Page<unknown>): Promise<SessionRow[]> {
    const kept = new Map<string, SessionRow>();
    for (let sweep = 1, before = -1; ; sweep++) {
      const walk = walkPages(sweep === 1 ? first : await page(1), page);
      const found: SessionRow[] = [];
      reader = openReader(Number.POSITIVE_INFINITY);
      for await (const walked of walk) {
        const fresh = reader.take(walked);
        if (!fresh) break;
        for (const row of fresh) if (isWanted(row)) found.push(row);
      }
      unstable = walk.isUnstable() || reader.isShort();
      if (!unstable) return newestFirst(found);
      for (const row of found) kept.set(row.id ?? "", row);
      if (sweep === mostSweeps || reader.facts().read === before) return newestFirst([...kept.values()]);
      before = reader.facts().read;
    }
  }

  function isWanted(row: SessionRow): boolean {
    const { until } = query;
    if (query.since === undefined && until === undefined) return true;
    const ms = createdMs(row);
    if (Number.isNaN(ms)) reader.undated++;
    return ms >= since && ms < (until ?? Number.POSITIVE_INFINITY);
  }

  return {
    [Symbol.asyncIterator]: rows,
    facts: () => ({ unstable, ...reader.facts() }),
  };
}

/** The day of the last ended session of a context or an avatar; "none", or "unknown" if the first page does not tell. */
export async function readLastUse({ sessions }: Pick<Service, "sessions">, filter: SessionFilter) {
  const first = await sessions.page("historic", 1, pageSize, { filter });
  if (!isWhole(first) && recogniseOrderIn(first)?.direction !== "newest-first") return "unknown";
  const rows = first.entries.flatMap((entry) => parseRow(entry) ?? []);
  return newestFirst(rows)[0]?.created_at?.slice(0, 10) ?? (first.entries.length > 0 ? "unknown" : "none");
}

/** What is wrong with entries of several lists, and how often. */
export function sumUnknown(lists: readonly SessionFacts[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const [problem, count] of lists.flatMap(({ unknown }) => Object.entries(unknown)))
    sums[problem] = (sums[problem] ?? 0) + count;
  return sums;
}

function recogniseOrderIn(first: Page<unknown>): Order | undefined {
  const rows = first.entries.flatMap((entry) => parseRow(entry) ?? []);
  if (rows.length < enoughForOrder || isWhole(first)) return undefined;
  const order = recogniseOrder(rows);
  return order?.direction === "oldest-first" && !isCounted(first) ? undefined : order;
}

/** Whether a first page is the whole list. */
function isWhole(first: Page<unknown>): boolean {
  return isCounted(first) && first.count === first.entries.length;
}

/** Takes the entries of pages as different rows, and counts what it meets. */
function openReader(remembered: number) {
  const ids = new Set<string>();
  const unknown: Record<string, number> = {};
  let read = 0;
  let unreadable = 0;
  let fewest: number | undefined;
  let before: number | undefined;
  return {
    undated: 0,
    /** The rows that are new; undefined if nothing is, so that no page can follow. */
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
    /** Fewer came than the list has. */
    isShort: () => fewest !== undefined && Number.isFinite(fewest) && read + unreadable < fewest,
    facts() {
      return { read, unreadable, undated: this.undated, unknown: { ...unknown } };
    },
  };
}

/** How the service orders a list; `none` if neither by the sessions' begin nor by their end. */
type Order = {
  readonly direction: "newest-first" | "oldest-first";
  /** What the list is ordered by, in ms; NaN where a session does not say. */
  readonly by: (row: SessionRow) => number;
};

/** Recognises the order from the first sessions of a list. It is not documented (§4.5). */
function recogniseOrder(rows: readonly SessionRow[]): Order | undefined {
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
function openSorter(by: Order["by"]) {
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
  };
}

/** Newest first; those without a time last. Stable. */
function newestFirst(rows: readonly SessionRow[]): SessionRow[] {
  return rows
    .map((row) => ({ row, ms: createdMs(row) }))
    .sort((a, b) => (Number.isNaN(a.ms) ? 1 : 0) - (Number.isNaN(b.ms) ? 1 : 0) || b.ms - a.ms || 0)
    .map(({ row }) => row);
}

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

/** Reads the first page alone: one request, which is not repeated. `complete`: there is no other page. */
export async function countActiveOnFirstPage(
  service: Pick<Service, "sessions">,
): Promise<{ readonly count: number; readonly complete: boolean }> {
  const page = await service.sessions.page("active", 1, pageSize, { once: true });
  const { entries, count, next } = page;
  const counted = entries.filter((entry) => !isOfSandbox(parseRow(entry)));
  const complete = count === undefined ? entries.length < pageSize && !next : isWhole(page);
  return { count: counted.length, complete };
}

function isOfSandbox(row: SessionRow | undefined): boolean {
  return row?.is_sandbox === true;
}
