import type { ReportedBudget, SessionsReportDocument } from "../documents/index.js";
import {
  type Block,
  bulletList,
  gap,
  heading,
  inline,
  markdownOnly,
  name,
  notes,
  ownText,
  paragraph,
  sentence,
  type TableColumn,
  textOnly,
} from "./blocks.js";
import { formatNumber, formatRequestCount } from "./phrases.js";
import {
  compareMeasures,
  createClockFormat,
  describeBudget,
  describeUnit,
  describeValues,
  formatOptional,
  listMeasures,
  listReportSentences,
  missingMark,
} from "./session-facts.js";
import type { Style } from "./span.js";

/** Describes a report: numbers compared with the previous period, groups, and notes. */
export function renderReportBlocks(report: SessionsReportDocument): Block[] {
  const { service, environment, period, previous } = report;
  const clock = createClockFormat(period.time_zone);
  const title = `Sessions created from ${clock(period.since)} to ${clock(period.until)} (${period.time_zone})`;
  const compared = `Compared with the preceding period of the same length, from ${clock(previous.since)}.`;
  const scope = environment === undefined ? [] : inline`, environment ${name(environment.slice(0, 100))}`;
  const budget = describeBudget(report);
  const basis = `${describeUnit(report)} ${formatRequestCount(report.requests)}.`;
  return [
    textOnly(heading(ownText(title, "strong"))),
    markdownOnly(
      heading(ownText(title)),
      paragraph([ownText(budget ?? "", budget === undefined ? "plain" : "strong")]),
    ),
    paragraph(inline`Service ${name(service.slice(0, 300))}${scope}. ${ownText(compared)}`, 2),
    gap,
    {
      is: "table",
      columns: [{ title: "", is: "own" }, ...createNumberColumns("this period", "before", "change")],
      rows: compareMeasures(report).map(({ title, shown, change }) => [
        ...[title, shown.now, shown.before, change ?? missingMark],
      ]),
    },
    bulletList([
      ...listReportSentences(report).map((text) => [ownText(text)]),
      ...describeValues(report).map((text) => [sentence(text)]),
    ]),
    gap,
    ...renderGroupsBlocks(report),
    gap,
    notes(report.incomplete.map(({ message }) => [sentence(message)])),
    paragraph([ownText(basis, "dim")], 2),
    ...(report.budget && budget !== undefined
      ? [textOnly(gap, paragraph([ownText(budget, budgetStyles[report.budget.status])], 2))]
      : []),
  ];
}

const budgetStyles: Readonly<Record<ReportedBudget["status"], Style>> = {
  kept: "good",
  exceeded: "error",
  unknown: "warning",
};

function createNumberColumns(...titles: readonly string[]): TableColumn[] {
  return titles.map((title) => ({ title, is: "number" }));
}

function renderGroupsBlocks(report: SessionsReportDocument): Block[] {
  const { by, groups } = report;
  if (by === undefined || groups.length === 0) return [];
  // Omits two of the durations to keep the line short. JSON contains all of them.
  const measures = listMeasures(report).filter(({ title }) => !/^(?:Longest|Total duration)$/.test(title));
  const cost = report.credit_price ? ["cost"] : [];
  const columns = createNumberColumns("sessions", "credits", ...cost, "median", "95th", "sandbox");
  return [
    {
      is: "table",
      columns: [{ title: by, is: "untrusted" }, ...columns],
      rows: groups.map((group) => [
        `${group.key ?? "not reported"}${group.partial ? " (part)" : ""}`,
        ...measures.map(({ getValue, format }) => formatOptional(getValue(group), format)),
        formatNumber(group.sandbox_sessions),
      ]),
      ...{ maxTextWidth: 40, isCut: true },
    },
  ];
}
