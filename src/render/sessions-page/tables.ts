import type { ReportedCount, ReportedGroup, SessionsReportDocument } from "../../documents/index.js";
import { foreign, type HtmlContent, type HtmlElement, h } from "../html.js";
import { largest } from "../largest.js";
import { count, number } from "../phrases.js";
import { compared, groupingTitles, missing, reportMeasures, shareOf, shownOr } from "../session-facts.js";
import { percent } from "./bar-chart.js";
import { type Column, plainTable, sortableTable } from "./table.js";

/** The groups of a report. */
export function groupsTable(report: SessionsReportDocument, by: NonNullable<typeof report.by>): HtmlElement {
  const inOrder = by === "day" || by === "week" || by === "deployment";
  const measures: Column<ReportedGroup>[] = reportMeasures(report).map(({ title, of, shown }) => ({
    title,
    is: "number",
    value: of,
    shown: (group) => shownOr(of(group), shown),
  }));
  return sortableTable({
    id: "groups",
    caption: `Ended sessions by ${by}, without sandbox sessions but for the last column.`,
    columns: [
      {
        title: groupingTitles[by],
        is: "words",
        value: ({ key }) => key,
        shown: ({ key, partial }) =>
          h("span", {}, key === undefined ? "not stated" : foreign(key), partial ? " (in part)" : ""),
      },
      ...(by === "deployment" ? [changed] : []),
      ...measures,
      {
        title: "Sandbox",
        is: "number",
        value: ({ sandbox_sessions }) => sandbox_sessions,
        shown: ({ sandbox_sessions }) => number(sandbox_sessions),
      },
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

/** What is told of a period, beside the period before and the sandbox. */
export function comparisonTable(report: SessionsReportDocument): HtmlElement {
  return plainTable(
    "comparison",
    "The upper bar is this period, the lower one the period before. Sandbox sessions are in the last column only.",
    ["Measure", "This period", "Before", "Change", "Sandbox"],
    reportMeasures(report).map((measure) => {
      const { title, of, shown } = measure;
      const { now, before, change: changed } = compared(report, measure);
      const change = h(
        "span",
        { class: "paired" },
        pairOfBars(now ?? 0, before ?? 0),
        h("span", {}, changed ?? missing),
      );
      return [title, shownOr(now, shown), shownOr(before, shown), change, shownOr(of(report.sandbox), shown)];
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
  const rows: { name: HtmlContent; sessions: number }[] = counts
    .slice(0, most)
    .map(({ value, sessions }) => ({
      name: value === undefined ? "not stated" : foreign(value),
      sessions,
    }));
  if (rest > 0) rows.push({ name: `${count(counts.length - most, "other value")}`, sessions: rest });
  return h(
    "div",
    { class: "card sessions" },
    h("h3", {}, title),
    rows.length === 0
      ? h("p", { class: "empty" }, "No sessions.")
      : h(
          "ul",
          { class: "shares" },
          ...rows.map(({ name, sessions }) =>
            h(
              "li",
              {},
              h("span", {}, name),
              h(
                "span",
                { class: "stated" },
                number(sessions),
                h("span", { class: "soft" }, ` (${shareOf(sessions, whole)})`),
              ),
              h(
                "svg",
                { class: "share", height: 6, "aria-hidden": "true" },
                h("rect", { class: "track", width: "100%", height: 6, rx: 3 }),
                h("rect", {
                  class: "value",
                  width: percent((100 * sessions) / (whole || 1)),
                  height: 6,
                  rx: 3,
                }),
              ),
            ),
          ),
        ),
  );
}
