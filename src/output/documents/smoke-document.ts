import type { SmokeReport } from "../../sessions/reports/index.js";
import { given, type Head, head, type Parsed } from "./document.js";
import type { smokeForm } from "./schemas/smoke-form.js";

/** Whether sessions can be started with presets; `schemas/smoke-v1.schema.json` describes each key. */
export interface SmokeDocument extends Parsed<typeof smokeForm> {}

/** The same inside of the outcome of an apply. */
export type ShownSmoke = Omit<SmokeDocument, keyof Head<"smoke">>;

export type ShownCheck = ShownSmoke["checks"][number];

export function smokeDocument(report: SmokeReport, facts: SmokeFacts): SmokeDocument {
  return { ...head("smoke"), ...shownSmoke(report, facts) };
}

/** What the caller knows of a check. */
interface SmokeFacts {
  readonly scope: ShownSmoke["scope"];
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

function smokeExit({ checks, cancelled }: SmokeReport): ShownSmoke["exit"] {
  if (cancelled) return "cancelled";
  return checks.some(({ status }) => status === "failed") ? "failed" : "passed";
}
