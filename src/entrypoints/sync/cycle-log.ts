import { shortenQuotes } from "../../output/documents/index.js";
import {
  type CycleResult,
  countUnresolved,
  listChanges,
  listProblems,
  outcomeLevels,
} from "./cycle-result.js";
import type { Log } from "./log.js";

/** Maximum number of changes or problems in a log line. A plan shows all of them. */
const maxListed = 50;

/** Logs cycles, without repeating the same line every minute. */
export function createCycleLog(log: Log) {
  let last = "";
  return {
    cycle(result: CycleResult, tookMs: number): void {
      const { outcome, project, commit } = result;
      const { drifted, ambiguous } = countUnresolved(result);
      const changes = listChanges(result)
        .slice(0, maxListed)
        .map(({ address, action, status }) => ({ address, action, status }));
      const problems = listProblems(result)
        .slice(0, maxListed)
        .map((problem) => ({ ...problem, message: shortenQuotes(problem.message) }));
      // The list of active sessions changes with every cycle, so it does not count as a change.
      const logged = outcome === "waiting" ? [] : problems;
      const news = JSON.stringify([outcome, commit, drifted, ambiguous, logged]);
      const isSame = news === last;
      last = news;
      // Retries and written objects are always logged.
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
