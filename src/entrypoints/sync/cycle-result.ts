import type { PendingRotations } from "../../core/engine/index.js";
import { refusals, wasLeftAlone } from "../../operations/index.js";
import {
  actionFacts,
  type DiagnosticsDocument,
  type ErrorDocument,
  type OutcomeDocument,
  type ShownResult,
} from "../../output/documents/index.js";

/** How a cycle ends, and as what that is logged. */
export const outcomeLevels = {
  /** Files and account agreed already. */
  unchanged: "info",
  /** They agree now. */
  applied: "info",
  /** Edits made elsewhere are left alone; all else agrees. */
  drifted: "warn",
  /** Files and dashboard both changed an object; everything else was applied. */
  conflicting: "warn",
  /** The user must decide which object is meant; all else was applied. */
  ambiguous: "warn",
  /** Some changes could not be applied, or it is not known whether they were: the next cycle looks. */
  partly: "error",
  /** The files of the commit have errors. */
  invalid: "error",
  /** Nothing was applied, because the change is one that a person must approve. */
  refused: "warn",
  /** Another replica or an apply holds the state lock, or the branch moved during the cycle. */
  locked: "info",
  /** Sessions are active, and `service.wait_for_idle` wants none to be. */
  waiting: "info",
  /** Objects are on hold, and left alone; unless that is all of them, all else was applied. */
  held: "warn",
  /** Repository, service or state did not answer as they should. */
  failed: "error",
  /** Ended by a signal. */
  stopped: "info",
} as const;

export type CycleOutcome = keyof typeof outcomeLevels;

type CycleDocument = DiagnosticsDocument | OutcomeDocument | ErrorDocument;

/** What one cycle found and did. Without texts of prompts and without secrets. */
export interface CycleResult {
  readonly outcome: CycleOutcome;
  /** The folder of the project; absent where one is followed. */
  readonly project?: string;
  /** The commit at the end of the branch; absent if the repository could not be read. */
  readonly commit?: string;
  readonly documents: readonly CycleDocument[];
  /** In how many ms the lock in its way may be taken over; absent if it may not. */
  readonly takeOverInMs?: number | undefined;
  /** Refused, because a needed environment is behind for less than some minutes: no notice is sent. */
  readonly isExpected?: boolean;
  /** Whether nothing was applied, because an earlier cycle has left the same plan as the documents say. */
  readonly isSettled?: boolean;
  /** The secrets whose source has a value that was not sent; absent if the cycle could not tell. */
  readonly rotations?: PendingRotations | undefined;
}

/** What a document alone says of a cycle. */
export function cycleResult(document: CycleDocument): CycleResult {
  return { outcome: deriveOutcome(document), documents: [document] };
}

/** Whether files and account agree, except for edits that are left alone on purpose. */
export function isSuccess(outcome: CycleOutcome): boolean {
  return outcome === "unchanged" || outcome === "applied" || outcome === "drifted";
}

/** The results of an apply, without those of objects that were left unchanged. */
export function changesIn({ documents, isSettled }: CycleResult): ShownResult[] {
  return isSettled ? [] : resultsIn(documents).filter(({ action }) => action !== "keep");
}

/** The numbers of objects that were edited elsewhere and are left alone, and of those of which the user must decide. */
export function countOpen({ documents }: CycleResult): { drifted: number; ambiguous: number } {
  const open = resultsIn(documents).filter(({ status }) => status !== "applied");
  return {
    drifted: open.filter(wasLeftAlone).length,
    ambiguous: open.filter(({ action }) => action === "ambiguous").length,
  };
}

/** What went wrong, in words for a log; `place` is `file:line:column` in the project. */
export function problemsIn({ documents }: CycleResult) {
  return documents.flatMap(collectProblems);
}

export type CycleProblem = ReturnType<typeof collectProblems>[number];

function resultsIn(documents: readonly CycleDocument[]): ShownResult[] {
  return documents.flatMap((document) => ("results" in document ? document.results : []));
}

/** Errors that are not failures, by their code. */
const outcomes: Readonly<Record<string, CycleOutcome>> = {
  ...refusals,
  locked: "locked",
  "later-run": "locked",
  cancelled: "stopped",
};

function deriveOutcome(document: CycleDocument): CycleOutcome {
  if ("diagnostics" in document) return "invalid";
  if ("code" in document) return outcomes[document.code] ?? "failed";
  const { cancelled, results } = document;
  const open = results.filter(({ status }) => status !== "applied");
  if (cancelled) return "stopped";
  if (open.some(({ action }) => action === "ambiguous")) return "ambiguous";
  if (open.length === 0) return results.length > 0 ? "applied" : "unchanged";
  const waiting = open.filter((result) => wasLeftAlone(result) || result.problem?.code === "held");
  if (waiting.length < open.length) return "partly";
  if (open.some(({ problem }) => problem?.code === "conflicting")) return "conflicting";
  return waiting.every(wasLeftAlone) ? "drifted" : "held";
}

/** What went wrong; errors in the files come without their lines, which may be those of a prompt. */
function collectProblems(document: CycleDocument): {
  readonly code: string;
  readonly message: string;
  readonly address?: string | undefined;
  readonly place?: string | undefined;
}[] {
  if ("results" in document)
    return document.results.flatMap(({ address, action, status, problem }) => {
      const { code = action, message = actionFacts[action].description } = problem ?? {};
      return status === "applied" ? [] : { code, message, address };
    });
  const { policies = [] } = document;
  if ("diagnostics" in document)
    return [...document.diagnostics, ...policies].filter(isError).map(({ code, message, place }) => ({
      ...{ code, message },
      place: place && `${place.file}:${place.line}:${place.column}`,
    }));
  const broken = policies.filter(isError).map(({ code, message, address }) => ({ code, message, address }));
  return broken.length > 0 ? broken : [{ code: document.code, message: document.message }];
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === "error";
}
