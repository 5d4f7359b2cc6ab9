import type { DurationUnit, SessionsDocument, SessionsSummary, ShownSession } from "../documents/index.js";
import { durationText, number, sessionTotals } from "./phrases.js";
import { missing, shownOr, stated } from "./session-facts.js";
import { type Line, styled, type TextOptions, toTerminal, wrap } from "./span.js";
import { type Column, measureColumns, paragraphs, tableText } from "./table.js";

/** Renders sessions as they come, so that they need not all be held in memory. */
export interface SessionsWriter {
  /** The text for further sessions; it may be empty, and come with later ones. Ends with a line end. */
  sessions(more: readonly ShownSession[]): string;
  end(summary: SessionsSummary): string;
}

interface SessionColumn extends Column {
  readonly of: (session: ShownSession) => string;
}

/** The columns of a session, in this order; the values are the service's own, "–" if missing. */
function sessionColumns(unit: DurationUnit | undefined): readonly SessionColumn[] {
  const shownDuration = (value: number) => (unit ? durationText(value, unit) : number(value));
  return [
    { title: "session", of: ({ id }) => stated(id) },
    { title: "created", of: ({ created_at }) => moment(created_at) },
    { title: "ended", of: ({ end_at }) => moment(end_at) },
    { title: "why", of: ({ end_reason }) => stated(end_reason) },
    { title: "duration", align: "right", of: ({ duration }) => shownOr(duration, shownDuration) },
    { title: "credits", align: "right", of: ({ credits_consumed: credits }) => shownOr(credits, number) },
    { title: "mode", of: ({ mode }) => stated(mode) },
    { title: "source", of: ({ source }) => stated(source) },
    { title: "sandbox", of: ({ is_sandbox }) => shownOr(is_sandbox, (is) => (is ? "yes" : "no")) },
  ];
}

/** The columns in which at least one session has a value. */
export function usedColumns(sessions: readonly ShownSession[], unit: DurationUnit | undefined) {
  return sessionColumns(unit).filter(({ of }) => sessions.some((session) => of(session) !== missing));
}

/** Sessions for a terminal: a table, or a paragraph each if it does not fit, and the totals. */
export function renderSessionsText(report: SessionsDocument, options: TextOptions): string {
  const writer = writeSessionsText(
    { ...options, durationUnit: report.duration_unit },
    Math.max(1, report.sessions.length),
  );
  return writer.sessions(report.sessions) + writer.end(report);
}

/**
 * The same, as sessions come. Columns and widths are those of the first `sample` sessions; where later ones need
 * more, the table begins anew.
 */
export function writeSessionsText(
  { durationUnit, ...options }: TextOptions & { readonly durationUnit?: DurationUnit | undefined },
  sample = 200,
): SessionsWriter {
  const width = Math.max(options.width, 24);
  const waiting: ShownSession[] = [];
  let columns: ReturnType<typeof usedColumns> = [];
  let widths: readonly number[] = [];
  let isBegun = false;

  function table(sessions: readonly ShownSession[]): string {
    if (sessions.length === 0) return "";
    const used = new Set([...columns, ...usedColumns(sessions, durationUnit)].map(({ title }) => title));
    const wanted = sessionColumns(durationUnit).filter(({ title }) => used.has(title));
    const rows = sessions.map((session) => wanted.map(({ of }) => of(session)));
    const before = wanted.length === columns.length ? widths : wanted.map(() => 0);
    const needed = measureColumns(wanted, rows, before);
    const isSame = isBegun && needed.every((own, at) => own === before[at]);
    const lines = tableText(wanted, rows, width, needed) ?? paragraphs(wanted, rows, width);
    const isTable = tableText(wanted, [], width, needed) !== undefined;
    const gap: Line[] = isBegun && !isSame && isTable ? [[]] : [];
    const text = toTerminal([...gap, ...(isSame && isTable ? lines.slice(1) : lines)], options.color);
    [columns, widths, isBegun] = [wanted, needed, true];
    return text;
  }

  return {
    sessions(more) {
      waiting.push(...more);
      return waiting.length < sample ? "" : table(waiting.splice(0));
    },
    end(summary) {
      const rest = table(waiting.splice(0));
      const totals = sessionTotals(summary).flatMap((sentence) =>
        wrap([styled(sentence, "strong")], { width, first: [styled("  ")], rest: [styled("    ")] }),
      );
      return rest + toTerminal([...(isBegun ? [[]] : []), ...totals], options.color);
    },
  };
}

/** To the second; JSON has the service's text. */
function moment(text: string | undefined): string {
  return stated(text).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, "$1 $2Z");
}
