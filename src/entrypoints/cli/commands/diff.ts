import { UsageError } from "../../../base/diagnostics/index.js";
import { planPromotion } from "../../../operations/index.js";
import { planExit } from "../../../output/documents/index.js";
import type { RunCommand } from "../command.js";
import { planExitCode } from "../exit-code.js";
import type { diffCommand } from "../facts/team.js";
import { showPlan } from "../show-plan.js";

export const command: RunCommand<typeof diffCommand> = async (call) => {
  const [from, to] = call.arguments;
  if (call.options.env !== undefined)
    throw new UsageError("usage", "diff takes two environments as arguments: remove --env.");
  const { project, plan } = await planPromotion(call, { from, to });
  const { length } = plan.changes.filter(({ action }) => action !== "keep");
  call.output.info(
    `In ${from} and not yet in ${to}: ${length === 0 ? "nothing" : length === 1 ? "1 object" : `${length} objects`}.`,
  );
  showPlan(call.output, plan, project);
  return planExitCode(planExit(plan), true);
};
