import type {
  DurationUnit,
  SessionEventDocument,
  ShownInterruption,
  ShownSessionEvent,
  ShownSummary,
} from "../documents/index.js";
import { clip } from "./cells.js";
import { formatCount, formatCredits, formatDuration, formatNumber } from "./phrases.js";
import { createSpan, type Line, type Span, type Style, toTerminal } from "./span.js";

export function renderSessionEventText(
  event: SessionEventDocument,
  options: { readonly color: boolean; readonly durationUnit: DurationUnit },
): string {
  const words = describe(event, options.durationUnit);
  return toTerminal([[createSpan(formatMoment(event.at), "dim"), createSpan(" "), ...words]], options.color);
}

function describe(event: SessionEventDocument, unit: DurationUnit): Line {
  switch (event.event) {
    case "summary":
      return describeSummary(event);
    case "unavailable":
    case "available":
      return describeInterruption(event);
    default:
      return [createSpan(event.event, styles[event.event]), ...describeSession(event, unit)];
  }
}

const styles = { active: "plain", started: "good", ended: "changed" } as const satisfies Record<
  string,
  Style
>;

/** Maximum width of a value from the service, in case it is unexpectedly long. */
const maxValueWidth = 64;

function describeSession({ event, session }: ShownSessionEvent, unit: DurationUnit): Span[] {
  const { id, mode, source, end_reason, duration, credits_consumed, is_sandbox } = session;
  const cost = [
    ...(duration === undefined ? [] : [`after ${formatDuration(duration, unit)}`]),
    ...(credits_consumed === undefined ? [] : [formatCredits(credits_consumed, 0)]),
  ].join(", ");
  const values = event === "ended" ? [id, end_reason ?? "–", cost] : [id, mode, source];
  return [...values, is_sandbox ? "sandbox" : ""].flatMap((value = "") =>
    value === "" ? [] : [createSpan(" "), createSpan(clip(createSpan(value).text, maxValueWidth))],
  );
}

function describeSummary({ active, active_sandbox, today, unknown }: ShownSummary): Line {
  const credits = formatCredits(today.credits_consumed, today.sessions_without_credits);
  return [
    createSpan(`${formatNumber(active)} active${formatSandboxCount(active_sandbox)}`, "strong"),
    createSpan(
      `; today ${formatCount(today.sessions, "session")}${formatSandboxCount(today.sandbox_sessions)}, ${credits}`,
    ),
    ...formatUnknownCounts(unknown).map((words) => createSpan(`; ${words}`, "warning")),
  ];
}

function describeInterruption({ event, at, since, problem }: ShownInterruption): Line {
  if (event === "available") {
    const awayMs = Math.max(0, Date.parse(at) - Date.parse(since ?? at));
    const away = since === undefined ? "" : `, after ${formatDuration(awayMs, "milliseconds")}`;
    return [createSpan("available again", "good"), createSpan(away)];
  }
  const when = since === undefined ? "nothing seen yet" : `nothing seen since ${formatMoment(since)}`;
  return [createSpan(when, "warning"), createSpan(problem ? `: ${problem.message}` : "")];
}

/** Formats a count, such as " (2 in sandbox mode)". */
function formatSandboxCount(sessions: number): string {
  return sessions > 0 ? ` (${formatNumber(sessions)} in sandbox mode)` : "";
}

/** Formats counts, such as "unrecognized entries: no id (2), not an object (1)". */
function formatUnknownCounts(unknown: ShownSummary["unknown"]): string[] {
  const counts = Object.entries(unknown).map(([what, often]) => `${what} (${formatNumber(often)})`);
  return counts.length === 0 ? [] : [`unrecognized entries: ${counts.join(", ")}`];
}

/** Formats a time to the second. */
function formatMoment(iso: string): string {
  return iso.replace(/\.\d+Z$/, "Z");
}
