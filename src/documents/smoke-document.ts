import type { SmokeCheck, SmokeReport } from "../sessions/index.js";
import { given, type Head, head } from "./document.js";

/** Whether sessions can be started with presets. */
export interface SmokeDocument extends Head<"smoke">, ShownSmoke {}

/** The same inside of the outcome of an apply. */
export interface ShownSmoke {
  /** Which presets were checked: all, the named ones, or those that refer to what was applied. */
  readonly scope: SmokeScope;
  readonly exit: SmokeExit;
  readonly summary: Readonly<Record<SmokeCheck["status"], number>>;
  readonly checks: readonly ShownCheck[];
  /** Of presets that failed: what to do about the apply. */
  readonly advice?: string;
}

/** What a smoke check comes to; warnings are no failure. */
export type SmokeExit = "passed" | "failed" | "cancelled";

export type SmokeScope = "all" | "named" | "applied";

export interface ShownCheck {
  readonly preset: string;
  readonly status: SmokeCheck["status"];
  readonly avatar_id?: string;
  readonly session_id?: string;
  readonly problem?: { readonly code: string; readonly message: string };
}

/** Creates the document for a smoke check. */
export function smokeDocument(report: SmokeReport, facts: SmokeFacts): SmokeDocument {
  return { ...head("smoke"), ...shownSmoke(report, facts) };
}

/** What the caller knows of a check. */
interface SmokeFacts {
  readonly scope: SmokeScope;
  /** What to do if a preset failed. */
  readonly advice: string;
}

/** The part of an outcome for a smoke check. */
export function shownSmoke(report: SmokeReport, { scope, advice }: SmokeFacts): ShownSmoke {
  const summary = { passed: 0, warned: 0, failed: 0, skipped: 0 };
  for (const { status } of report.checks) summary[status] += 1;
  return {
    scope,
    exit: smokeExit(report),
    summary,
    checks: report.checks.map(({ preset, status, avatarId, sessionId, problem }) => ({
      ...{ preset, status },
      ...given("avatar_id", avatarId),
      ...given("session_id", sessionId),
      ...given("problem", problem),
    })),
    ...given("advice", summary.failed > 0 ? advice : undefined),
  };
}

function smokeExit({ checks, cancelled }: SmokeReport): SmokeExit {
  if (cancelled) return "cancelled";
  return checks.some(({ status }) => status === "failed") ? "failed" : "passed";
}
