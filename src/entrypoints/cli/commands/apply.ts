import { UsageError } from "../../../base/diagnostics/index.js";
import { type Change, emptyOutcome, type Plan } from "../../../core/engine/index.js";
import {
  applyProject,
  assertStarterApproves,
  assertTrustedJob,
  checkReviewed,
  findMergedChange,
  findPullRequests,
  findReviewedChange,
  findUnattendedRequirement,
  InvalidProjectError,
  LaterRunError,
  openProject,
  readPlanFile,
  reportOutcome,
} from "../../../operations/index.js";
import { toOutcomeDocument, toOutcomeExit } from "../../../output/documents/index.js";
import { type ProjectCall, runForAll, toProjectCall } from "../all.js";
import { askOnTerminal, showOutcome, withSummary } from "../applying.js";
import type { CommandCall, RunCommand } from "../command.js";
import { type ExitCode, exitCode, toSmokeExitCode } from "../exit-code.js";
import type { applyCommand } from "../facts/project.js";
import { showFailure } from "../show-failure.js";

type ApplyCall = CommandCall<typeof applyCommand>;

export const command: RunCommand<typeof applyCommand> = async (call) => {
  rejectSecondPlanSource(call);
  const { all, reviewed, acceptDuplicate, summary, target } = call.options;
  if (!all) return apply(toProjectCall(call));
  if (!reviewed)
    throw new UsageError("usage", "--all applies reviewed plans only. Add --reviewed, or remove --all.");
  return runForAll<ApplyCall>(call, apply, {
    singleProject: { "--summary": summary, "--target": target[0], "--accept-duplicate": acceptDuplicate[0] },
    startsWithHeading: true,
  });
};

async function apply(call: ProjectCall<ApplyCall>): Promise<ExitCode> {
  try {
    return await applyProjectFiles(call);
  } catch (error) {
    if (!(error instanceof InvalidProjectError) || !error.violatesOnlyPolicies) throw error;
    showFailure(error, call.output, call.signal);
    return exitCode.undecided;
  }
}

async function applyProjectFiles(given: ProjectCall<ApplyCall>): Promise<ExitCode> {
  await assertTrustedJob(given, { reviewed: given.options.reviewed });
  const saved = await readSavedPlan(given);
  const call = withSummary(withPlanEnvironment(given, saved), given.options.summary);
  const { output } = call;
  const { reviewed, requireApproval, autoApprove, digest } = call.options;
  const confirmation = askOnTerminal(call, autoApprove || saved !== undefined || digest !== undefined);
  const found = reviewed ? await findReviewedChange(call) : undefined;
  const change = found ?? (await findMergedChange(call));
  const work: Parameters<typeof reportOutcome>[2] = async (on) => {
    const project = await openProject(call);
    const checkPlan = (plan: Plan, changes: readonly Change[], change: NonNullable<typeof found>) =>
      checkReviewed(call, project, change, plan, changes, {
        needed: requireApproval,
        allow: call.options.allow,
        onFound: on.onFound,
      });
    return applyProject(call, project, {
      ...call.options,
      saved,
      reviewed: found && ((plan, changes) => checkPlan(plan, changes, found)),
      checkAgreement: call.options.onlyRotations
        ? undefined
        : (changes) => assertStarterApproves(call, project, changes),
      findRequired: () => findUnattendedRequirement(call, project),
      approve: autoApprove ? undefined : confirmation.approve,
      repeat: confirmation.repeat,
      findPullRequests:
        change && ((addresses) => findPullRequests(call, project, change, addresses, on.onFound)),
      onWriting: on.onWriting,
      onOutcome(outcome) {
        if (output.format !== "json") showOutcome(call, outcome);
      },
    });
  };
  const applied = await reportOutcome(call, change, work).catch((error: unknown) => {
    if (!(error instanceof LaterRunError)) throw error;
    output.info(error.message);
    return "left to a later run" as const;
  });
  if (applied === "left to a later run") {
    if (output.format === "json") output.show(toOutcomeDocument(emptyOutcome));
    return exitCode.done;
  }
  if (!applied) return confirmation.refuse();
  const { outcome, smoke } = applied;
  if (!smoke || output.format === "json") {
    const exit = showOutcome(call, outcome, smoke);
    return smoke ? exit || toSmokeExitCode(smoke.exit) : exit;
  }
  if (output.format === "markdown") output.writeResult("\n");
  output.show({ format: "avatarops/smoke", version: 1, ...smoke });
  return exitCode[toOutcomeExit(outcome)] || toSmokeExitCode(smoke.exit);
}

/** Rejects a call that chooses the plan in more than one way. @throws UsageError */
function rejectSecondPlanSource(call: ApplyCall): void {
  const [reviewed, hasDigest] = [call.options.reviewed, call.options.digest !== undefined];
  if (reviewed && hasDigest)
    throw new UsageError("usage", "--reviewed already selects the digest. Remove --digest.");
  if (call.options.requireApproval !== undefined && !reviewed)
    throw new UsageError(
      "usage",
      "--require-approval requires --reviewed. Add --reviewed, or remove --require-approval.",
    );
  if ((reviewed || hasDigest) && call.arguments[0] !== undefined)
    throw new UsageError(
      "usage",
      `A saved plan contains its digest. Remove ${reviewed ? "--reviewed" : "--digest"}.`,
    );
  if (call.options.onlyRotations && (reviewed || call.arguments[0] !== undefined))
    throw new UsageError(
      "usage",
      "--only-rotations makes its own plan, which needs no review. Remove the saved plan or --reviewed.",
    );
}

/** Chooses a saved plan's environment, unless `--env` is given. */
function withPlanEnvironment(call: ProjectCall<ApplyCall>, saved: Plan | undefined): ProjectCall<ApplyCall> {
  const { file, env: given } = call.options;
  const env = given ?? saved?.basis.environment;
  if (env === given) return call;
  return { ...call, output: call.output.forProject({ file, env }), options: { ...call.options, env } };
}

async function readSavedPlan(call: ProjectCall<ApplyCall>): Promise<Plan | undefined> {
  const [file] = call.arguments;
  if (file === undefined) return undefined;
  if (call.options.target.length > 0 || call.options.acceptDuplicate.length > 0)
    throw new UsageError(
      "saved-plan",
      "A saved plan is applied unchanged. Remove --target and --accept-duplicate.",
    );
  return readPlanFile(call, file);
}
