import type { PendingRotations } from "../../core/engine/index.js";
import { refusals, wasWithheld } from "../../operations/index.js";
import {
  actionFacts,
  type DiagnosticsDocument,
  type ErrorDocument,
  type OutcomeDocument,
  type ShownResult,
} from "../../output/documents/index.js";

/** Log level of each cycle outcome. */
export const outcomeLevels = {
  /** Files and account already matched. */
  unchanged: "info",
  /** Changes were applied, so files and account match. */
  applied: "info",
  /** Dashboard edits were skipped. Everything else matches. */
  drifted: "warn",
  /** Files and dashboard changed the same object. Everything else was applied. */
  conflicting: "warn",
  /** The user must choose between objects. Other changes may have failed. */
  ambiguous: "warn",
  /** Some changes failed or have an unknown outcome, which the next cycle checks. */
  partly: "error",
  /** The commit's files have errors. */
  invalid: "error",
  /** Nothing was applied, because a gate blocked it, such as a policy or a missing approval. */
  refused: "warn",
  /** Another run owns the state lock, or the branch moved during the cycle. */
  locked: "info",
  /** Sessions are active, and `service.wait_for_idle` is set. */
  waiting: "info",
  /** Objects on hold were skipped. Everything else, if anything, was applied. */
  held: "warn",
  /** The repository, service or state could not be used. */
  failed: "error",
  /** Ended by a signal. */
  stopped: "info",
} as const;

export type CycleOutcome = keyof typeof outcomeLevels;

type CycleDocument = DiagnosticsDocument | OutcomeDocument | ErrorDocument;

/** Result of a cycle, without prompt texts or secrets. */
export interface CycleResult {
  readonly outcome: CycleOutcome;
  /** Project folder. Omitted with a single project. */
  readonly project?: string;
  /** Branch head. Omitted if the repository could not be read. */
  readonly commit?: string;
  readonly documents: readonly CycleDocument[];
  /** Time until the blocking lock may be taken over, in ms. Omitted if never. */
  readonly takeOverInMs?: number | undefined;
  /** Whether a required environment has been behind for only a few minutes, so that no notice is sent. */
  readonly isExpected?: boolean;
  /**
   * Whether the plan equals an earlier cycle's plan, so that nothing was applied and the earlier documents are
   * repeated.
   */
  readonly isSettled?: boolean;
  /** Rotated secrets that were not sent. Omitted if unknown. */
  readonly rotations?: PendingRotations | undefined;
}

export function toCycleResult(document: CycleDocument): CycleResult {
  return { outcome: deriveOutcome(document), documents: [document] };
}

/** Returns whether files and account match, except for skipped edits. */
export function isSuccess(outcome: CycleOutcome): boolean {
  return outcome === "unchanged" || outcome === "applied" || outcome === "drifted";
}

/** Lists an apply's results, except unchanged objects. */
export function listChanges({ documents, isSettled }: CycleResult): ShownResult[] {
  return isSettled ? [] : listResults(documents).filter(({ action }) => action !== "keep");
}

/** Counts skipped objects with drift, and ambiguous objects. */
export function countUnresolved({ documents }: CycleResult): { drifted: number; ambiguous: number } {
  const open = listResults(documents).filter(({ status }) => status !== "applied");
  return {
    drifted: open.filter(wasWithheld).length,
    ambiguous: open.filter(({ action }) => action === "ambiguous").length,
  };
}

/** Lists a cycle's problems for the log. `location` is `file:line:column` in the project. */
export function listProblems({ documents }: CycleResult) {
  return documents.flatMap(collectProblems);
}

export type CycleProblem = ReturnType<typeof collectProblems>[number];

/** Returns whether a cycle has results of objects. False if all of its changes are on hold. */
export function hasResults({ documents }: CycleResult): boolean {
  return documents.some((document) => "results" in document);
}

function listResults(documents: readonly CycleDocument[]): ShownResult[] {
  return documents.flatMap((document) => ("results" in document ? document.results : []));
}

/** Outcome for each error code that is not a failure. */
const outcomes: Readonly<Record<string, CycleOutcome>> = {
  ...refusals,
  locked: "locked",
  "later-run": "locked",
  cancelled: "stopped",
};

function deriveOutcome(document: CycleDocument): CycleOutcome {
  if ("diagnostics" in document) return "invalid";
  if ("code" in document) return outcomes[document.code] ?? "failed";
  const { cancelled, results, stopped } = document;
  const open = results.filter(({ status }) => status !== "applied");
  if (cancelled) return "stopped";
  if (stopped) return open.length < results.length ? "partly" : "failed";
  if (open.some(({ action }) => action === "ambiguous")) return "ambiguous";
  if (open.length === 0) return results.length > 0 ? "applied" : "unchanged";
  const waiting = open.filter((result) => wasWithheld(result) || result.problem?.code === "held");
  if (waiting.length < open.length) return "partly";
  if (open.some(({ problem }) => problem?.code === "conflicting")) return "conflicting";
  return waiting.every(wasWithheld) ? "drifted" : "held";
}

/** Lists a document's problems. Omits source lines, which may contain prompt text. */
function collectProblems(document: CycleDocument): {
  readonly code: string;
  readonly message: string;
  readonly address?: string | undefined;
  readonly location?: string | undefined;
}[] {
  if ("results" in document) {
    const ofResults = document.results.flatMap(({ address, action, status, problem }) => {
      const { code = action, message = actionFacts[action].description } = problem ?? {};
      return status === "applied" ? [] : { code, message, address };
    });
    return document.stopped ? [document.stopped, ...ofResults] : ofResults;
  }
  const { policies = [] } = document;
  if ("diagnostics" in document)
    return [...document.diagnostics, ...policies].filter(isError).map(({ code, message, location }) => ({
      ...{ code, message },
      location: location && `${location.file}:${location.line}:${location.column}`,
    }));
  const broken = policies.filter(isError).map(({ code, message, address }) => ({ code, message, address }));
  return broken.length > 0 ? broken : [{ code: document.code, message: document.message }];
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === "error";
}
