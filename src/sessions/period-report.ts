import type { Service } from "../api/index.js";
import type { Calendar } from "./calendar.js";
import type { Grouping } from "./grouping.js";
import type { Period } from "./period.js";
import { readSessions, type SessionStream, unknownIn } from "./read.js";
import { openSummary, type PeriodSummary } from "./summary.js";

/** What to report. */
export interface PeriodReportOptions {
  readonly period: Period;
  readonly calendar: Calendar;
  readonly grouping?: Grouping | undefined;
  /** This machine's clock, in ms: for a service that does not tell its time. */
  readonly now: () => number;
}

/** A summary, and what is known of the lists it was made from. */
export interface PeriodReport extends PeriodSummary {
  /** When it was read, by the service's clock. */
  readonly readAtMs: number;
  /** A list kept changing, or its count is wrong: sessions may be missing. */
  readonly unstable: boolean;
  /** What is wrong with entries of unknown shape, and how often. */
  readonly unknown: Readonly<Record<string, number>>;
  /** How many of them could not be counted as a session. */
  readonly unknownEntries: number;
}

/**
 * Reads the sessions of a period and of the one before. Active sessions come first: one that ends meanwhile is then in
 * both lists, and not in neither. In memory are the active sessions of the period, and a duration of each other one.
 */
export async function reportPeriod(
  service: Pick<Service, "sessions" | "serverTime">,
  { period, calendar, grouping, now }: PeriodReportOptions,
): Promise<PeriodReport> {
  const clock = () => service.serverTime() ?? now();
  const summary = openSummary({ period, calendar, grouping, now: clock });
  const active = readSessions(service, { type: "active" });
  for await (const row of active) summary.addActive(row);
  const readAtMs = clock();
  const ended = readSessions(service, { type: "historic", since: summary.since });
  for await (const row of ended) summary.addEnded(row);
  return withFlaws({ ...summary.summary(), readAtMs }, [active, ended]);
}

function withFlaws(
  summary: PeriodSummary & { readonly readAtMs: number },
  streams: readonly SessionStream[],
): PeriodReport {
  const facts = streams.map((stream) => stream.facts());
  return {
    ...summary,
    unstable: facts.some((one) => one.unstable),
    unknown: unknownIn(streams),
    unknownEntries: facts.reduce((sum, one) => sum + one.unreadable, 0),
    undated: facts.reduce((sum, one) => sum + one.undated, summary.undated),
  };
}
