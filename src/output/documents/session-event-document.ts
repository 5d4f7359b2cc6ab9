import type { SessionEvent, SessionsToday } from "../../sessions/reports/index.js";
import { type Head, head } from "./document.js";

/** One line of `sessions watch`. Times are ISO 8601 in UTC, by the service's clock. */
export type SessionEventDocument = Head<"session-event"> &
  (ShownSessionEvent | ShownSummary | ShownInterruption);

/** What happened to a session. */
export interface ShownSessionEvent extends Omit<SessionEvent, "at"> {
  readonly at: string;
}

/** The sums, whenever they have changed. */
export interface ShownSummary {
  readonly event: "summary";
  readonly at: string;
  readonly active: number;
  readonly active_sandbox: number;
  readonly today: SessionsToday;
  /** What is wrong with entries of the lists, and how often. */
  readonly unknown: Readonly<Record<string, number>>;
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

export function sessionEventDocument(
  {
    event,
    ...facts
  }: Omit<ShownSessionEvent, "at"> | Omit<ShownSummary, "at"> | Omit<ShownInterruption, "at">,
  at: number,
): SessionEventDocument {
  const known = { ...head("session-event"), event, at: new Date(at).toISOString(), ...facts };
  return known as SessionEventDocument;
}
