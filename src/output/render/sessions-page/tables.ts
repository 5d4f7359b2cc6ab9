import type {
  ReportedCount,
  ReportedGroup,
  SessionsReportDocument,
  ShownSession,
} from "../../documents/index.js";
import { foreign, type HtmlContent, type HtmlElement, h } from "../html.js";
import { largest } from "../largest.js";
import { count, durationText, number } from "../phrases.js";
import {
  clockIn,
  compareMeasures,
  groupingTitles,
  missing,
  reportMeasures,
  sharePercent,
  shownOr,
} from "../session-facts.js";
import { percent, shareBar } from "./charts.js";
import { type Column, plainTable, sortableTable } from "./table.js";

/** The groups of a report. */
export function groupsTable(report: SessionsReportDocument, by: NonNullable<typeof report.by>): HtmlElement {
  const inOrder = by === "day" || by === "week" || by === "deployment";
  const key: Column<ReportedGroup> = {
    title: groupingTitles[by],
    is: "words",
    value: (group) => group.key,
    shown: ({ key, partial }) =>
      h("span", {}, key === undefined ? "not stated" : foreign(key), partial ? " (in part)" : ""),
  };
  return sortableTable({
    id: "groups",
    caption: `Ended sessions by ${by}, without sandbox sessions but for the last column.`,
    columns: [
      key,
      ...(by === "deployment" ? [changed] : []),
      ...reportMeasures(report).map(({ title, of, shown }) => amount(title, of, shown)),
      amount<ReportedGroup>("Sandbox", ({ sandbox_sessions }) => sandbox_sessions, number),
    ],
    rows: report.groups,
    sorted: inOrder ? { column: 0, direction: "ascending" } : { column: 1, direction: "descending" },
  });
}

/** What the apply changed at the begin of a group by deployment. */
const changed: Column<ReportedGroup> = {
  title: "Changed",
  is: "words",
  value: ({ deployment }) => deployment?.addresses.join(", "),
  shown: ({ deployment }) => (deployment ? foreign(deployment.addresses.join(", "), 200) : missing),
};

/** The most sessions that are shown one by one. */
const mostSessions = 100;

/** Sessions one by one; `at` is when they were read, in ms since the epoch: an active one has an age. */
export function sessionsTable(
  id: "active" | "ended",
  sessions: readonly ShownSession[],
  { period, duration_unit }: SessionsReportDocument,
  at: number,
): HtmlElement {
  const isActive = id === "active";
  const clock = clockIn(period.time_zone, false);
  const words = (
    title: string,
    value: (session: ShownSession) => string | undefined,
  ): Column<ShownSession> => ({
    ...{ title, is: "words", value },
    shown: (session) => shownOr(value(session), foreign),
  });
  const time = (
    title: string,
    value: (session: ShownSession) => string | undefined,
  ): Column<ShownSession> => ({
    ...{ title, is: "time", value },
    shown: (session) => foreign(clock(value(session))),
  });
  const secondsSince = (moment = "") => {
    const began = Date.parse(moment);
    return Number.isNaN(began) ? undefined : Math.max(0, (at - began) / 1000);
  };
  const own = isActive
    ? [
        time("Began", ({ created_at }) => created_at),
        amount<ShownSession>(
          "Age",
          ({ created_at }) => secondsSince(created_at),
          (age) => durationText(age, "seconds"),
        ),
      ]
    : [
        time("Ended", ({ end_at, updated_at }) => end_at ?? updated_at),
        words("End reason", ({ end_reason }) => end_reason),
        amount<ShownSession>(
          "Duration",
          ({ duration }) => duration,
          (value) => durationText(value, duration_unit),
        ),
      ];
  const rows = sessions.slice(0, mostSessions);
  const left = sessions.length - rows.length;
  const rest = left > 0 ? ` ${count(left, "more session")} not shown.` : "";
  return sortableTable({
    id,
    caption: `${isActive ? "Sessions that have not ended" : "The last ended sessions"}, sandbox sessions included.${rest}`,
    columns: [
      ...own,
      words("Mode", ({ mode }) => mode),
      words("Source", ({ source }) => source),
      words("Sandbox", ({ is_sandbox: is }) => (is === undefined ? undefined : is ? "yes" : "no")),
      amount<ShownSession>("Credits", ({ credits_consumed }) => credits_consumed, number),
      words("Session", (session) => session.id),
    ],
    rows,
  });
}

function amount<Row>(
  title: string,
  value: (row: Row) => number | undefined,
  shown: (value: number) => string,
): Column<Row> {
  return { title, is: "number", value, shown: (row) => shownOr(value(row), shown) };
}

/** What is said of a period, beside the period before and the sandbox. */
export function comparisonTable(report: SessionsReportDocument): HtmlElement {
  return plainTable(
    "comparison",
    "The upper bar is this period, the lower one the period before. Sandbox sessions are in the last column only.",
    ["Measure", "This period", "Before", "Change", "Sandbox"],
    compareMeasures(report).map(({ title, now = 0, before = 0, change, shown }) => {
      const bars = h("span", { class: "paired" }, pairOfBars(now, before), h("span", {}, change ?? missing));
      return [title, shown.now, shown.before, bars, shown.sandbox];
    }),
  );
}

function pairOfBars(now: number, before: number): HtmlElement {
  const most = largest([now, before], 0) || 1;
  const bar = (kind: string, y: number, value: number) =>
    h("rect", { class: kind, y, width: percent((100 * value) / most), height: 7, rx: 2 });
  return h(
    "svg",
    { class: "pair sessions wide", width: 140, height: 16, "aria-hidden": "true" },
    bar("value", 0, now),
    bar("before", 9, before),
  );
}

/** How many sessions have which value, with a bar each; the many rare ones together. */
export function shares(title: string, counts: readonly ReportedCount[]): HtmlElement {
  const most = 10;
  const whole = counts.reduce((sum, { sessions }) => sum + sessions, 0);
  const rest = counts.slice(most).reduce((sum, { sessions }) => sum + sessions, 0);
  const row = (name: HtmlContent, sessions: number) => {
    const share = h("span", { class: "soft" }, ` (${sharePercent(sessions, whole)})`);
    const stated = h("span", { class: "stated" }, number(sessions), share);
    return h("li", {}, h("span", {}, name), stated, shareBar(sessions / (whole || 1), 6));
  };
  const rows = counts
    .slice(0, most)
    .map(({ value, sessions }) => row(value === undefined ? "not stated" : foreign(value), sessions));
  if (rest > 0) rows.push(row(count(counts.length - most, "other value"), rest));
  return h(
    "div",
    { class: "card sessions" },
    h("h3", {}, title),
    rows.length === 0 ? h("p", { class: "empty" }, "No sessions.") : h("ul", { class: "shares" }, ...rows),
  );
}
