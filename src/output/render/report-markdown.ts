import type { SessionsReportDocument } from "../documents/index.js";
import {
  type Cell,
  code,
  codeCell,
  fitting,
  join,
  type Markdown,
  type MarkdownOptions,
  md,
  phrase,
  sentence,
  tableMarkdown,
} from "./markdown.js";
import { count, number } from "./phrases.js";
import { viewReport } from "./report-view.js";

/** A report for a summary of CI or a chat: the same as in a terminal. */
export function renderReportMarkdown(
  report: SessionsReportDocument,
  { limit = 60_000 }: MarkdownOptions = {},
): string {
  const ours = (text: string | undefined) => phrase<Markdown>(text ?? "");
  const view = viewReport(report);
  const { service, environment, measures, charts = [], busiest, budget } = view;
  const place = environment === undefined ? md`` : md`, environment ${code(environment.slice(0, 100))}`;
  const measureRows = measures.rows.map((row) => row.map(phrase<Cell>));
  // Code hosts show code in a font with marks of one width.
  const chartLines = charts.map(({ name, marks, most }) => {
    const scale = most === undefined ? " of the day, from 0 to 23" : "";
    return md`- ${ours(name + scale)}: ${code(marks)}`;
  });
  const values = view.values.map(([name, counts]) => {
    const things = counts.map(
      ([value, sessions]) => md`${code(value.slice(0, 100))} ${ours(number(sessions))}`,
    );
    return md`- ${ours(name)}: ${join(things, ", ")}`;
  });
  const notes = view.incomplete.map((message) => md`- ${sentence(message)}`);
  return fitting(report.groups.length, limit, (amount) =>
    join(
      [
        md`### ${ours(view.title)}`,
        budget === undefined ? md`` : md`**${ours(budget)}**`,
        md`Service ${code(service.slice(0, 300))}${place}. ${ours(view.compared)}`,
        tableMarkdown(measures.titles, measureRows),
        ours(view.apart.join(" ")),
        join([...chartLines, busiest === undefined ? md`` : md`- busiest hours: ${ours(busiest)}`], "\n"),
        groups(view, amount),
        join(values, "\n"),
        join(notes, "\n"),
        md`_${ours(view.basis.join(" "))}_\n`,
      ],
      "\n\n",
    ),
  );
}

/** Of deployments, the newest ones. */
function groups({ groups: table }: ReturnType<typeof viewReport>, amount: number): Markdown {
  if (table === undefined) return md``;
  const { titles, rows, words, note, none } = table;
  const about = note === undefined ? md`` : md`_${sentence(note)}_`;
  if (rows.length === 0) return join([phrase(none ?? ""), about], "\n\n");
  const left = Math.max(0, rows.length - amount);
  const kept = none === undefined ? rows.slice(0, amount) : rows.slice(left);
  const shown = kept.map((row) => row.map((text, at) => (at < words ? codeCell(text) : phrase<Cell>(text))));
  const rest = left > 0 ? md`_${phrase<Markdown>(count(left, "more row"))} not shown here._` : md``;
  return join([tableMarkdown(titles, shown), rest, about], "\n\n");
}
