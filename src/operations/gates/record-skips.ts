import { isDeepStrictEqual } from "node:util";
import type { Outcome } from "../../core/engine/index.js";
import { readDefinitions } from "../../core/history/index.js";
import type { StateWriter } from "../../core/state/index.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { warnOfMissingCommit } from "../state/project-store.js";
import { findLaterApply, findUnfinishedObjects } from "./later-run.js";
import { undecidedCodes } from "./needs.js";

/**
 * Records an apply that only skipped conflicts and objects on hold, because environments that need this one wait for
 * the record. Each set of skipped objects is recorded only once per commit, so that repeated runs leave the state
 * unchanged.
 *
 * @returns the outcome with the new state serial.
 */
export async function recordSkips(
  runtime: Runtime,
  project: Project,
  session: StateWriter,
  outcome: Outcome,
): Promise<Outcome> {
  const { environment, environments } = project;
  const isNeeded = [...environments.values()].some(({ needs }) => needs.includes(environment ?? ""));
  const results = outcome.results.map(({ problem, ...result }) => ({
    ...result,
    ...(problem && { problem: problem.code }),
  }));
  const isSkipped = results.some(({ problem }) => undecidedCodes.has(problem));
  if (!isNeeded || !isSkipped || outcome.cancelled || !outcome.isRecorded) return outcome;
  const git = { environment: runtime.host.environment, signal: runtime.signal };
  const definitions = await readDefinitions(project, git).catch((error: unknown) =>
    warnOfMissingCommit(runtime, error),
  );
  // A record of modified files or of an older commit would hide the newest applied commit from other environments.
  if (!definitions || definitions.modified) return outcome;
  const covering = await findLaterApply(runtime, project);
  const isKnown =
    covering && isDeepStrictEqual(findUnfinishedObjects(covering.results), findUnfinishedObjects(results));
  if (covering?.isLater || isKnown) return outcome;
  const { serial } = await session.commit({ always: true });
  return { ...outcome, serial };
}
