import type { PlanExit, ShownSmoke } from "../../output/documents/index.js";

/** Exit codes of every command; scripts depend on them. */
export const exitCode = {
  done: 0,
  failed: 1,
  changesPending: 2,
  partly: 3,
  ambiguous: 4,
  stale: 5,
  locked: 6,
  notApproved: 7,
  cancelled: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** What each exit code means, for `--help` and docs/commands.md. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCode.done, "done, or nothing to do"],
  [exitCode.failed, "wrong input, or failed"],
  [exitCode.changesPending, "changes pending: plan --detailed-exitcode, drift; or over budget"],
  [exitCode.partly, "not all was applied, or it is unknown whether a secret has changed"],
  [exitCode.ambiguous, "it is unknown which object is meant, or whether a write was done"],
  [exitCode.stale, "the plan is stale: saved, reviewed or agreed to, and no longer the same"],
  [exitCode.locked, "the state is locked by another run"],
  [exitCode.notApproved, "not approved: no terminal to ask on, or AVATAROPS_READ_ONLY is set"],
  [exitCode.cancelled, "cancelled"],
];

const planExitCodes: Readonly<Record<PlanExit, ExitCode>> = {
  nothing: exitCode.done,
  changes: exitCode.changesPending,
  unreadable: exitCode.failed,
  missing: exitCode.failed,
  protected: exitCode.failed,
  ambiguous: exitCode.ambiguous,
};

/** The exit code of `plan`. */
export function planExitCode(exit: PlanExit, detailed: boolean): ExitCode {
  return planExitCodes[exit] === exitCode.changesPending && !detailed ? exitCode.done : planExitCodes[exit];
}

/** The exit code of `smoke`. */
export function smokeExitCode(exit: ShownSmoke["exit"]): ExitCode {
  return exit === "passed" ? exitCode.done : exitCode[exit];
}

const errorExitCodes: Readonly<Record<string, ExitCode>> = {
  locked: exitCode.locked,
  "stale-plan": exitCode.stale,
  "sessions-active": exitCode.changesPending,
  held: exitCode.changesPending,
  "read-only": exitCode.notApproved,
  cancelled: exitCode.cancelled,
};

/** The exit code of a command that ends with an error of this code. */
export function errorExitCode(code: string, isCancelled: boolean): ExitCode {
  return errorExitCodes[code] ?? (isCancelled ? exitCode.cancelled : exitCode.failed);
}

const worstFirst = [
  ...[exitCode.cancelled, exitCode.failed, exitCode.ambiguous, exitCode.stale, exitCode.locked],
  ...[exitCode.notApproved, exitCode.partly, exitCode.changesPending, exitCode.done],
];

/** The exit code of a command for several projects. */
export function worstExitCode(exits: readonly ExitCode[]): ExitCode {
  return worstFirst.find((exit) => exits.includes(exit)) ?? exitCode.done;
}
