import type { SessionEvent, SessionsToday } from "../sessions/index.js";
import { given, type Head, head } from "./document.js";
import type { ShownSession } from "./sessions-document.js";

/** One line of `sessions watch`. Times are ISO 8601 in UTC, by the service's clock. */
export type SessionEventDocument = Head<"session-event"> &
  (ShownSessionEvent | ShownSummary | ShownInterruption);

/** `active`: it was when the watch began. */
export interface ShownSessionEvent {
  readonly event: "active" | "started" | "ended";
  readonly at: string;
  readonly session: ShownSession;
}

/** The sums, whenever they have changed. */
export interface ShownSummary {
  readonly event: "summary";
  readonly at: string;
  readonly active: number;
  readonly active_sandbox: number;
  readonly today: ShownToday;
  /** What is wrong with entries of the lists, and how often. */
  readonly unknown: Readonly<Record<string, number>>;
}

/** The sessions created today, active and ended; with those in sandbox mode. */
export interface ShownToday {
  readonly since: string;
  readonly sessions: number;
  readonly sandbox_sessions: number;
  readonly credits_consumed: number;
  readonly sessions_without_credits: number;
}

/** Nothing is seen any more, or again. */
export interface ShownInterruption {
  readonly event: "unavailable" | "available";
  readonly at: string;
  /** When the sessions were last read before; absent: never. */
  readonly since?: string;
  /** Why nothing is seen. */
  readonly problem?: { readonly code: string; readonly message: string };
}

/** The document for what became of a session. */
export function sessionEventDocument({ event, at, session }: SessionEvent): SessionEventDocument {
  return { ...head("session-event"), event, at: iso(at), session };
}

/** The document for the sums at a time in ms. */
export function sessionSummaryDocument(summary: {
  readonly at: number;
  readonly active: readonly ShownSession[];
  readonly today: SessionsToday;
  readonly unknown: Readonly<Record<string, number>>;
}): SessionEventDocument & ShownSummary {
  const { at, active, today, unknown } = summary;
  return {
    ...head("session-event"),
    event: "summary",
    at: iso(at),
    active: active.length,
    active_sandbox: active.filter(({ is_sandbox }) => is_sandbox).length,
    today: shownToday(today),
    unknown,
  };
}

/** The sums of today, as shown. */
export function shownToday(today: SessionsToday): ShownToday {
  return {
    since: iso(today.since),
    sessions: today.sessions,
    sandbox_sessions: today.sandboxSessions,
    credits_consumed: today.credits,
    sessions_without_credits: today.withoutCredits,
  };
}

/** The document for the beginning of an interruption, which has a problem, and for its end; times in ms. */
export function interruptionDocument(interruption: {
  readonly at: number;
  readonly since?: number | undefined;
  readonly problem?: { readonly code: string; readonly message: string } | undefined;
}): SessionEventDocument {
  const { at, since, problem } = interruption;
  return {
    ...head("session-event"),
    event: problem ? "unavailable" : "available",
    at: iso(at),
    ...given("since", since === undefined ? undefined : iso(since)),
    ...given("problem", problem),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
