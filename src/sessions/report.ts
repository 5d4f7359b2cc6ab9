import type { Service, Session } from "../api/index.js";
import { exactSum } from "./sum.js";

/** The sessions of one type, as the service lists them, with totals. */
export interface SessionReport {
  readonly type: "active" | "historic";
  /** Every page was read. */
  readonly complete: boolean;
  readonly sessions: readonly SessionRow[];
  /** Sandbox sessions are also in `all`; they consume no credits (§8). */
  readonly totals: { readonly all: SessionTotals; readonly sandbox: SessionTotals };
}

/** One session, in the service's spelling (§2.7); missing values are absent. */
export interface SessionRow {
  readonly id?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  /** Only in deployments' historic sessions. */
  readonly end_at?: string;
  readonly end_reason?: string;
  /** Its unit is not documented. */
  readonly duration?: number;
  readonly source?: string;
  readonly mode?: string;
  readonly is_sandbox?: boolean;
  readonly credits_consumed?: number;
}

/** Sums over the sessions with a number, and the count of those without. */
export interface SessionTotals {
  readonly sessions: number;
  readonly duration: number;
  readonly withoutDuration: number;
  readonly credits: number;
  readonly withoutCredits: number;
}

/** Reads every page of one type. Fields of an undocumented type count as missing; nothing is fatal. */
export async function reportSessions(
  service: Pick<Service, "sessions">,
  { type }: { readonly type: "active" | "historic" },
): Promise<SessionReport> {
  const { entries, complete } = await service.sessions.list(type);
  const sessions = entries.map(rowOf);
  const sandbox = sessions.filter((session) => session.is_sandbox);
  return { type, complete, sessions, totals: { all: totalsOf(sessions), sandbox: totalsOf(sandbox) } };
}

const columns: Readonly<Record<keyof SessionRow, "string" | "number" | "boolean">> = {
  id: "string",
  created_at: "string",
  updated_at: "string",
  end_at: "string",
  end_reason: "string",
  duration: "number",
  source: "string",
  mode: "string",
  is_sandbox: "boolean",
  credits_consumed: "number",
};

function rowOf(session: Session): SessionRow {
  const stated = session as unknown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(columns)
      .filter(([column, type]) => typeof stated[column] === type && stated[column] !== "")
      .map(([column]) => [column, stated[column]]),
  );
}

function totalsOf(sessions: readonly SessionRow[]): SessionTotals {
  const durations = sessions.flatMap((session) => session.duration ?? []);
  const credits = sessions.flatMap((session) => session.credits_consumed ?? []);
  return {
    sessions: sessions.length,
    duration: exactSum(durations),
    withoutDuration: sessions.length - durations.length,
    credits: exactSum(credits),
    withoutCredits: sessions.length - credits.length,
  };
}
