import type { SessionEvent, SessionsToday } from "../../sessions/reports/index.js";
import { createHead, type Head } from "./document.js";

/** One line of `sessions watch`. Times are ISO 8601 in UTC, by the service's clock. */
export type SessionEventDocument = Head<"session-event"> &
  (ShownSessionEvent | ShownSummary | ShownInterruption);

export interface ShownSessionEvent extends Omit<SessionEvent, "at"> {
  readonly at: string;
}

/** Totals, sent after each change. */
export interface ShownSummary {
  readonly event: "summary";
  readonly at: string;
  readonly active: number;
  readonly active_sandbox: number;
  readonly today: SessionsToday;
  /** Number of malformed list entries, by problem. */
  readonly unknown: Readonly<Record<string, number>>;
}

/** Event sent when the sessions become unreadable, or readable again. */
export interface ShownInterruption {
  readonly event: "unavailable" | "available";
  readonly at: string;
  /** Time of the last successful read, or undefined if there was none. */
  readonly since?: string;
  /** Reason why the sessions cannot be read. */
  readonly problem?: { readonly code: string; readonly message: string };
}

export function toSessionEventDocument(
  {
    event,
    ...facts
  }: Omit<ShownSessionEvent, "at"> | Omit<ShownSummary, "at"> | Omit<ShownInterruption, "at">,
  at: number,
): SessionEventDocument {
  const known = { ...createHead("session-event"), event, at: new Date(at).toISOString(), ...facts };
  return known as SessionEventDocument;
}
