import { UsageError } from "../../base/diagnostics/index.js";
import type { Service } from "../../core/api/index.js";
import { type Calendar, formatDay, formatWeek } from "./calendar.js";
import { readSessions, type SessionFilter, sumUnknown } from "./read.js";
import { getCreatedMs, type SessionRow } from "./row.js";
import { openSum, Tally } from "./sum.js";

export interface PeriodReportOptions {
  readonly period: Period;
  readonly calendar: Calendar;
  readonly grouping?: Grouping | undefined;
  readonly filter?: SessionFilter | undefined;
  /** This machine's clock, for a service whose responses have no date. */
  readonly now: () => number;
}

/** Sessions of a period and of the previous period, with facts about the lists. */
export type PeriodReport = Awaited<ReturnType<typeof reportPeriod>>;

/**
 * Reads the sessions of a period and of the previous period. Reads the active list first, so that a session that ends
 * between the two reads is in both lists instead of in neither.
 */
export async function reportPeriod(
  service: Pick<Service, "sessions" | "getServerTime">,
  options: PeriodReportOptions,
) {
  const now = () => service.getServerTime() ?? options.now();
  const summary = openSummary({ ...options, now });
  const active = readSessions(service, { type: "active", filter: options.filter });
  for await (const row of active) summary.addActive(row);
  /** When the active list was read, by the service's clock. */
  const readAtMs = now();
  const ended = readSessions(service, { type: "historic", since: summary.since, filter: options.filter });
  for await (const row of ended) summary.addEnded(row);
  const counts = summary.counts();
  const facts = [active.facts(), ended.facts()];
  return {
    ...counts,
    readAtMs,
    /** Whether sessions may be missing, because a list kept changing or its count is wrong. */
    unstable: facts.some(({ unstable }) => unstable),
    groupsMayMissSessions: options.grouping?.mayMissSessions === true,
    unknown: sumUnknown(facts),
    /** Number of malformed entries that could not be counted as sessions. */
    unknownEntries: facts.reduce((sum, { unreadable }) => sum + unreadable, 0),
    undated: facts.reduce((sum, { undated }) => sum + undated, counts.undated),
  };
}

/** How far a creation time may be ahead of the current time, because the service's clocks can differ. */
const maxClockSkewMs = 60_000;

/**
 * Opens a summary of a period and of the previous one. Add the active list before ended sessions. Sandbox sessions
 * count only in totals with `sandbox` in their name.
 */
export function openSummary({ period, calendar, grouping, now }: PeriodReportOptions) {
  const previous = getPreviousPeriod(period, calendar);
  const active = new Map<SessionRow | string, SessionRow>();
  const [totals, previousTotals, sandbox, previousSandbox] = [
    new Tally(),
    new Tally(),
    new Tally(),
    new Tally(),
  ];
  const groups = openGroups(grouping);
  const firstDay = calendar.dayAt(period.since);
  const days = listDays(period, calendar).map((day) => ({ ...day, sessions: 0, credits: openSum() }));
  const [endReasons, modes, sources] = [openCounts(), openCounts(), openCounts()];
  let undated = 0;
  let inFuture = 0;

  /** Returns a session's creation time, or undefined if it is in neither period. */
  function readTime(row: SessionRow): number | undefined {
    const ms = getCreatedMs(row);
    if (Number.isNaN(ms)) undated++;
    else if (ms >= period.until && ms > now() + maxClockSkewMs) inFuture++;
    return ms >= previous.since && ms < period.until ? ms : undefined;
  }

  function addToPeriod(row: SessionRow, ms: number): void {
    groups.add(row, ms);
    if (row.is_sandbox) {
      sandbox.add(row);
      return;
    }
    totals.add(row);
    const day = days[calendar.dayAt(ms) - firstDay];
    if (!day) throw new Error("Bug: a session in the period has no day");
    day.sessions++;
    day.credits.add(row.credits_consumed ?? 0);
    endReasons.add(row.end_reason);
    modes.add(row.mode);
    sources.add(row.source);
  }

  return {
    /** Start of the previous period. Callers can omit older sessions. */
    since: previous.since,
    addActive(row: SessionRow): void {
      const ms = readTime(row);
      if (ms !== undefined && ms >= period.since && !row.is_sandbox) active.set(row.id ?? row, row);
    },
    /** Adds an ended session, which replaces its entry from the active list. */
    addEnded(row: SessionRow): void {
      active.delete(row.id ?? row);
      const ms = readTime(row);
      if (ms === undefined) return;
      if (ms >= period.since) addToPeriod(row, ms);
      else (row.is_sandbox ? previousSandbox : previousTotals).add(row);
    },
    counts() {
      const running = new Tally();
      for (const row of active.values()) running.add(row);
      return {
        period,
        previous,
        totals: totals.getTotals(),
        previous_totals: previousTotals.getTotals(),
        sandbox: sandbox.getTotals(),
        previous_sandbox: previousSandbox.getTotals(),
        /** Sessions of the period that have not ended, excluded from all other numbers. */
        active: running.getTotals(),
        groups: groups.all(),
        days: days.map(({ day, isPartial, sessions, credits }) => ({
          day: formatDay(day),
          sessions,
          credits_consumed: credits.value(),
          ...(isPartial && partial),
        })),
        end_reasons: endReasons.all(),
        modes: modes.all(),
        sources: sources.all(),
        /** Sessions without a time, excluded from all other numbers. */
        undated,
        /** Sessions created after the period and in the future, excluded from all other numbers. */
        inFuture,
      };
    },
  };
}

const partial = { partial: true } as const;

function openGroups(grouping: Grouping | undefined) {
  const known = (grouping?.groups ?? []).map(({ key, isPartial }) => [key, createGroup(isPartial)] as const);
  const groups = new Map<string | undefined, ReturnType<typeof createGroup>>(known);
  return {
    add(row: SessionRow, ms: number) {
      if (!grouping) return;
      const key = grouping.getKey(row, ms);
      const group = groups.get(key) ?? createGroup(false);
      groups.set(key, group);
      if (row.is_sandbox) group.sandbox++;
      else group.tally.add(row);
    },
    all() {
      const all = [...groups].map(([key, { tally, sandbox, isPartial }]) => ({
        key,
        ...tally.getTotals(),
        sandbox_sessions: sandbox,
        ...(isPartial && partial),
      }));
      return grouping?.groups
        ? all
        : all.sort((a, b) => b.sessions - a.sessions || compareStated(a.key, b.key));
    },
  };
}

function createGroup(isPartial: boolean) {
  return { tally: new Tally(), sandbox: 0, isPartial };
}

function openCounts() {
  const counts = new Map<string | undefined, number>();
  return {
    add(value: string | undefined) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    },
    all: () =>
      [...counts]
        .map(([value, sessions]) => ({ value, sessions }))
        .sort((a, b) => b.sessions - a.sessions || compareStated(a.value, b.value)),
  };
}

/** Compares by code units, so that the order is the same on every machine. Unknown values come last. */
function compareStated(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  return b === undefined || (a !== undefined && a < b) ? -1 : 1;
}

/** Period from `since` until just before `until`, in ms since the epoch, by the service's clock. */
export interface Period {
  readonly since: number;
  readonly until: number;
}

/**
 * Returns the period of the same length before this one. If both ends are starts of days, the length is in days, which
 * may have 23 or 25 hours.
 */
function getPreviousPeriod({ since, until }: Period, calendar: Calendar): Period {
  if (!calendar.isStart(since) || !calendar.isStart(until))
    return { since: since - (until - since), until: since };
  const day = calendar.dayAt(since);
  return { since: calendar.getStart(day - (calendar.dayAt(until) - day)), until: since };
}

/** Division of a period's sessions into groups. */
export interface Grouping {
  /** Returns a session's group key, or undefined if the session has none. */
  getKey(row: SessionRow, createdMs: number): string | undefined;
  /** Groups in display order, including empty ones. Default: only groups with sessions, largest first. */
  readonly groups?: readonly FixedGroup[];
  /** Whether sessions without a group may belong to one, because its list may be incomplete. */
  readonly mayMissSessions?: boolean;
}

/** A predefined group, partial if the period starts or ends within it. */
interface FixedGroup {
  readonly key: string;
  readonly isPartial: boolean;
}

/** Returns the grouping by `day`, `week`, `mode` or `source`, or undefined for other names. */
export function groupBy(name: string | undefined, period: Period, calendar: Calendar): Grouping | undefined {
  switch (name) {
    case "day":
      return {
        getKey: (_, ms) => formatDay(calendar.dayAt(ms)),
        groups: listDays(period, calendar).map(({ day, isPartial }) => ({ key: formatDay(day), isPartial })),
      };
    case "week":
      return {
        getKey: (_, ms) => formatWeek(calendar.dayAt(ms)),
        groups: listWeeks(period, calendar),
      };
    case "mode":
    case "source":
      return { getKey: (row) => row[name] };
    default:
      return undefined;
  }
}

function listDays(
  { since, until }: Period,
  calendar: Calendar,
): { readonly day: number; readonly isPartial: boolean }[] {
  const first = calendar.dayAt(since);
  const last = calendar.dayAt(until - 1);
  return Array.from({ length: last - first + 1 }, (_, at) => ({
    day: first + at,
    isPartial: (at === 0 && !calendar.isStart(since)) || (first + at === last && !calendar.isStart(until)),
  }));
}

/** A week is partial if the period does not cover all of its days. */
function listWeeks(period: Period, calendar: Calendar): FixedGroup[] {
  const weeks = new Map<string, { days: number; isPartial: boolean }>();
  for (const { day, isPartial } of listDays(period, calendar)) {
    const key = formatWeek(day);
    const { days, isPartial: before } = weeks.get(key) ?? { days: 0, isPartial: false };
    weeks.set(key, { days: days + 1, isPartial: before || isPartial });
  }
  return [...weeks].map(([key, { days, isPartial }]) => ({ key, isPartial: isPartial || days < 7 }));
}

/**
 * Groups sessions by the object they used. Reads the list once per object, because sessions in the list do not name
 * their objects. Call it before the report, so that sessions that end in the meantime are already known.
 *
 * @throws UsageError `filter-ignored` if a session is listed for two objects.
 */
export async function groupByObject(
  service: Pick<Service, "sessions">,
  { since }: Period,
  byAddress: ReadonlyMap<string, SessionFilter>,
): Promise<Grouping> {
  const used = new Map<string | undefined, string>();
  let mayMissSessions = false;
  for (const [address, filter] of byAddress)
    for (const type of ["active", "historic"] as const) {
      const stream = readSessions(service, { type, since, filter });
      for await (const { id } of stream) {
        const before = used.get(id) ?? address;
        const problem = `A session is listed for both ${before} and ${address}, so service.profile is wrong. Correct or remove it.`;
        if (before !== address) throw new UsageError("filter-ignored", problem);
        used.set(id, address);
      }
      const { unstable, unreadable } = stream.facts();
      mayMissSessions ||= unstable || unreadable > 0;
    }
  return {
    groups: [...byAddress.keys()].map((key) => ({ key, isPartial: false })),
    getKey: ({ id }) => used.get(id) ?? "others",
    mayMissSessions,
  };
}
