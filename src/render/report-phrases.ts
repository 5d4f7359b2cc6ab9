import type {
  ReportedCount,
  ReportedDeployment,
  ReportedGroup,
  SessionsReportDocument,
} from "../documents/index.js";
import { count, durationText, number } from "./phrases.js";
import { changeOf, clockIn, compared, missing, reportMeasures, weekdays } from "./session-facts.js";

/** "Sessions created from 23 Oct 2026, 06:00 to 22 Nov 2026, 06:00 (UTC)". */
export function reportTitle({ period }: SessionsReportDocument): string {
  const clock = clockIn(period.time_zone);
  return `Sessions created from ${clock(period.since)} to ${clock(period.until)} (${period.time_zone})`;
}

/** "Compared with the period of the same length before, from 23 Sep 2026, 06:00." */
export function comparedWith({ period, previous }: SessionsReportDocument): string {
  const clock = clockIn(period.time_zone);
  return `Compared with the period of the same length before, from ${clock(previous.since)}.`;
}

/** The main numbers: each with its name, as it is, as it was in the period before, and the difference. */
export function comparison(document: SessionsReportDocument): string[][] {
  return reportMeasures(document).map((measure) => {
    const { now, before, change } = compared(document, measure);
    return [measure.title, ...[now, before].map((value) => valueOr(value, measure.shown)), change ?? missing];
  });
}

/** A group in the columns of its title, the measures, and its sandbox sessions. */
export function groupRow(document: SessionsReportDocument, group: ReportedGroup): string[] {
  const values = reportMeasures(document).map(({ of, shown }) => valueOr(of(group), shown));
  return [groupName(group), ...values, number(group.sandbox_sessions)];
}

/** The titles of these columns, and which can be left out where there is little room, one after the other. */
export function groupTitles(document: SessionsReportDocument): string[] {
  return [document.by ?? "", "sessions", "credits", "median", "95th", "longest", "total", "sandbox"];
}

export const lessImportant: readonly string[] = ["total", "longest", "sandbox", "95th"];

/** The titles of a report by deployment: what each of them changed, and the sessions before and after it. */
export const deploymentTitles: readonly string[] = [
  "deployed",
  "changed",
  "sessions",
  "a day",
  "credits",
  "median",
  "change",
];

/** The columns that can be left out, as of `lessImportant`. */
export const lessImportantOfDeployments: readonly string[] = ["a day", "change"];

/**
 * The deployments in these columns: as it was from the one before, or the begin of the period, until then, and from then
 * until the next one, or the end of the period. Of the one that was live when the period began, only the latter.
 */
export function deploymentRows(document: SessionsReportDocument): string[][] {
  const { groups, duration_unit, period } = document;
  const clock = clockIn(period.time_zone);
  return groups.flatMap((group, at) => {
    const { deployment } = group;
    if (!deployment) return [];
    const before = groups[at - 1];
    const pair = (of: (group: ReportedGroup) => number | undefined, shown: (value: number) => string) =>
      [...(before ? [before] : []), group].map((one) => valueOr(of(one), shown)).join(" → ");
    const median = ({ duration }: ReportedGroup) => duration?.median;
    const [was, is] = [before && median(before), median(group)];
    return [
      [
        `${clock(deployment.at)} ${nameOfDeployment(deployment)}`,
        listed(deployment.addresses),
        pair(({ sessions }) => sessions, number),
        pair(perDay, (value) => number(Math.round(value * 10) / 10)),
        pair(({ credits_consumed }) => credits_consumed, number),
        pair(median, (value) => durationText(value, duration_unit)),
        was === undefined || is === undefined ? missing : (changeOf(is, was) ?? missing),
      ],
    ];
  });
}

/** "#12 1a2b3c4d", "#13 rollback to #11". */
function nameOfDeployment({ serial, commit, restored, recovered }: ReportedDeployment): string {
  const files = commit && ` ${commit.id.slice(0, 8)}${commit.modified ? " with changes" : ""}`;
  const back = restored && ` rollback to #${restored.serial}`;
  return `#${serial}${back ?? files ?? ""}${recovered ? " recovered" : ""}`;
}

function listed([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${count(others.length, "other")}`;
}

/** Sessions a day: the times between two deployments differ in length. */
function perDay({ sessions, during }: ReportedGroup): number | undefined {
  const ms = during ? Date.parse(during.until) - Date.parse(during.since) : 0;
  return ms > 0 ? (sessions * 86_400_000) / ms : undefined;
}

/** What a report by deployment says if there is no row. */
export const noDeployment = "No apply that changed a context is known of this period.";

function valueOr(value: number | undefined, shown: (value: number) => string): string {
  return value === undefined ? missing : shown(value);
}

/** "API", "2026-10-23 (part)", "not stated". */
function groupName({ key, partial }: ReportedGroup): string {
  return `${key ?? notStated}${partial ? " (part)" : ""}`;
}

const notStated = "not stated";

/** Values with their counts, the last of them for those that are too many; none if the service states none. */
export function countsOf(counts: readonly ReportedCount[], most = 8): [value: string, sessions: number][] {
  if (counts.every(({ value }) => value === undefined)) return [];
  const shown = counts
    .slice(0, most)
    .map(({ value = notStated, sessions }): [string, number] => [value, sessions]);
  const rest = counts.slice(most);
  const others = rest.reduce((sum, { sessions }) => sum + sessions, 0);
  return others > 0 ? [...shown, [count(rest.length, "more value"), others]] : shown;
}

/** "12 sandbox sessions besides (10 before): median duration 1m". */
export function sandboxSentence(document: SessionsReportDocument): string | undefined {
  const { sandbox, previous_sandbox, duration_unit } = document;
  if (sandbox.sessions + previous_sandbox.sessions === 0) return undefined;
  const { duration, credits_consumed } = sandbox;
  const median = duration ? `, median duration ${durationText(duration.median, duration_unit)}` : "";
  const credits = credits_consumed === 0 ? "" : `, ${number(credits_consumed)} credits`;
  return `Sandbox, not counted above: ${count(sandbox.sessions, "session")} (before: ${number(previous_sandbox.sessions)})${median}${credits}.`;
}

/** "3 sessions of this period are active: 12 credits so far, not counted above." */
export function activeSentence({ active }: SessionsReportDocument): string | undefined {
  const { sessions, credits_consumed } = active;
  if (sessions === 0) return undefined;
  const are = sessions === 1 ? "is" : "are";
  return `Not ended yet, not counted above: ${count(sessions, "session")} that ${are} active, with ${number(credits_consumed)} credits so far.`;
}

/** "Tue 10:00 (45), Fri 09:00 (31)": hours of the week with most sessions. */
export function busiestHours({ hours }: SessionsReportDocument, most = 3): string {
  const all = hours.flatMap((day, weekday) =>
    day.map((sessions, hour) => ({
      name: `${weekdays[weekday]?.slice(0, 3)} ${String(hour).padStart(2, "0")}:00`,
      sessions,
    })),
  );
  return all
    .filter(({ sessions }) => sessions > 0)
    .toSorted((a, b) => b.sessions - a.sessions)
    .slice(0, most)
    .map(({ name, sessions }) => `${name} (${number(sessions)})`)
    .join(", ");
}

/** Sessions by hour of the day: 24 numbers. */
export function hoursOfDay({ hours }: SessionsReportDocument): number[] {
  return Array.from({ length: 24 }, (_, hour) => hours.reduce((sum, day) => sum + (day[hour] ?? 0), 0));
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
