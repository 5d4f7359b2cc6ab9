import { withoutLongQuotes } from "../../output/documents/index.js";
import type { CycleOutcome, CycleReport } from "./cycle-report.js";
import type { Log } from "./log.js";

/** At most this many of a list are logged: the rest is in the outcome of the next plan. */
const longestList = 50;

const levels: Readonly<Record<CycleOutcome, "info" | "warn" | "error">> = {
  unchanged: "info",
  applied: "info",
  locked: "info",
  waiting: "info",
  held: "warn",
  stopped: "info",
  drifted: "warn",
  ambiguous: "warn",
  refused: "warn",
  partly: "error",
  invalid: "error",
  failed: "error",
};

/** Logs what cycles found, without saying the same thing every minute. */
export function createCycleLog(log: Log) {
  let last = "";
  let isWebhookTold = false;
  return {
    cycle(report: CycleReport, tookMs: number): void {
      isWebhookTold = false;
      const { outcome, commit, drifted, ambiguous } = report;
      const changes = report.changes.slice(0, longestList);
      const problems = report.problems
        .slice(0, longestList)
        .map((problem) => ({ ...problem, message: withoutLongQuotes(problem.message) }));
      // Who is in a session changes with every look.
      const logged = outcome === "waiting" ? [] : problems;
      const news = JSON.stringify([outcome, commit, drifted, ambiguous, logged]);
      const isSame = news === last;
      last = news;
      // What is tried again is logged again; an object that was written is always logged.
      const isWritten = changes.some(({ status }) => status === "applied");
      if (isSame && !isWritten && outcome !== "failed" && outcome !== "partly") return;
      log[levels[outcome]]("cycle", {
        outcome,
        project: report.project,
        commit,
        duration_ms: tookMs,
        drifted,
        ambiguous,
        ...(changes.length > 0 ? { changes } : {}),
        ...(problems.length > 0 ? { problems } : {}),
      });
    },
    /** A wrong secret is logged once a cycle: anybody can send as many as they like. */
    webhook(result: string): void {
      if (result !== "unauthorized" || isWebhookTold) return;
      isWebhookTold = true;
      log.warn("webhook refused", { reason: "the signature is missing or wrong" });
    },
  };
}
