import { UsageError } from "../../base/diagnostics/index.js";
import type { Service } from "../../core/api/index.js";
import { type Calendar, dayName, weekName } from "./calendar.js";
import { readSessions, type SessionFilter, sumUnknown } from "./read.js";
import { createdMs, type SessionRow } from "./row.js";
import { openSum, Tally } from "./sum.js";

/** What to report. */
export interface PeriodReportOptions {
  readonly period: Period;
  readonly calendar: Calendar;
  readonly grouping?: Grouping | undefined;
  readonly filter?: SessionFilter | undefined;
  /** This machine's clock, in ms: for a service that does not tell its time. */
  readonly now: () => number;
}

/** The sessions of a period beside those of the one before, and what is known of the lists they were read from. */
export type PeriodReport = Awaited<ReturnType<typeof reportPeriod>>;

/**
 * Reads the sessions of a period and of the one before. Active sessions come first: one that ends meanwhile is then in
 * both lists, and not in neither. In memory are the active sessions of the period, and of each other one three numbers: its duration, begin and end.
 */
export async function reportPeriod(
  service: Pick<Service, "sessions" | "serverTime">,
  options: PeriodReportOptions,
) {
  const now = () => service.serverTime() ?? options.now();
  const summary = openSummary({ ...options, now });
  const active = readSessions(service, { type: "active", filter: options.filter });
  for await (const row of active) summary.addActive(row);
  /** When it was read, by the service's clock. */
  const readAtMs = now();
  const ended = readSessions(service, { type: "historic", since: summary.since, filter: options.filter });
  for await (const row of ended) summary.addEnded(row);
  const counts = summary.counts();
  const facts = [active.facts(), ended.facts()];
  return {
    ...counts,
    readAtMs,
    /** A list kept changing, or its count is wrong: sessions may be missing. */
    unstable: facts.some(({ unstable }) => unstable),
    unknown: sumUnknown(facts),
    /** How many entries of unknown shape could not be counted as a session. */
    unknownEntries: facts.reduce((sum, { unreadable }) => sum + unreadable, 0),
    undated: facts.reduce((sum, { undated }) => sum + undated, counts.undated),
  };
}

/** A session can be this much younger than the service's clock says: it may have several clocks. */
const clockToleranceMs = 60_000;

/**
 * Takes sessions one by one, in any order, and counts those of a period and of the one before; with the keys of the
 * document, and without sandbox sessions, where nothing else is said. Asks for the service's time at each session.
 */
export function openSummary({ period, calendar, grouping, now }: PeriodReportOptions) {
  const previous = periodBefore(period, calendar);
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

  /** When a session of the two periods was created; undefined for others. */
  function timeIn(row: SessionRow): number | undefined {
    const ms = createdMs(row);
    if (Number.isNaN(ms)) undated++;
    else if (ms >= period.until && ms > now() + clockToleranceMs) inFuture++;
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
    if (!day) throw new Error("Bug: a session of the period on none of its days");
    day.sessions++;
    day.credits.add(row.credits_consumed ?? 0);
    endReasons.add(row.end_reason);
    modes.add(row.mode);
    sources.add(row.source);
  }

  return {
    /** The begin of the period before: older sessions are not needed. */
    since: previous.since,
    addActive(row: SessionRow): void {
      const ms = timeIn(row);
      if (ms !== undefined && ms >= period.since && !row.is_sandbox) active.set(row.id ?? row, row);
    },
    /** One that was active when the active ones were read, and has ended since, is counted as ended. */
    addEnded(row: SessionRow): void {
      active.delete(row.id ?? row);
      const ms = timeIn(row);
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
        totals: totals.totals(),
        previous_totals: previousTotals.totals(),
        sandbox: sandbox.totals(),
        previous_sandbox: previousSandbox.totals(),
        /** Sessions of the period that have not ended: in no other number. */
        active: running.totals(),
        groups: groups.all(),
        days: days.map(({ day, isPartial, sessions, credits }) => ({
          day: dayName(day),
          sessions,
          credits_consumed: credits.value(),
          ...(isPartial && partial),
        })),
        end_reasons: endReasons.all(),
        modes: modes.all(),
        sources: sources.all(),
        /** Sessions whose time is not known; they are in no other number. */
        undated,
        /** Sessions after the period that cannot have been created yet; they are in no other number. */
        inFuture,
      };
    },
  };
}

const partial = { partial: true } as const;

function openGroups(grouping: Grouping | undefined) {
  const known = (grouping?.groups ?? []).map(({ key, isPartial }) => [key, newGroup(isPartial)] as const);
  const groups = new Map<string | undefined, ReturnType<typeof newGroup>>(known);
  return {
    add(row: SessionRow, ms: number) {
      if (!grouping) return;
      const key = grouping.keyOf(row, ms);
      const group = groups.get(key) ?? newGroup(false);
      groups.set(key, group);
      if (row.is_sandbox) group.sandbox++;
      else group.tally.add(row);
    },
    all() {
      const all = [...groups].map(([key, { tally, sandbox, isPartial }]) => ({
        key,
        ...tally.totals(),
        sandbox_sessions: sandbox,
        ...(isPartial && partial),
      }));
      return grouping?.groups
        ? all
        : all.sort((a, b) => b.sessions - a.sessions || compareStated(a.key, b.key));
    },
  };
}

function newGroup(isPartial: boolean) {
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

/** The same everywhere; what is not stated comes last. */
function compareStated(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  return b === undefined || (a !== undefined && a < b) ? -1 : 1;
}

/** From `since` until just before `until`; ms since the epoch, by the service's clock. */
export interface Period {
  readonly since: number;
  readonly until: number;
}

/**
 * The period of the same length before. Where both ends are beginnings of days, as many days: of these, one can have
 * 23 or 25 hours.
 */
function periodBefore({ since, until }: Period, calendar: Calendar): Period {
  if (!calendar.isStart(since) || !calendar.isStart(until))
    return { since: since - (until - since), until: since };
  const day = calendar.dayAt(since);
  return { since: calendar.startOf(day - (calendar.dayAt(until) - day)), until: since };
}

/** How the sessions of a period are divided. */
export interface Grouping {
  /** The key of a session's group; undefined: the service states none. */
  keyOf(row: SessionRow, createdMs: number): string | undefined;
  /** The groups in order, also those without sessions. Absent: those that occur, by sessions, most first. */
  readonly groups?: readonly FixedGroup[];
}

/** A group that is known before any session; partial: the period begins or ends within it. */
interface FixedGroup {
  readonly key: string;
  readonly isPartial: boolean;
}

/** The grouping by `day`, `week`, `mode` or `source` of a period; by anything else undefined. */
export function groupBy(name: string | undefined, period: Period, calendar: Calendar): Grouping | undefined {
  switch (name) {
    case "day":
      return {
        keyOf: (_, ms) => dayName(calendar.dayAt(ms)),
        groups: listDays(period, calendar).map(({ day, isPartial }) => ({ key: dayName(day), isPartial })),
      };
    case "week":
      return {
        keyOf: (_, ms) => weekName(calendar.dayAt(ms)),
        groups: listWeeks(period, calendar),
      };
    case "mode":
    case "source":
      return { keyOf: (row) => row[name] };
    default:
      return undefined;
  }
}

/** The days of a period, in order. */
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

/** Its days are complete, and all seven are there. */
function listWeeks(period: Period, calendar: Calendar): FixedGroup[] {
  const weeks = new Map<string, { days: number; isPartial: boolean }>();
  for (const { day, isPartial } of listDays(period, calendar)) {
    const key = weekName(day);
    const { days, isPartial: before } = weeks.get(key) ?? { days: 0, isPartial: false };
    weeks.set(key, { days: days + 1, isPartial: before || isPartial });
  }
  return [...weeks].map(([key, { days, isPartial }]) => ({ key, isPartial: isPartial || days < 7 }));
}

/**
 * Divides sessions by what they used. The list does not say it of a session, so those of each object, by address, are read
 * apart, no further back than the period. To be called before the report reads: a session that ends meanwhile is known.
 *
 * @throws UsageError `filter-ignored` if a session is in the lists of two objects.
 */
export async function groupByUse(
  service: Pick<Service, "sessions">,
  { since }: Period,
  byAddress: ReadonlyMap<string, SessionFilter>,
): Promise<Grouping> {
  const used = new Map<string | undefined, string>();
  for (const [address, filter] of byAddress)
    for (const type of ["active", "historic"] as const)
      for await (const { id } of readSessions(service, { type, since, filter })) {
        const before = used.get(id) ?? address;
        const problem = `A session is listed for both ${before} and ${address}: service.profile is wrong.`;
        if (before !== address) throw new UsageError("filter-ignored", problem);
        used.set(id, address);
      }
  return {
    groups: [...byAddress.keys()].map((key) => ({ key, isPartial: false })),
    keyOf: ({ id }) => used.get(id) ?? "others",
  };
}
