import { withoutLongQuotes } from "../../output/documents/index.js";
import { type CycleResult, changesIn, countOpen, outcomeLevels, problemsIn } from "./cycle-result.js";
import type { Log } from "./log.js";

/** At most this many of a list are logged: the rest is in the outcome of the next plan. */
const longestList = 50;

/** Logs what cycles found, without saying the same thing every minute. */
export function createCycleLog(log: Log) {
  let last = "";
  return {
    cycle(result: CycleResult, tookMs: number): void {
      const { outcome, project, commit } = result;
      const { drifted, ambiguous } = countOpen(result);
      const changes = changesIn(result)
        .slice(0, longestList)
        .map(({ address, action, status }) => ({ address, action, status }));
      const problems = problemsIn(result)
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
      log[outcomeLevels[outcome]]("cycle", {
        ...{ outcome, project, commit },
        duration_ms: tookMs,
        drifted,
        ambiguous,
        ...(changes.length > 0 ? { changes } : {}),
        ...(problems.length > 0 ? { problems } : {}),
      });
    },
  };
}
