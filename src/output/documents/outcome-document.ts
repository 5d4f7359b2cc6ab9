import { type ApplyEvent, isSettled, type Outcome, type Result } from "../../core/engine/index.js";
import type { SmokeReport } from "../../sessions/reports/index.js";
import { createHead, type Head, type Parsed } from "./document.js";
import type { outcomeForm, smokeForm } from "./schemas/other-forms.js";

/** Apply outcome. `schemas/outcome-v1.schema.json` describes each key. */
export interface OutcomeDocument extends Parsed<typeof outcomeForm> {}

export type ShownResult = OutcomeDocument["results"][number];

/** Overall result of an apply. The CLI maps it to an exit code. */
export type OutcomeExit = OutcomeDocument["exit"];

/** Event for the progress line. */
export type ProgressEvent = ApplyEvent | { readonly type: "reading"; readonly requests: number };

export function toOutcomeDocument(outcome: Outcome, smoke?: ShownSmoke): OutcomeDocument {
  return {
    ...createHead("outcome"),
    exit: toOutcomeExit(outcome),
    summary: countResults(outcome),
    cancelled: outcome.cancelled,
    stopped: outcome.stopped && { code: outcome.stopped.code, message: outcome.stopped.message },
    unrecorded:
      outcome.unrecorded.length > 0
        ? outcome.unrecorded.map(({ address, id }) => ({ address, id }))
        : undefined,
    results: outcome.results.map(toShownResult),
    state_serial: outcome.serial,
    requests: outcome.requests,
    throttled: outcome.throttled,
    smoke,
  };
}

function countResults(outcome: Outcome): OutcomeDocument["summary"] {
  const summary = { applied: 0, failed: 0, skipped: 0, unknown: 0, kept: outcome.kept };
  for (const { status } of outcome.results) summary[status] += 1;
  return summary;
}

const waiting: ReadonlySet<string | undefined> = new Set(["held", "conflicting"]);

export function toOutcomeExit(outcome: Outcome): OutcomeExit {
  const open = outcome.results.filter((result) => result.status !== "applied");
  if (outcome.cancelled) return "cancelled";
  if (outcome.stopped && outcome.results.length > open.length) return "partly";
  if (open.some((result) => result.status === "unknown" || result.action === "ambiguous")) return "ambiguous";
  const undone = open.filter(({ status, problem }) => !isSettled(status, problem?.code));
  if (undone.length === 0) return "done";
  // Only unverified values, holds and conflicts are left. They need a decision first.
  if (undone.every(({ action, problem }) => action === "keep" || waiting.has(problem?.code))) return "partly";
  return open.length < outcome.results.length ? "partly" : "failed";
}

function toShownResult({ address, label, action, status, id, problem, notes }: Result): ShownResult {
  return {
    address,
    label,
    action,
    status,
    id,
    problem: problem && { code: problem.code, message: problem.message },
    notes,
  };
}

/** Report on whether sessions can be started with presets. `schemas/smoke-v1.schema.json` describes each key. */
export interface SmokeDocument extends Parsed<typeof smokeForm> {}

/** Smoke check within an outcome. */
export type ShownSmoke = Omit<SmokeDocument, keyof Head<"smoke">>;

export type ShownCheck = ShownSmoke["checks"][number];

export function toSmokeDocument(report: SmokeReport, facts: SmokeFacts): SmokeDocument {
  return { ...createHead("smoke"), ...toShownSmoke(report, facts) };
}

interface SmokeFacts {
  readonly scope: ShownSmoke["scope"];
  /** Next step if a preset failed. */
  readonly advice: string;
}

export function toShownSmoke(report: SmokeReport, { scope, advice }: SmokeFacts): ShownSmoke {
  const summary = { passed: 0, warned: 0, failed: 0, skipped: 0 };
  for (const { status } of report.checks) summary[status] += 1;
  return {
    scope,
    exit: toSmokeExit(report),
    summary,
    checks: report.checks.map(({ preset, status, avatarId, sessionId, problem }) => ({
      ...{ preset, status },
      avatar_id: avatarId,
      session_id: sessionId,
      problem,
    })),
    advice: summary.failed > 0 ? advice : undefined,
  };
}

function toSmokeExit({ checks, cancelled }: SmokeReport): ShownSmoke["exit"] {
  if (cancelled) return "cancelled";
  return checks.some(({ status }) => status === "failed") ? "failed" : "passed";
}
