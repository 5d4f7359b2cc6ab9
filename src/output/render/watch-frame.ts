import type {
  DurationUnit,
  SessionEventDocument,
  SessionsReportDocument,
  SessionsToday,
  ShownInterruption,
  ShownSession,
  ShownSessionEvent,
  ShownSummary,
} from "../documents/index.js";
import { cells, clip, padTo } from "./cells.js";
import { graphemes } from "./characters.js";
import { count, creditsText, durationText, number } from "./phrases.js";
import { localTime, missing, shownOr, spanText, stated } from "./session-facts.js";
import { type Line, type Span, type Style, styled, toTerminal, wrap } from "./span.js";
import { type Column, fittingTable } from "./table.js";

/** What a watch shows at one moment. Times are in ms by the service's clock. */
export interface WatchView {
  /** Base URL of the service. */
  readonly service: string;
  readonly now: number;
  readonly timeZone: string;
  readonly intervalMs: number;
  readonly durationUnit: SessionsReportDocument["duration_unit"];
  /** Absent until the sessions have been read once. */
  readonly seen?: SeenSessions | undefined;
  /** Why nothing is seen now. */
  readonly outage?: Outage | undefined;
  /** The service asks for fewer requests. */
  readonly slowedDown?: boolean | undefined;
}

/** The sessions as last read. */
export interface SeenSessions {
  readonly at: number;
  /** Newest first. */
  readonly active: readonly ShownSession[];
  /** Last ended first. */
  readonly ended: readonly ShownSession[];
  readonly today: SessionsToday;
  /** What is wrong with entries of the lists, and how often. */
  readonly unknown: Readonly<Record<string, number>>;
}

/** Nothing is seen. */
export interface Outage {
  /** When the sessions were last read; absent: never. */
  readonly since?: number | undefined;
  /** One sentence. */
  readonly message: string;
  /** Of the next attempt; absent while there is one. */
  readonly nextAt?: number | undefined;
}

/** The size of a terminal, and whether it is to be coloured. */
export interface WatchFrameOptions {
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
}

/** Below this number of rows, nothing is spent on empty ones. */
const roomyRows = 14;

/** A full screen of a watch: at most as many lines as there are rows, none longer than the columns. */
export function renderWatchFrame(view: WatchView, { columns, rows, color }: WatchFrameOptions): string {
  const width = Math.max(columns, 24);
  const isRoomy = rows >= roomyRows;
  const head = [title(view, width), ...sums(view, width), ...outageLines(view, width)];
  const foot: Line[] = rows < 6 ? [] : isRoomy ? [[], keys(view)] : [keys(view)];
  const lines = [...head, ...tables(view, width, rows - head.length - foot.length, isRoomy), ...foot];
  return toTerminal(
    lines.slice(0, Math.max(rows, 1)).map((line) => cut(line, columns)),
    color,
  );
}

function cut(line: Line, width: number): Line {
  let room = width;
  return line.flatMap(({ text, style }) => {
    const shown = room > 0 ? styled(clip(text, room), style) : styled("");
    room -= cells(shown.text);
    return shown;
  });
}

/** A name that is cut to less says nothing. */
const leastNameWidth = 24;

function title({ service, now, timeZone }: WatchView, width: number): Line {
  const { day, time } = localTime(now, timeZone);
  const clock = `${day} ${time} ${timeZone}`;
  const room = width - clock.length;
  const name = room < leastNameWidth ? "" : padTo(clip(`sessions of ${service}`, room - 2), room);
  return [styled(`${name}${clock}`, "dim")];
}

function sums({ seen, outage, now }: WatchView, width: number): Line[] {
  if (!seen) return outage ? [] : [[styled("Reading the sessions…")]];
  const { active, today } = seen;
  const oldest = Math.min(...active.flatMap(({ created_at }) => toMs(created_at) ?? []));
  const age = Number.isFinite(oldest) ? spanText((outage ? seen.at : now) - oldest) : undefined;
  const sandbox = active.filter(({ is_sandbox }) => is_sandbox).length;
  const lines: Line[] = [
    [
      styled(`${number(active.length)} active`, "strong"),
      styled(`${sandboxWords(sandbox)}${age === undefined ? "" : `, the oldest for ${age}`}`),
    ],
    [
      styled(`${creditsText(today.credits_consumed, today.sessions_without_credits)} today`, "strong"),
      styled(`, ${count(today.sessions, "session")}${sandboxWords(today.sandbox_sessions)}`),
    ],
    ...unknownWords(seen.unknown).map((words) => [styled(words, "warning")]),
  ];
  return lines.flatMap((line) => wrap(line, { width, first: [], rest: [styled("  ")] }));
}

/** In as many lines as leave room for the rest. */
const mostOutageLines = 4;

function outageLines({ outage, now, timeZone }: WatchView, width: number): Line[] {
  if (!outage) return [];
  const { since, message, nextAt } = outage;
  const when =
    since === undefined
      ? "Nothing seen yet"
      : `Nothing seen since ${localTime(since, timeZone).time} (${spanText(now - since)})`;
  const next = nextAt === undefined ? "Trying…" : `Next try in ${spanText(nextAt - now)}.`;
  const lines = [`${when}. ${next}`, message].flatMap((sentence) =>
    wrap([styled(sentence, "warning")], { width, first: [], rest: [styled("  ")] }),
  );
  if (lines.length <= mostOutageLines) return lines;
  return [...lines.slice(0, mostOutageLines - 1), [styled("  …", "warning")]];
}

function keys({ intervalMs, slowedDown }: WatchView): Line {
  const slower = slowedDown ? ", slower now: the service limits requests (429)" : "";
  return [styled(`q leaves · read every ${spanText(intervalMs)}${slower}`, "dim")];
}

/** Active sessions have the first claim to the room, but a third of it is for ended ones. */
function tables(view: WatchView, width: number, room: number, isRoomy: boolean): Line[] {
  const { seen, outage, now } = view;
  if (!seen) return [];
  const { active, ended } = seen;
  // Nobody knows whether what was active still is: ages stand still.
  const at = outage ? seen.at : now;
  const style = outage ? "dim" : undefined;
  const gap: Line[] = isRoomy ? [[]] : [];
  const free = room - 2 * gap.length;
  const wanted = active.length === 0 ? 0 : active.length + 1;
  const forEnded = Math.max(Math.floor(free / 3), free - wanted);
  const shownEnded = ended.slice(0, Math.max(forEnded - 1, 0));
  const endedLines = shownEnded.length === 0 ? 0 : shownEnded.length + 1;
  const isWhole = wanted <= free - endedLines;
  const shownActive = isWhole ? active : active.slice(0, Math.max(free - endedLines - 2, 0));
  const rest = active.length - shownActive.length;
  const lines: Line[] = [];
  if (wanted > 0 && free > endedLines) {
    lines.push(...gap, ...table(activeColumns(at, width), shownActive, width, style));
    if (rest > 0) lines.push([styled(`  ${number(rest)} more not shown, which are older`, "dim")]);
  }
  if (endedLines > 0) lines.push(...gap, ...table(endedColumns(at, view, width), shownEnded, width, style));
  return lines;
}

/** A column, and the width beyond which its texts are cut. */
interface FrameColumn extends Column {
  readonly of: (session: ShownSession) => string;
  readonly widest: number;
}

/** Most important first; what there is no room for is left out from the end. */
function activeColumns(at: number, width: number): readonly FrameColumn[] {
  const age = ({ created_at }: ShownSession) => shownOr(toMs(created_at), (ms) => spanText(at - ms));
  return [
    idColumn("active", width),
    { title: "age", align: "right", of: (session) => age(session).padStart(10), widest: 12 },
    ...sharedColumns,
  ];
}

function endedColumns(
  at: number,
  { timeZone, durationUnit }: WatchView,
  width: number,
): readonly FrameColumn[] {
  const id = idColumn("last ended", width);
  const shownTime = (ms: number) => {
    const { day, time } = localTime(ms, timeZone);
    return at - ms < dayMs ? time : day.slice("2026-".length);
  };
  const lasted = (duration: number) => durationText(duration, durationUnit);
  const reasonWidth = Math.min(24, width - id.widest - timeWidth - 6);
  return [
    id,
    {
      title: "at",
      of: ({ end_at, updated_at }) => shownOr(toMs(end_at) ?? toMs(updated_at), shownTime),
      widest: timeWidth,
    },
    { title: "reason", of: ({ end_reason }) => stated(end_reason), widest: reasonWidth },
    { title: "lasted", align: "right", of: ({ duration }) => shownOr(duration, lasted), widest: 12 },
    ...sharedColumns,
  ];
}

/** Of `14:03:20`, and of the day of what is older: `11-20`. */
const timeWidth = 8;
const dayMs = 86_400_000;

const sharedColumns: readonly FrameColumn[] = [
  {
    title: "credits",
    align: "right",
    of: (session) => shownOr(session.credits_consumed, number),
    widest: 12,
  },
  { title: "mode", of: ({ mode, is_sandbox }) => stated(is_sandbox ? "sandbox" : mode), widest: 12 },
  { title: "source", of: ({ source }) => stated(source), widest: 12 },
];

/** Whole ids where there is room; otherwise beginning and end, since ids that are counted up differ there only. */
function idColumn(title: string, width: number): FrameColumn {
  const [head, widest] = width >= 100 ? [36, 36] : width >= 50 ? [8, 13] : [5, 10];
  const of = ({ id }: ShownSession) => {
    const characters = graphemes(styled(stated(id)).text);
    if (characters.length <= widest) return characters.join("");
    return `${characters.slice(0, head).join("")}…${characters.slice(head - widest + 1).join("")}`;
  };
  return { title, of, widest };
}

/** As many columns as fit, of those in which anything is stated. */
function table(
  columns: readonly FrameColumn[],
  sessions: readonly ShownSession[],
  width: number,
  style: "dim" | undefined,
): Line[] {
  const shown = columns
    .filter(({ of }) => sessions.some((session) => of(session) !== missing))
    .map((column) => ({ ...column, ...(style && { style }) }));
  const rows = sessions.map((session) =>
    shown.map(({ of, widest }) => clip(styled(of(session)).text, widest)),
  );
  const dispensable = shown.slice(1).map(({ title }) => title);
  return (rows.length > 0 && fittingTable(shown, rows, width, dispensable.toReversed())) || [];
}

/** Undefined if the text is no time. */
function toMs(text = ""): number | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** One event of a watch as one line, however long, for a log or a pipe. */
export function renderSessionEventText(
  event: SessionEventDocument,
  options: { readonly color: boolean; readonly durationUnit: DurationUnit },
): string {
  const words = describe(event, options.durationUnit);
  return toTerminal([[styled(moment(event.at), "dim"), styled(" "), ...words]], options.color);
}

function describe(event: SessionEventDocument, unit: DurationUnit): Line {
  switch (event.event) {
    case "summary":
      return describeSummary(event);
    case "unavailable":
    case "available":
      return describeInterruption(event);
    default:
      return [styled(event.event, styles[event.event]), ...describeSession(event, unit)];
  }
}

const styles = { active: "plain", started: "good", ended: "changed" } as const satisfies Record<
  string,
  Style
>;

/** Longer values of the service are cut: they are none that it sends by design. */
const widestValue = 64;

function describeSession({ event, session }: ShownSessionEvent, unit: DurationUnit): Span[] {
  const { id, mode, source, end_reason, duration, credits_consumed, is_sandbox } = session;
  const cost = [
    ...(duration === undefined ? [] : [`after ${durationText(duration, unit)}`]),
    ...(credits_consumed === undefined ? [] : [creditsText(credits_consumed, 0)]),
  ].join(", ");
  const values = event === "ended" ? [id, end_reason ?? "–", cost] : [id, mode, source];
  return [...values, is_sandbox ? "sandbox" : ""].flatMap((value = "") =>
    value === "" ? [] : [styled(" "), styled(clip(styled(value).text, widestValue))],
  );
}

function describeSummary({ active, active_sandbox, today, unknown }: ShownSummary): Line {
  const credits = creditsText(today.credits_consumed, today.sessions_without_credits);
  return [
    styled(`${number(active)} active${sandboxWords(active_sandbox)}`, "strong"),
    styled(`; today ${count(today.sessions, "session")}${sandboxWords(today.sandbox_sessions)}, ${credits}`),
    ...unknownWords(unknown).map((words) => styled(`; ${words}`, "warning")),
  ];
}

function describeInterruption({ event, at, since, problem }: ShownInterruption): Line {
  if (event === "available") {
    const away = since === undefined ? "" : `, after ${spanText(Date.parse(at) - Date.parse(since))}`;
    return [styled("available again", "good"), styled(away)];
  }
  const when = since === undefined ? "nothing seen yet" : `nothing seen since ${moment(since)}`;
  return [styled(when, "warning"), styled(problem ? `: ${problem.message}` : "")];
}

/** " (2 in sandbox mode)". */
function sandboxWords(sessions: number): string {
  return sessions > 0 ? ` (${number(sessions)} in sandbox mode)` : "";
}

/** "of unknown shape: no id (2), not an object (1)", if there is anything. */
function unknownWords(unknown: ShownSummary["unknown"]): string[] {
  const counts = Object.entries(unknown).map(([what, often]) => `${what} (${number(often)})`);
  return counts.length === 0 ? [] : [`of unknown shape: ${counts.join(", ")}`];
}

/** To the second. */
function moment(iso: string): string {
  return iso.replace(/\.\d+Z$/, "Z");
}
