import type { SessionsDocument, ShownSession } from "../documents/index.js";
import { number, sessionTotals } from "./phrases.js";
import { flow, type Line, styled, type TextOptions, toTerminal, wrap } from "./span.js";
import { tableText } from "./table.js";

/** The columns of a session, in this order; the values are the service's own, "–" if missing. */
const sessionColumns: readonly {
  readonly title: string;
  readonly align?: "right";
  readonly of: (session: ShownSession) => string;
}[] = [
  { title: "session", of: ({ id }) => stated(id) },
  { title: "created", of: ({ created_at }) => moment(created_at) },
  { title: "ended", of: ({ end_at }) => moment(end_at) },
  { title: "why", of: ({ end_reason }) => stated(end_reason) },
  { title: "duration", align: "right", of: ({ duration }) => amount(duration) },
  { title: "credits", align: "right", of: ({ credits_consumed }) => amount(credits_consumed) },
  { title: "mode", of: ({ mode }) => stated(mode) },
  { title: "source", of: ({ source }) => stated(source) },
  { title: "sandbox", of: ({ is_sandbox }) => (is_sandbox === undefined ? "–" : is_sandbox ? "yes" : "no") },
];

/** The columns in which at least one session has a value. */
export function usedColumns({ sessions }: SessionsDocument) {
  return sessionColumns.filter(({ of }) => sessions.some((session) => of(session) !== "–"));
}

/** Sessions for a terminal: a table, or a paragraph each if it does not fit, and the totals. */
export function renderSessionsText(report: SessionsDocument, options: TextOptions): string {
  const width = Math.max(options.width, 24);
  const columns = usedColumns(report);
  const rows = report.sessions.map((session) => columns.map(({ of }) => of(session)));
  const lines =
    rows.length === 0 ? [] : (tableText(columns, rows, width) ?? paragraphs(columns, rows, width));
  const totals = sessionTotals(report).flatMap((sentence) =>
    wrap([styled(sentence, "strong")], margins(width)),
  );
  return toTerminal([...lines, ...(lines.length > 0 ? [[]] : []), ...totals], options.color);
}

function paragraphs(
  columns: readonly { readonly title: string }[],
  rows: readonly (readonly string[])[],
  width: number,
): Line[] {
  return rows.flatMap((row) => {
    const things = row.map((text, at): Line => {
      if (at === 0) return [styled("  "), styled(text, "strong")];
      return [styled(`${columns[at]?.title} `, "dim"), styled(text)];
    });
    return flow(things, width, "    ");
  });
}

function margins(width: number) {
  return { width, first: [styled("  ")], rest: [styled("    ")] };
}

/** To the second; JSON has the service's text. */
function moment(text: string | undefined): string {
  return stated(text).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, "$1 $2Z");
}

function stated(text: string | undefined): string {
  return text === undefined || text === "" ? "–" : text;
}

function amount(value: number | undefined): string {
  return value === undefined ? "–" : number(value);
}
