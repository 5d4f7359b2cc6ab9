import type { SessionsReportDocument } from "../documents/index.js";
import {
  type Cell,
  code,
  codeCell,
  fitting,
  join,
  type Markdown,
  md,
  phrase,
  sentence,
  tableMarkdown,
} from "./markdown.js";
import { count, number, requestCount } from "./phrases.js";
import type { MarkdownOptions } from "./plan-markdown.js";
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
  noDeployment,
  reportTitle,
  sandboxSentence,
} from "./report-phrases.js";
import { unitSentence } from "./session-facts.js";
import { condensed, sparkline } from "./sparkline.js";

/** A report for a summary of CI or a chat: the same as in a terminal. */
export function renderReportMarkdown(
  report: SessionsReportDocument,
  { limit = 60_000 }: MarkdownOptions = {},
): string {
  const ours = (text: string | undefined) => phrase<Markdown>(text ?? "");
  const { service, environment } = report;
  const place = environment === undefined ? md`` : md`, environment ${code(environment.slice(0, 100))}`;
  const budget = budgetSentence(report);
  return fitting(report.groups.length, limit, (amount) =>
    join(
      [
        md`### ${ours(reportTitle(report))}`,
        budget === undefined ? md`` : md`**${ours(budget)}**`,
        md`Service ${code(service.slice(0, 300))}${place}. ${ours(comparedWith(report))}`,
        metrics(report),
        join([sandboxSentence(report), activeSentence(report)].map(ours), " "),
        charts(report),
        groups(report, amount),
        values(report),
        join(
          report.incomplete.map(({ message }) => md`- ${sentence(message)}`),
          "\n",
        ),
        md`_${ours(unitSentence(report))} ${ours(requestCount(report.requests))}._\n`,
      ],
      "\n\n",
    ),
  );
}

function metrics(report: SessionsReportDocument): Markdown {
  const rows = comparison(report).map((row) => row.map(phrase<Cell>));
  return tableMarkdown(["", "this period", "before", "change"], rows);
}

/** Code hosts show code in a font with marks of one width. */
function charts(report: SessionsReportDocument): Markdown {
  if (report.totals.sessions === 0) return md``;
  const perDay = (name: string, values: readonly number[]) => {
    const { values: shown, each } = condensed(values, 60);
    const what = each === 1 ? "day" : `${each} days`;
    return md`- ${phrase<Markdown>(name)} per ${phrase<Markdown>(what)}: ${code(sparkline(shown))}`;
  };
  return join(
    [
      perDay(
        "sessions",
        report.days.map(({ sessions }) => sessions),
      ),
      perDay(
        "credits",
        report.days.map(({ credits_consumed }) => credits_consumed),
      ),
      md`- sessions by hour of the day, from 0 to 23: ${code(sparkline(hoursOfDay(report)))}`,
      md`- busiest hours: ${phrase<Markdown>(busiestHours(report))}`,
    ],
    "\n",
  );
}

function groups(report: SessionsReportDocument, amount: number): Markdown {
  if (report.by === undefined || report.groups.length === 0) return md``;
  if (report.by === "deployment") return deployments(report, amount);
  const rows = report.groups.slice(0, amount).map((group) => {
    const [name = "", ...values] = groupRow(report, group);
    return [codeCell(name), ...values.map(phrase<Cell>)];
  });
  return join([tableMarkdown(groupTitles(report), rows), moreRows(report.groups.length - amount)], "\n\n");
}

function deployments(report: SessionsReportDocument, amount: number): Markdown {
  const note = md`_${sentence(report.by_note ?? "")}_`;
  const all = deploymentRows(report);
  if (all.length === 0) return join([md`${phrase<Markdown>(noDeployment)}`, note], "\n\n");
  // The newest ones.
  const rows = all.slice(Math.max(0, all.length - amount)).map(([name = "", changed = "", ...values]) => {
    return [codeCell(name), codeCell(changed), ...values.map(phrase<Cell>)];
  });
  return join([tableMarkdown(deploymentTitles, rows), moreRows(all.length - amount), note], "\n\n");
}

function moreRows(left: number): Markdown {
  return left > 0 ? md`_${phrase<Markdown>(count(left, "more row"))} not shown here._` : md``;
}

function values(report: SessionsReportDocument): Markdown {
  const lists = { "ended by": report.end_reasons, modes: report.modes, sources: report.sources };
  return join(
    Object.entries(lists).map(([name, counts]) => {
      const things = countsOf(counts).map(
        ([value, sessions]) => md`${code(value.slice(0, 100))} ${phrase<Markdown>(number(sessions))}`,
      );
      return things.length === 0 ? md`` : md`- ${phrase<Markdown>(name)}: ${join(things, ", ")}`;
    }),
    "\n",
  );
}
