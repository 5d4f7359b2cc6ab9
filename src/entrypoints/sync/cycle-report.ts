import type { ShownResult } from "../../output/documents/index.js";

/** How a cycle ended. */
export const cycleOutcomes = [
  /** Files and account agreed already. */
  "unchanged",
  /** They agree now. */
  "applied",
  /** Edits made elsewhere are left alone; all else agrees. */
  "drifted",
  /** The user must decide which object is meant; all else was applied. */
  "ambiguous",
  /** Some changes could not be applied, or it is not known whether they were: the next cycle looks. */
  "partly",
  /** The files of the commit have errors. */
  "invalid",
  /** Nothing was applied, because the change is one that a person must approve. */
  "refused",
  /** Another replica, or somebody's own apply, holds the lock of the state. */
  "locked",
  /** Sessions are active, and `service.wait_for_idle` wants none to be. */
  "waiting",
  /** Objects are on hold, and left alone; unless that is all of them, all else was applied. */
  "held",
  /** Repository, service or state did not answer as they should. */
  "failed",
  /** Ended by a signal. */
  "stopped",
] as const;

export type CycleOutcome = (typeof cycleOutcomes)[number];

/** What one cycle found and did. Without texts of prompts and without secrets. */
export interface CycleReport {
  readonly outcome: CycleOutcome;
  /** The folder of the project; absent where one is followed. */
  readonly project?: string;
  /** The commit at the end of the branch; absent if the repository could not be read. */
  readonly commit?: string;
  /** The results of an apply, without objects that were left unchanged. */
  readonly changes: readonly ChangedObject[];
  /** Objects that were edited elsewhere and are left alone. */
  readonly drifted: number;
  /** Objects of which the user must decide. */
  readonly ambiguous: number;
  /** Absent if the cycle could not tell. */
  readonly secrets?: SecretRotations;
  readonly problems: readonly CycleProblem[];
}

/** How managed secrets compare with their sources. */
export interface SecretRotations {
  /** The addresses of those whose source has another value than the one that was sent. */
  readonly rotated: readonly string[];
  /** The number of those of which that is unknown. */
  readonly unverified: number;
}

/** What became of one object. */
export interface ChangedObject {
  readonly address: string;
  readonly action: ShownResult["action"];
  readonly status: string;
}

/** What went wrong, in words for a log. */
export interface CycleProblem {
  /** Kebab-case and stable. */
  readonly code: string;
  readonly message: string;
  /** Address of the object, if it concerns one. */
  readonly address?: string;
  /** `file:line:column` in the project. */
  readonly place?: string;
}

/** Whether files and account agree, except for edits that are left alone on purpose. */
export function isSuccess(outcome: CycleOutcome): boolean {
  return outcome === "unchanged" || outcome === "applied" || outcome === "drifted";
}

/** Whether it is worth trying again before the interval is over; what waits for a person is not. */
export function isPassing(outcome: CycleOutcome): boolean {
  return outcome === "failed" || outcome === "partly";
}
