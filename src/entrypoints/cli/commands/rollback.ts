import { UsageError } from "../../../base/diagnostics/index.js";
import { loadProject, planRollback, rollbackProject } from "../../../operations/index.js";
import { planExit } from "../../../output/documents/index.js";
import { askOnTerminal, showOutcome } from "../applying.js";
import type { RunCommand } from "../command.js";
import { planExitCode } from "../exit-code.js";
import type { rollbackCommand } from "../facts/team.js";
import { showPlan } from "../show-plan.js";

export const command: RunCommand<typeof rollbackCommand> = async (call) => {
  const { to, dryRun, write, autoApprove } = call.options;
  if (to === undefined)
    throw new UsageError(
      "usage",
      "Name the time to go back to: --to SERIAL or --to COMMIT. `avatarops history` lists them.",
    );
  const project = await loadProject(call);
  const options = { ...call.options, to, named: [...new Set(call.arguments[0])] };
  if (dryRun) {
    const { plan, shown, rollback, files } = await planRollback(call, project, options);
    showPlan(call.output, shown, rollback.manifest);
    if (write && files.length > 0) call.output.info(`Would write ${files.join(", ")}.`);
    return planExitCode(planExit(plan), false);
  }
  const confirmation = askOnTerminal(call, "Add --auto-approve.");
  const outcome = await rollbackProject(call, project, {
    ...options,
    approve: autoApprove ? undefined : confirmation.approve,
  });
  return outcome ? showOutcome(call, outcome) : confirmation.refuse();
};
