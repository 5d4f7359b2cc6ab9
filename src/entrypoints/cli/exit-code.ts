import type { PlanExit, ShownSmoke } from "../../output/documents/index.js";

/** Exit codes of all commands. Scripts depend on them. */
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

/** Exit code descriptions for `--help` and docs/commands.md. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCode.done, "success, or nothing to do"],
  [exitCode.failed, "error, or invalid input"],
  [exitCode.changesPending, "changes pending (plan --detailed-exitcode, drift), or over budget"],
  [exitCode.partly, "partly applied, or a secret may have changed"],
  [exitCode.ambiguous, "an object is ambiguous, or a write has no known outcome"],
  [exitCode.stale, "the saved, reviewed or confirmed plan is stale"],
  [exitCode.locked, "another run has locked the state"],
  [exitCode.notApproved, "not confirmed, because there is no terminal or AVATAROPS_READ_ONLY is set"],
  [exitCode.cancelled, "cancelled"],
];

const planExitCodes: Readonly<Record<PlanExit, ExitCode>> = {
  nothing: exitCode.done,
  changes: exitCode.changesPending,
  unreadable: exitCode.failed,
  missing: exitCode.failed,
  protected: exitCode.failed,
  ambiguous: exitCode.ambiguous,
  unverified: exitCode.partly,
};

export function planExitCode(exit: PlanExit, detailed: boolean): ExitCode {
  const isPending = exit === "changes" || exit === "unverified";
  return isPending && !detailed ? exitCode.done : planExitCodes[exit];
}

export function toSmokeExitCode(exit: ShownSmoke["exit"]): ExitCode {
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

/** Returns the exit code for an error code. */
export function toExitCode(code: string, isCancelled: boolean): ExitCode {
  return errorExitCodes[code] ?? (isCancelled ? exitCode.cancelled : exitCode.failed);
}

const worstFirst = [
  ...[exitCode.cancelled, exitCode.failed, exitCode.ambiguous, exitCode.stale, exitCode.locked],
  ...[exitCode.notApproved, exitCode.partly, exitCode.changesPending, exitCode.done],
];

/** Returns the exit code of a command for several projects. */
export function pickWorstExitCode(exits: readonly ExitCode[]): ExitCode {
  return worstFirst.find((exit) => exits.includes(exit)) ?? exitCode.done;
}
