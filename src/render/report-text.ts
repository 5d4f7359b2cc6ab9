import type { ReportedBudget, SessionsReportDocument } from "../documents/index.js";
import { clip } from "./cells.js";
import { largest } from "./largest.js";
import { number, requestCount } from "./phrases.js";
import {
  activeSentence,
  budgetSentence,
  busiestHours,
  comparedWith,
  comparison,
  countsOf,
  deploymentRows,
  deploymentTitles,
  groupRow,
  groupTitles,
  hoursOfDay,
  lessImportant,
  lessImportantOfDeployments,
  noDeployment,
  reportTitle,
  sandboxSentence,
} from "./report-phrases.js";
import { unitSentence } from "./session-facts.js";
import { flow, type Line, type Style, styled, type TextOptions, toTerminal, wrap } from "./span.js";
import { condensed, sparkline } from "./sparkline.js";
import { tableText } from "./table.js";
import { visible } from "./visible.js";

const budgetStyles: Readonly<Record<ReportedBudget["status"], Style>> = {
  kept: "good",
  exceeded: "error",
  unknown: "warning",
};

/** A report for a terminal: numbers beside those of the period before, charts of one line, groups, notes. */
export function renderReportText(
  report: SessionsReportDocument,
  { color, width: columns }: TextOptions,
): string {
  const width = Math.max(columns, 24);
  const sentence = (text: string | undefined, style: Style = "plain") =>
    text === undefined ? [] : wrap([styled(text, style)], margins(width));
  const { service, environment, budget } = report;
  const account = `${service}${environment === undefined ? "" : ` (${environment})`}`;
  const blocks: Line[][] = [
    [
      ...wrap([styled(reportTitle(report), "strong")], { width, first: [], rest: [styled("  ")] }),
      ...sentence(account, "dim"),
      ...sentence(comparedWith(report), "dim"),
    ],
    [...metrics(report, width), ...sentence(sandboxSentence(report)), ...sentence(activeSentence(report))],
    charts(report, width),
    groups(report, width),
    values(report, width),
    [
      ...report.incomplete.flatMap(({ message }) =>
        wrap([styled("note", "warning"), styled(`  ${message}`)], {
          width,
          first: [styled("  ")],
          rest: [styled("        ")],
        }),
      ),
      ...sentence(unitSentence(report), "dim"),
      ...sentence(`${requestCount(report.requests)}.`, "dim"),
    ],
    sentence(budgetSentence(report), budget && budgetStyles[budget.status]),
  ];
  const shown = blocks.filter((block) => block.length > 0);
  return toTerminal(
    shown.flatMap((block, at) => (at === 0 ? block : [[], ...block])),
    color,
  );
}

function metrics(report: SessionsReportDocument, width: number): Line[] {
  return table(["", "this period", "before", "change"], comparison(report), width);
}

/** The names of charts have one width. */
const nameWidth = 18;

function charts(report: SessionsReportDocument, width: number): Line[] {
  if (report.totals.sessions === 0) return [];
  const perDay = (name: string, values: readonly number[]): Line[] => {
    const { values: shown, each } = condensed(values, Math.max(20, Math.min(60, width - nameWidth - 20)));
    const per = each === 1 ? "day" : `${each} days`;
    return chart(`${name} per ${per}`, sparkline(shown), `most: ${number(largest(shown, 0))}`, width);
  };
  return [
    ...perDay(
      "sessions",
      report.days.map(({ sessions }) => sessions),
    ),
    ...perDay(
      "credits",
      report.days.map(({ credits_consumed }) => credits_consumed),
    ),
    ...chart("sessions by hour", sparkline(hoursOfDay(report)), "0 to 23 h", width),
    ...flow([named("busiest hours"), [styled(busiestHours(report))]], width, "    "),
  ];
}

function chart(name: string, line: string, scale: string, width: number): Line[] {
  return flow([named(name), [styled(line, "changed")], [styled(scale, "dim")]], width, "    ");
}

function named(name: string): Line {
  return [styled(`  ${name.padEnd(nameWidth)}`, "dim")];
}

function groups(report: SessionsReportDocument, width: number): Line[] {
  if (report.by === undefined || report.groups.length === 0) return [];
  if (report.by === "deployment") return deployments(report, width);
  const rows = report.groups.map((group) => groupRow(report, group).map((text) => clip(visible(text), 40)));
  return table(groupTitles(report), rows, width);
}

function values(report: SessionsReportDocument, width: number): Line[] {
  const lists = { "ended by": report.end_reasons, modes: report.modes, sources: report.sources };
  return Object.entries(lists).flatMap(([name, counts]) => {
    const things = countsOf(counts).map(
      ([value, sessions]): Line => [styled(clip(visible(value), 40)), styled(` ${number(sessions)}`, "dim")],
    );
    return things.length === 0 ? [] : flow([named(name), ...things], width, "    ");
  });
}

function deployments(report: SessionsReportDocument, width: number): Line[] {
  const rows = deploymentRows(report).map((row) => row.map((text) => clip(visible(text), 60)));
  const note = wrap([styled(report.by_note ?? "", "dim")], margins(width));
  if (rows.length === 0) return [...wrap([styled(noDeployment)], margins(width)), ...note];
  return [...table(deploymentTitles, rows, width, lessImportantOfDeployments), ...note];
}

/** The columns of words besides the first. */
const wordy: ReadonlySet<string> = new Set(["changed"]);

/** A table of numbers. Where there is little room, without its least important columns, or a paragraph for each row. */
function table(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
  dispensable = lessImportant,
): Line[] {
  const without = [undefined, ...dispensable].map((_, at) => new Set(dispensable.slice(0, at)));
  for (const left of without) {
    const kept = (_: unknown, at: number) => !left.has(titles[at] ?? "");
    const columns = titles.map((title, at) => ({
      title,
      ...(at > 0 && !wordy.has(title) && { align: "right" as const }),
    }));
    const fits = tableText(
      columns.filter(kept),
      rows.map((row) => row.filter(kept)),
      width,
    );
    if (fits) return fits;
  }
  return rows.flatMap((row) => paragraph(titles, row, width));
}

function paragraph(titles: readonly string[], row: readonly string[], width: number): Line[] {
  const things = row.map((text, at): Line => {
    if (at === 0) return [styled("  "), styled(text, "strong")];
    return [styled(`${titles[at]} `, "dim"), styled(text)];
  });
  return flow(things, width, "    ");
}

function margins(width: number) {
  return { width, first: [styled("  ")], rest: [styled("    ")] };
}
