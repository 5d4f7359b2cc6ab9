import {
  createSessionsHead,
  type DurationUnit,
  type SessionDocument,
  type SessionsSummary,
  type ShownSession,
} from "../documents/index.js";
import { type Block, facts, gap, name, paragraph, sentence, type TableColumn } from "./blocks.js";
import { openJsonList } from "./json.js";
import { formatDuration, formatNumber, formatSessionTotals } from "./phrases.js";
import { formatOptional, formatOptionalText, missingMark } from "./session-facts.js";
import { createSpan, type Line, type TextOptions, toTerminal, wrap } from "./span.js";
import { renderParagraphs, renderTableText } from "./table.js";

/** Opens a writer. Any format other than JSON produces text. */
export function openSessionsWriter(
  format: string,
  type: SessionsSummary["type"],
  options: TextOptions & { readonly durationUnit?: DurationUnit | undefined },
): SessionsWriter {
  return format === "json" ? writeSessionsJson(type) : writeSessionsText(options);
}

/** Streams the sessions as JSON, followed by the summary. */
function writeSessionsJson(type: SessionsSummary["type"]): SessionsWriter {
  const { items, end } = openJsonList({ ...createSessionsHead(), type }, "sessions");
  return { sessions: items, rest: () => "", end: ({ type: _, ...summary }) => end(summary) };
}

/** Writes sessions as they arrive, so that they need not fit in memory. */
interface SessionsWriter {
  /** Returns complete lines, or "" while sessions are collected for the next table. */
  sessions(more: readonly ShownSession[]): string;
  /** Returns the collected sessions, for a list without an end. */
  rest(): string;
  end(summary: SessionsSummary): string;
}

interface SessionColumn extends TableColumn {
  readonly format: (session: ShownSession) => string;
}

/** Returns a session's columns. Missing values are "–". */
function createSessionColumns(unit: DurationUnit | undefined): readonly SessionColumn[] {
  const formatShownDuration = (value: number) => (unit ? formatDuration(value, unit) : formatNumber(value));
  return [
    { title: "session", is: "untrusted", format: ({ id }) => formatOptionalText(id) },
    { title: "created", is: "untrusted", format: ({ created_at }) => formatMoment(created_at) },
    { title: "ended", is: "untrusted", format: ({ end_at }) => formatMoment(end_at) },
    { title: "why", is: "untrusted", format: ({ end_reason }) => formatOptionalText(end_reason) },
    {
      title: "duration",
      is: "number",
      format: ({ duration }) => formatOptional(duration, formatShownDuration),
    },
    {
      title: "credits",
      is: "number",
      format: ({ credits_consumed: credits }) => formatOptional(credits, formatNumber),
    },
    { title: "mode", is: "untrusted", format: ({ mode }) => formatOptionalText(mode) },
    { title: "source", is: "untrusted", format: ({ source }) => formatOptionalText(source) },
    {
      title: "sandbox",
      is: "untrusted",
      format: ({ is_sandbox }) => formatOptional(is_sandbox, (is) => (is ? "yes" : "no")),
    },
  ];
}

/** Returns the columns with at least one value. */
function pickUsedColumns(sessions: readonly ShownSession[], unit: DurationUnit | undefined) {
  return createSessionColumns(unit).filter(({ format }) =>
    sessions.some((session) => format(session) !== missingMark),
  );
}

export function renderSessionBlocks({ session, duration_unit: unit, transcript }: SessionDocument): Block[] {
  const lines = transcript?.transcript_data ?? [];
  return [
    facts(pickUsedColumns([session], unit).map(({ title, format }) => [title, format(session)])),
    gap,
    ...lines.map(({ role, transcript: text }) => paragraph([name(role, "strong"), sentence(`: ${text}`)], 4)),
  ];
}

/** Number of sessions to collect before a table is printed. Each table chooses its own columns and widths. */
const maxTableRows = 200;

/** Prints sessions and totals for a terminal. Uses paragraphs where a table does not fit. */
function writeSessionsText({
  durationUnit,
  ...options
}: TextOptions & { readonly durationUnit?: DurationUnit | undefined }): SessionsWriter {
  const width = Math.max(options.width, 24);
  const waiting: ShownSession[] = [];
  let isBegun = false;

  function formatRows(sessions: readonly ShownSession[]): string {
    if (sessions.length === 0) return "";
    const columns = pickUsedColumns(sessions, durationUnit);
    const rows = sessions.map((session) => columns.map(({ format }) => format(session)));
    const lines = renderTableText(columns, rows, width) ?? renderParagraphs(columns, rows, width);
    const gap: Line[] = isBegun ? [[]] : [];
    isBegun = true;
    return toTerminal([...gap, ...lines], options.color);
  }

  const formatRest = () => formatRows(waiting.splice(0));
  return {
    sessions(more) {
      waiting.push(...more);
      return waiting.length < maxTableRows ? "" : formatRest();
    },
    rest: formatRest,
    end(summary) {
      const rest = formatRest();
      const totals = formatSessionTotals(summary).flatMap((sentence) =>
        wrap([createSpan(sentence, "strong")], {
          width,
          first: [createSpan("  ")],
          rest: [createSpan("    ")],
        }),
      );
      return rest + toTerminal([...(isBegun ? [[]] : []), ...totals], options.color);
    },
  };
}

/** Formats a time to the second. JSON has the original text. */
function formatMoment(text: string | undefined): string {
  return formatOptionalText(text).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, "$1 $2Z");
}
