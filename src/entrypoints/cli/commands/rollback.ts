import { UsageError } from "../../../base/diagnostics/index.js";
import {
  assertTrustedJob,
  loadProject,
  planRollback,
  proposeRollback,
  rollbackProject,
} from "../../../operations/index.js";
import { toPlanExit } from "../../../output/documents/index.js";
import { askOnTerminal, showOutcome } from "../applying.js";
import type { RunCommand } from "../command.js";
import { exitCode, toPlanExitCode } from "../exit-code.js";
import type { rollbackCommand } from "../facts/team.js";
import { readProposalType } from "../proposal-options.js";
import { showPlan } from "../show-plan.js";

export const command: RunCommand<typeof rollbackCommand> = async (call) => {
  // Here, `base` is the pull request's base branch. It is removed from the shared options, where `base` belongs to
  // `--untrusted`.
  const { base, ...given } = call.options;
  const { to, dryRun, autoApprove } = given;
  const proposes = readProposalType(call.options);
  if (proposes && dryRun)
    throw new UsageError("usage", `A rollback ${proposes} does not change the account. Remove --dry-run.`);
  const runtime = { ...call, options: given };
  if (!dryRun) await assertTrustedJob(runtime);
  const project = await loadProject(runtime);
  const options = { ...given, to, named: [...new Set(call.arguments[0])] };
  if (proposes) {
    const isBranchOnly = proposes === "branch";
    const onlyThisObject = given.here;
    call.output.show(
      await proposeRollback(runtime, project, { ...options, base, isBranchOnly, onlyThisObject }),
    );
    return exitCode.done;
  }
  if (dryRun) {
    const { plan, shown, rollback } = await planRollback(runtime, project, options);
    showPlan(call.output, shown, rollback.manifest);
    return toPlanExitCode(toPlanExit(plan), false);
  }
  const confirmation = askOnTerminal(call, autoApprove || given.digest !== undefined);
  const outcome = await rollbackProject(runtime, project, {
    ...options,
    approve: autoApprove ? undefined : confirmation.approve,
    repeat: confirmation.repeat,
  });
  return outcome ? showOutcome(call, outcome) : confirmation.refuse();
};
