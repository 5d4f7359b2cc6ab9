import { type Calendar, dayName } from "./calendar.js";
import { daysOf, type Grouping } from "./grouping.js";
import { type Period, periodBefore } from "./period.js";
import { createdMs, type SessionRow } from "./row.js";
import { openSum } from "./sum.js";
import { Tally, type Totals } from "./tally.js";

/** What a summary counts. */
export interface SummaryOptions {
  readonly period: Period;
  readonly calendar: Calendar;
  readonly grouping?: Grouping | undefined;
  /** The service's clock, ms since the epoch: asked at each session. */
  readonly now: () => number;
}

/** Sessions of a period and of the one before. Without sandbox sessions, where nothing else is said. */
export interface PeriodSummary {
  readonly period: Period;
  readonly previous: Period;
  readonly totals: Totals;
  readonly previousTotals: Totals;
  readonly sandbox: Totals;
  readonly previousSandbox: Totals;
  /** Sessions of the period that have not ended: in no other number. */
  readonly active: Totals;
  readonly groups: readonly GroupTotals[];
  readonly days: readonly DayTotals[];
  /** By hour of the week, from Monday. */
  readonly hours: readonly number[];
  readonly endReasons: readonly ValueCount[];
  readonly modes: readonly ValueCount[];
  readonly sources: readonly ValueCount[];
  /** Sessions whose time is not known; they are in no other number. */
  readonly undated: number;
  /** Sessions after the period that cannot have been created yet; they are in no other number. */
  readonly inFuture: number;
}

export interface GroupTotals extends Totals {
  /** Undefined: the service states none. */
  readonly key: string | undefined;
  readonly sandboxSessions: number;
  readonly isPartial: boolean;
}

export interface DayTotals {
  readonly day: string;
  readonly sessions: number;
  readonly credits: number;
  readonly isPartial: boolean;
}

export interface ValueCount {
  readonly value: string | undefined;
  readonly sessions: number;
}

/** Takes sessions in any order, one by one. */
export interface SummaryBuilder {
  /** The begin of the period before: older sessions are not needed. */
  readonly since: number;
  addActive(row: SessionRow): void;
  /** One that was active when the active ones were read, and has ended since, is counted as ended. */
  addEnded(row: SessionRow): void;
  summary(): PeriodSummary;
}

/** A session can be this much younger than the service's clock says: it may have several clocks. */
const clockToleranceMs = 60_000;

export function openSummary({ period, calendar, grouping, now }: SummaryOptions): SummaryBuilder {
  const previous = periodBefore(period, calendar);
  const active = new Map<SessionRow | string, SessionRow>();
  const [totals, previousTotals, sandbox, previousSandbox] = [
    new Tally(),
    new Tally(),
    new Tally(),
    new Tally(),
  ];
  const groups = openGroups(grouping);
  const firstDay = calendar.dayOf(period.since);
  const days = daysOf(period, calendar).map((day) => ({ ...day, sessions: 0, credits: openSum() }));
  const hours = Array.from({ length: 7 * 24 }, () => 0);
  const [endReasons, modes, sources] = [openCounts(), openCounts(), openCounts()];
  let undated = 0;
  let inFuture = 0;

  /** When a session of the two periods was created; undefined for others. */
  function timeOf(row: SessionRow): number | undefined {
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
    const day = days[calendar.dayOf(ms) - firstDay];
    if (!day) throw new Error("Bug: a session of the period on none of its days");
    day.sessions++;
    day.credits.add(row.credits_consumed ?? 0);
    const hour = calendar.hourOf(ms);
    hours[hour] = (hours[hour] ?? 0) + 1;
    endReasons.add(row.end_reason);
    modes.add(row.mode);
    sources.add(row.source);
  }

  return {
    since: previous.since,
    addActive(row) {
      const ms = timeOf(row);
      if (ms !== undefined && ms >= period.since && !row.is_sandbox) active.set(row.id ?? row, row);
    },
    addEnded(row) {
      active.delete(row.id ?? row);
      const ms = timeOf(row);
      if (ms === undefined) return;
      if (ms >= period.since) addToPeriod(row, ms);
      else (row.is_sandbox ? previousSandbox : previousTotals).add(row);
    },
    summary() {
      const running = new Tally();
      for (const row of active.values()) running.add(row);
      return {
        ...{ period, previous },
        totals: totals.totals(),
        previousTotals: previousTotals.totals(),
        sandbox: sandbox.totals(),
        previousSandbox: previousSandbox.totals(),
        active: running.totals(),
        groups: groups.all(),
        days: days.map(({ day, isPartial, sessions, credits }) => ({
          ...{ day: dayName(day), sessions, credits: credits.value(), isPartial },
        })),
        hours,
        endReasons: endReasons.all(),
        modes: modes.all(),
        sources: sources.all(),
        ...{ undated, inFuture },
      };
    },
  };
}

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
    all(): GroupTotals[] {
      const all = [...groups].map(([key, { tally, sandbox, isPartial }]) => ({
        ...{ key, ...tally.totals(), sandboxSessions: sandbox, isPartial },
      }));
      return grouping?.groups ? all : all.sort((a, b) => b.sessions - a.sessions || inOrder(a.key, b.key));
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
    all: (): ValueCount[] =>
      [...counts]
        .map(([value, sessions]) => ({ value, sessions }))
        .sort((a, b) => b.sessions - a.sessions || inOrder(a.value, b.value)),
  };
}

/** The same everywhere; what is not stated comes last. */
function inOrder(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  return b === undefined || (a !== undefined && a < b) ? -1 : 1;
}
