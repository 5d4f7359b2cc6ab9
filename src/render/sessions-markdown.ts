import type { SessionsDocument } from "../documents/index.js";
import { fitting, htmlCode, htmlTable, join, type Markdown, md, phrase } from "./markdown.js";
import { count, sessionTotals } from "./phrases.js";
import type { MarkdownOptions } from "./plan-markdown.js";
import { usedColumns } from "./sessions-text.js";

/** Sessions as a table with totals above. */
export function renderSessionsMarkdown(
  report: SessionsDocument,
  { limit = 60_000 }: MarkdownOptions = {},
): string {
  const columns = usedColumns(report);
  const titles = columns.map(({ title }) => title);
  const totals = phrase<Markdown>(sessionTotals(report).join(" "));
  return fitting(report.sessions.length, limit, (amount) => {
    const shown = report.sessions.slice(0, amount);
    const left = report.sessions.length - amount;
    const rows = shown.map((session) => columns.map(({ of }) => htmlCode(of(session))));
    const table = rows.length > 0 ? htmlTable(titles, rows) : md``;
    const rest = left > 0 ? md`_${phrase<Markdown>(count(left, "more session"))} not shown here._` : md``;
    return md`${join([totals, table, rest], "\n\n")}
`;
  });
}
