import type { SessionsDocument, ShownSession } from "../documents/index.js";
import {
  codeCell,
  fitting,
  join,
  type Markdown,
  type MarkdownOptions,
  md,
  tableMarkdown,
  trusted,
} from "./markdown.js";
import { count, sessionTotals } from "./phrases.js";
import { type SessionsWriter, usedColumns } from "./sessions-text.js";

/** Sessions as a table with totals above. */
export function renderSessionsMarkdown(
  { sessions, ...summary }: SessionsDocument,
  options: MarkdownOptions = {},
): string {
  const writer = writeSessionsMarkdown(options);
  return writer.sessions(sessions) + writer.end(summary);
}

/** The same, as sessions come. As the totals come first, all is written at the end; only what fits is held. */
export function writeSessionsMarkdown({ limit = 60_000 }: MarkdownOptions = {}): SessionsWriter {
  const held: ShownSession[] = [];
  // Each has a value or a dash in a table, so that none takes fewer bytes than this.
  const most = limit / 5;
  let amount = 0;
  return {
    sessions(more) {
      amount += more.length;
      for (const session of more) if (held.length < most) held.push(session);
      return "";
    },
    end(summary) {
      const columns = usedColumns(held, summary.duration_unit);
      const titles = columns.map(({ title }) => title);
      const totals = trusted<Markdown>(sessionTotals(summary).join(" "));
      return fitting(held.length, limit, (fitted) => {
        const rows = held.slice(0, fitted).map((session) => columns.map(({ of }) => codeCell(of(session))));
        const left = amount - rows.length;
        const table = rows.length > 0 ? tableMarkdown(titles, rows) : md``;
        const rest =
          left > 0 ? md`_${trusted<Markdown>(count(left, "more session"))} not shown here._` : md``;
        return md`${join([totals, table, rest], "\n\n")}
`;
      });
    },
  };
}
