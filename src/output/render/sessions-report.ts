import type { ReportedBudget, SessionsReportDocument } from "../documents/index.js";
import {
  type Block,
  gap,
  heading,
  inMarkdown,
  inText,
  list,
  name,
  notes,
  ours,
  paragraph,
  sentence,
  type TableColumn,
  words,
} from "./blocks.js";
import { number, requestCount } from "./phrases.js";
import {
  budgetSentence,
  clockIn,
  compareMeasures,
  missing,
  reportMeasures,
  reportSentences,
  shownOr,
  unitSentence,
  valueSentences,
} from "./session-facts.js";
import type { Style } from "./span.js";

/** Describes a report: numbers compared with the period before, groups, and notes. */
export function reportBlocks(report: SessionsReportDocument): Block[] {
  const { service, environment, period, previous } = report;
  const clock = clockIn(period.time_zone);
  const title = `Sessions created from ${clock(period.since)} to ${clock(period.until)} (${period.time_zone})`;
  const compared = `Compared with the preceding period of the same length, from ${clock(previous.since)}.`;
  const place = environment === undefined ? [] : words`, environment ${name(environment.slice(0, 100))}`;
  const budget = budgetSentence(report);
  const basis = `${unitSentence(report)} ${requestCount(report.requests)}.`;
  return [
    inText(heading(ours(title, "strong"))),
    inMarkdown(
      heading(ours(title)),
      paragraph([ours(budget ?? "", budget === undefined ? "plain" : "strong")]),
    ),
    paragraph(words`Service ${name(service.slice(0, 300))}${place}. ${ours(compared)}`, 2),
    gap,
    {
      is: "table",
      columns: [{ title: "", is: "ours" }, ...numbers("this period", "before", "change")],
      rows: compareMeasures(report).map(({ title, shown, change }) => [
        ...[title, shown.now, shown.before, change ?? missing],
      ]),
    },
    list([
      ...reportSentences(report).map((text) => [ours(text)]),
      ...valueSentences(report).map((text) => [sentence(text)]),
    ]),
    gap,
    ...groupsBlocks(report),
    gap,
    notes(report.incomplete.map(({ message }) => [sentence(message)])),
    paragraph([ours(basis, "dim")], 2),
    ...(report.budget && budget !== undefined
      ? [inText(gap, paragraph([ours(budget, budgetStyles[report.budget.status])], 2))]
      : []),
  ];
}

const budgetStyles: Readonly<Record<ReportedBudget["status"], Style>> = {
  kept: "good",
  exceeded: "error",
  unknown: "warning",
};

function numbers(...titles: readonly string[]): TableColumn[] {
  return titles.map((title) => ({ title, is: "number" }));
}

function groupsBlocks(report: SessionsReportDocument): Block[] {
  const { by, groups } = report;
  if (by === undefined || groups.length === 0) return [];
  // Two durations per line are enough; JSON has all.
  const measures = reportMeasures(report).filter(({ title }) => !/^(?:Longest|Total duration)$/.test(title));
  const cost = report.credit_price ? ["cost"] : [];
  const columns = numbers("sessions", "credits", ...cost, "median", "95th", "sandbox");
  return [
    {
      is: "table",
      columns: [{ title: by, is: "foreign" }, ...columns],
      rows: groups.map((group) => [
        `${group.key ?? "not stated"}${group.partial ? " (part)" : ""}`,
        ...measures.map(({ of, shown }) => shownOr(of(group), shown)),
        number(group.sandbox_sessions),
      ]),
      ...{ widest: 40, isCut: true },
    },
  ];
}
