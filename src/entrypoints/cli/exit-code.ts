import type { PlanExit, ShownSmoke } from "../../output/documents/index.js";

/** Exit codes for all commands. Scripts depend on them. */
export const exitCode = {
  done: 0,
  failed: 1,
  changesPending: 2,
  partly: 3,
  ambiguous: 4,
  stale: 5,
  locked: 6,
  undecided: 7,
  cancelled: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Exit code descriptions for `--help` and docs/commands.md. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCode.done, "success, or nothing to do"],
  [exitCode.failed, "error, or invalid input"],
  [exitCode.changesPending, "changes or drift pending (plan --detailed-exitcode, diff, status, drift)"],
  [exitCode.partly, "partly applied, or a secret may have changed"],
  [exitCode.ambiguous, "an object is ambiguous, or the outcome of a write is unknown"],
  [exitCode.stale, "the saved, reviewed or confirmed plan is stale"],
  [exitCode.locked, "another run has locked the state"],
  [exitCode.undecided, "a decision is needed, such as a confirmation, an approval or --allow"],
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

export function toPlanExitCode(exit: PlanExit, detailed: boolean): ExitCode {
  const isPending = exit === "changes" || exit === "unverified";
  return isPending && !detailed ? exitCode.done : planExitCodes[exit];
}

export function toSmokeExitCode(exit: ShownSmoke["exit"]): ExitCode {
  return exit === "passed" ? exitCode.done : exitCode[exit];
}

/** Errors that need a decision, with their reason and the possible decisions, for docs/commands.md. */
export const decisions: Readonly<Record<string, readonly [reason: string, decision: string]>> = {
  behind: [
    "the checkout is behind commits that were already applied",
    "run `git pull`, or add `--allow behind`",
  ],
  threshold: ["more objects would change than `thresholds` allow", "add `--allow threshold`"],
  "all-vanished": [
    "the account has none of the recorded objects",
    "use the right API key, or add `--allow all-vanished`",
  ],
  held: ["all objects are on hold", "run `avatarops release`, or add `--allow held`"],
  needs: ["a required environment is not up to date", "apply that environment first, or add `--allow needs`"],
  policy: ["the plan violates a policy", "change the files or the policy"],
  "not-approved": ["approvals are missing", "get approvals, or apply the plan by its `--digest`"],
  "not-reviewed": ["the changes have not been reviewed", "get a review, or apply the plan by its `--digest`"],
  "sessions-active": ["sessions are active", "retry later, or add `--no-wait-for-idle`"],
  "read-only": ["`AVATAROPS_READ_ONLY` is set", "unset it"],
};

const errorExitCodes: Readonly<Record<string, ExitCode>> = {
  locked: exitCode.locked,
  "stale-plan": exitCode.stale,
  cancelled: exitCode.cancelled,
};

export function toExitCode(code: string, isCancelled: boolean): ExitCode {
  if (Object.hasOwn(decisions, code)) return exitCode.undecided;
  return errorExitCodes[code] ?? (isCancelled ? exitCode.cancelled : exitCode.failed);
}

const worstFirst = [
  ...[exitCode.cancelled, exitCode.failed, exitCode.ambiguous, exitCode.stale, exitCode.locked],
  ...[exitCode.undecided, exitCode.partly, exitCode.changesPending, exitCode.done],
];

/** Picks the exit code for a command that ran for several projects. */
export function pickWorstExitCode(exits: readonly ExitCode[]): ExitCode {
  return worstFirst.find((exit) => exits.includes(exit)) ?? exitCode.done;
}
