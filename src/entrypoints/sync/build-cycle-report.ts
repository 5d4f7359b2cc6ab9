import type { Plan } from "../../core/engine/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { isLeftAlone, refusals } from "../../operations/index.js";
import {
  actionFacts,
  type DiagnosticsDocument,
  type ErrorDocument,
  errorDocument,
  type OutcomeDocument,
  type PlanDocument,
} from "../../output/documents/index.js";
import type { CycleOutcome, CycleProblem, CycleReport } from "./cycle-report.js";

/** A cycle that got no outcome. */
export function failed(outcome: CycleOutcome, ...problems: readonly CycleProblem[]): CycleReport {
  return { outcome, changes: [], drifted: 0, ambiguous: 0, problems };
}

/** Errors that are not failures, by their code. */
const outcomes: Readonly<Record<string, CycleOutcome>> = {
  ...refusals,
  locked: "locked",
  cancelled: "stopped",
};

/** The report on a plan or an apply that ended with an error. */
export function failedBy({ code, message, policies }: ErrorDocument): CycleReport {
  const broken = policies?.filter(({ severity }) => severity === "error");
  const problems = broken?.map(({ code, message, address }) => ({
    ...{ code, message },
    address,
  }));
  return failed(outcomes[code] ?? "failed", ...(problems ?? [{ code, message }]));
}

/** Anything thrown as a problem. */
export function toProblem(error: unknown): CycleProblem {
  const { code, message } = errorDocument(error);
  return { code, message };
}

/** The errors of the files: without their lines, which may be those of a prompt. */
export function problemsIn({ diagnostics, policies = [] }: DiagnosticsDocument): CycleProblem[] {
  return [...diagnostics, ...policies]
    .filter(({ severity }) => severity === "error")
    .map(({ code, message, place }) => ({
      code,
      message,
      ...(place ? { place: `${place.file}:${place.line}:${place.column}` } : {}),
    }));
}

/** Whether a plan has something to write: what apply would leave alone does not count. */
export function hasWrites({ changes }: PlanDocument, drift: Manifest["drift"]): boolean {
  return changes.some(
    ({ action, overwrites, held }) =>
      actionFacts[action].exit === "changes" && held === undefined && !(overwrites && drift === "refuse"),
  );
}

/** The report on a plan that an apply has left as it is. */
export function planReport({ changes }: PlanDocument, unread: readonly CycleProblem[] = []): CycleReport {
  const free = changes.filter(({ held }) => held === undefined);
  const drifted = free.filter(({ overwrites }) => overwrites).length;
  const ambiguous = free.filter(({ action }) => action === "ambiguous").length;
  const others = free.length - drifted - ambiguous + unread.length;
  const isHeld = free.length < changes.length;
  const rest = isHeld ? "held" : drifted > 0 ? "drifted" : "unchanged";
  return {
    outcome: ambiguous > 0 ? "ambiguous" : others > 0 ? "partly" : rest,
    changes: [],
    drifted,
    ambiguous,
    problems: [
      ...unread,
      ...changes.map(({ address, action, notes, overwrites, held }) => ({
        code: held !== undefined ? "held" : actionFacts[action].exit === "changes" ? "drifted" : action,
        message:
          held ??
          (overwrites
            ? "It was edited elsewhere since the last apply, and is left alone."
            : (notes[0] ?? actionFacts[action].description)),
        address,
      })),
    ],
  };
}

/** Kept objects of which a secret value cannot be read, so that it may have changed. */
export function unreadIn({ changes }: Plan): CycleProblem[] {
  return changes
    .filter(({ action, unread }) => action === "keep" && unread)
    .map(({ address, notes }) => ({ code: "unread-value", message: notes.join(" "), address }));
}

/** The report on an apply. */
export function outcomeReport({ cancelled, results }: OutcomeDocument): CycleReport {
  const open = results.filter(({ status }) => status !== "applied");
  const drifted = open.filter(isLeftAlone).length;
  const ambiguous = open.filter(({ action }) => action === "ambiguous").length;
  const unread = open.filter(({ problem }) => problem?.code === "unread-value");
  return {
    outcome: outcome(),
    changes: results
      .filter((result) => !unread.includes(result))
      .map(({ address, action, status }) => ({ address, action, status })),
    drifted,
    ambiguous,
    problems: open.map(({ address, action, problem }) => ({
      code: problem?.code ?? action,
      message: problem?.message ?? actionFacts[action].description,
      address,
    })),
  };

  function outcome(): CycleOutcome {
    if (cancelled) return "stopped";
    if (ambiguous > 0) return "ambiguous";
    if (open.length === 0) return results.length > 0 ? "applied" : "unchanged";
    const held = open.filter(({ problem }) => problem?.code === "held").length;
    if (open.length > drifted + held) return "partly";
    return held > 0 ? "held" : "drifted";
  }
}
