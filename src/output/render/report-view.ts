import type {
  ReportedCount,
  ReportedDeployment,
  ReportedGroup,
  SessionsReportDocument,
} from "../documents/index.js";
import { largest } from "./largest.js";
import { count, durationText, number, requestCount } from "./phrases.js";
import {
  clockHour,
  clockIn,
  compareMeasures,
  compareNumbers,
  missing,
  reportMeasures,
  shownOr,
  unitSentence,
  weekdays,
} from "./session-facts.js";

/*
 * What a report says, in the same words in a terminal and in Markdown: the two printers only lay it out.
 */

/** A table; all but its first columns are numbers. */
export interface ReportTable {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How many columns at the beginning are words, some of them foreign. */
  readonly words: number;
  /** Titles of columns that can be left out where there is little room, one after the other. */
  readonly dispensable: readonly string[];
}

/** The groups; of deployments, what they do not tell, and what is said if there is none. */
interface GroupsTable extends ReportTable {
  readonly note?: string | undefined;
  readonly none?: string;
}

/** A chart of one line; `most`: the number of its highest mark. Without it, it has a mark for each hour of the day. */
interface ReportChart {
  readonly name: string;
  readonly marks: string;
  readonly most?: number;
}

/** `room`: the marks that a chart by day may have. */
export function viewReport(report: SessionsReportDocument, room = 60) {
  const { service, environment, period, previous, end_reasons, modes, sources } = report;
  const clock = clockIn(period.time_zone);
  return {
    title: `Sessions created from ${clock(period.since)} to ${clock(period.until)} (${period.time_zone})`,
    ...{ service, environment },
    compared: `Compared with the period of the same length before, from ${clock(previous.since)}.`,
    measures: {
      titles: ["", "this period", "before", "change"],
      rows: compareMeasures(report).map(({ title, shown, change }) => [
        ...[title, shown.now, shown.before, change ?? missing],
      ]),
      ...{ words: 1, dispensable: [] },
    } satisfies ReportTable,
    /** Sessions that are in no other number. */
    apart: [sandboxSentence(report), activeSentence(report)].flatMap((sentence) => sentence ?? []),
    ...(report.totals.sessions > 0
      ? { charts: viewCharts(report, room), busiest: busiestHours(report) }
      : {}),
    groups: viewGroups(report),
    /** How many sessions have which value, under the name of the values; none if the service states none. */
    values: (
      [
        ["ended by", mostCommon(end_reasons)],
        ["modes", mostCommon(modes)],
        ["sources", mostCommon(sources)],
      ] as const
    ).filter(([, counts]) => counts.length > 0),
    incomplete: report.incomplete.map(({ message }) => message),
    basis: [unitSentence(report), `${requestCount(report.requests)}.`],
    budget: budgetSentence(report),
  };
}

function viewCharts({ days, hours }: SessionsReportDocument, room: number): ReportChart[] {
  const byDay = (what: string, values: readonly number[]): ReportChart => {
    const { values: shown, each } = condensed(values, room);
    const name = `${what} per ${each === 1 ? "day" : `${each} days`}`;
    return { name, marks: sparkline(shown), most: largest(shown, 0) };
  };
  const byHour = Array.from({ length: 24 }, (_, hour) =>
    hours.reduce((sum, day) => sum + (day[hour] ?? 0), 0),
  );
  return [
    byDay(
      "sessions",
      days.map(({ sessions }) => sessions),
    ),
    byDay(
      "credits",
      days.map(({ credits_consumed }) => credits_consumed),
    ),
    { name: "sessions by hour", marks: sparkline(byHour) },
  ];
}

function viewGroups(report: SessionsReportDocument): GroupsTable | undefined {
  const { by, by_note: note, groups } = report;
  if (by === undefined || groups.length === 0) return undefined;
  if (by === "deployment")
    return {
      titles: ["deployed", "changed", "sessions", "a day", "credits", "median", "change"],
      rows: deploymentRows(report),
      ...{ words: 2, dispensable: ["a day", "change"], note },
      none: "No apply that changed a context is known of this period.",
    };
  const measures = reportMeasures(report);
  return {
    titles: [by, "sessions", "credits", "median", "95th", "longest", "total", "sandbox"],
    rows: groups.map((group) => [
      `${group.key ?? notStated}${group.partial ? " (part)" : ""}`,
      ...measures.map(({ of, shown }) => shownOr(of(group), shown)),
      number(group.sandbox_sessions),
    ]),
    ...{ words: 1, dispensable: ["total", "longest", "sandbox", "95th"] },
  };
}

/**
 * The deployments: as it was from the one before, or the begin of the period, until then, and from then until the next
 * one, or the end of the period. Of the one that was live when the period began, only the latter.
 */
function deploymentRows({ groups, duration_unit, period }: SessionsReportDocument): string[][] {
  const clock = clockIn(period.time_zone);
  return groups.flatMap((group, at) => {
    const { deployment } = group;
    if (!deployment) return [];
    const before = groups[at - 1];
    const pair = (of: (group: ReportedGroup) => number | undefined, shown: (value: number) => string) =>
      [...(before ? [before] : []), group].map((one) => shownOr(of(one), shown)).join(" → ");
    const median = ({ duration }: ReportedGroup) => duration?.median;
    return [
      [
        `${clock(deployment.at)} ${nameDeployment(deployment)}`,
        shortList(deployment.addresses),
        pair(({ sessions }) => sessions, number),
        pair(perDay, (value) => number(Math.round(value * 10) / 10)),
        pair(({ credits_consumed }) => credits_consumed, number),
        pair(median, (value) => durationText(value, duration_unit)),
        compareNumbers(median(group), before && median(before)) ?? missing,
      ],
    ];
  });
}

/** "#12 1a2b3c4d", "#13 rollback to #11". */
function nameDeployment({ serial, commit, restored, recovered }: ReportedDeployment): string {
  const files = commit && ` ${commit.id.slice(0, 8)}${commit.modified ? " with changes" : ""}`;
  const back = restored && ` rollback to #${restored.serial}`;
  return `#${serial}${back ?? files ?? ""}${recovered ? " recovered" : ""}`;
}

function shortList([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${count(others.length, "other")}`;
}

/** Sessions a day: the times between two deployments differ in length. */
function perDay({ sessions, during }: ReportedGroup): number | undefined {
  const ms = during ? Date.parse(during.until) - Date.parse(during.since) : 0;
  return ms > 0 ? (sessions * 86_400_000) / ms : undefined;
}

const notStated = "not stated";
const mostValues = 8;

/** Values with their counts, the last of them for those that are too many; none if the service states none. */
function mostCommon(counts: readonly ReportedCount[]): [value: string, sessions: number][] {
  if (counts.every(({ value }) => value === undefined)) return [];
  const shown = counts
    .slice(0, mostValues)
    .map(({ value = notStated, sessions }): [string, number] => [value, sessions]);
  const rest = counts.slice(mostValues);
  const others = rest.reduce((sum, { sessions }) => sum + sessions, 0);
  return others > 0 ? [...shown, [count(rest.length, "more value"), others]] : shown;
}

function sandboxSentence(report: SessionsReportDocument): string | undefined {
  const { sandbox, previous_sandbox, duration_unit } = report;
  if (sandbox.sessions + previous_sandbox.sessions === 0) return undefined;
  const { duration, credits_consumed } = sandbox;
  const median = duration ? `, median duration ${durationText(duration.median, duration_unit)}` : "";
  const credits = credits_consumed === 0 ? "" : `, ${number(credits_consumed)} credits`;
  return `Sandbox, not counted above: ${count(sandbox.sessions, "session")} (before: ${number(previous_sandbox.sessions)})${median}${credits}.`;
}

function activeSentence({ active }: SessionsReportDocument): string | undefined {
  const { sessions, credits_consumed } = active;
  if (sessions === 0) return undefined;
  const are = sessions === 1 ? "is" : "are";
  return `Not ended yet, not counted above: ${count(sessions, "session")} that ${are} active, with ${number(credits_consumed)} credits so far.`;
}

/** "Tue 10:00 (45), Fri 09:00 (31)": the hours of the week with most sessions. */
function busiestHours({ hours }: SessionsReportDocument): string {
  return hours
    .flatMap((day, weekday) => day.map((sessions, hour) => ({ weekday, hour, sessions })))
    .filter(({ sessions }) => sessions > 0)
    .toSorted((a, b) => b.sessions - a.sessions)
    .slice(0, 3)
    .map(({ weekday, hour, sessions }) => {
      return `${weekdays[weekday]?.slice(0, 3)} ${clockHour(hour)} (${number(sessions)})`;
    })
    .join(", ");
}

/** What became of the budget; undefined without one. */
export function budgetSentence({ budget }: SessionsReportDocument): string | undefined {
  if (!budget) return undefined;
  const { credits, consumed, status } = budget;
  const share = credits > 0 ? ` (${number(Math.floor((consumed / credits) * 1000) / 10)}%)` : "";
  const amounts = `${number(consumed)} of ${number(credits)} credits consumed${share}`;
  if (status === "kept") return `Budget kept: ${amounts}.`;
  if (status === "exceeded") return `Budget exceeded: ${amounts}.`;
  return `Budget not checked: at least ${amounts}, but the numbers are incomplete, as the notes say.`;
}

const marks = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** A chart of one line. The lowest mark is nothing: however small, everything else is seen. */
function sparkline(values: readonly number[]): string {
  const most = largest(values, 0);
  const mark = (value: number) =>
    value > 0 ? marks[Math.max(1, Math.round((value / most) * (marks.length - 1)))] : marks[0];
  return values.map(mark).join("");
}

/** As few neighbours together as needed for at most `room` values, and how many that are. */
function condensed(
  values: readonly number[],
  room: number,
): { readonly values: readonly number[]; readonly each: number } {
  const each = Math.max(1, Math.ceil(values.length / Math.max(1, room)));
  const sums = Array.from({ length: Math.ceil(values.length / each) }, (_, at) =>
    values.slice(at * each, (at + 1) * each).reduce((sum, value) => sum + value, 0),
  );
  return { values: sums, each };
}
