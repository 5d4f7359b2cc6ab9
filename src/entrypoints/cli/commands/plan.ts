import { hasErrors, UsageError } from "../../../base/diagnostics/index.js";
import { findUndeclared } from "../../../core/engine/index.js";
import { writeWhole } from "../../../core/state/index.js";
import {
  judgePlan,
  openProject,
  planDefinitions,
  planProject,
  refuseTarget,
  reportLock,
  shellWord,
} from "../../../operations/index.js";
import { planExit, writePlan } from "../../../output/documents/index.js";
import { forAll, type OneCall, oneProject } from "../all.js";
import type { CommandCall, RunCommand } from "../command.js";
import { type ExitCode, exitCode, planExitCode } from "../exit-code.js";
import type { planCommand } from "../facts/project.js";
import { showPlan } from "../show-plan.js";

type Called = CommandCall<typeof planCommand>;

export const command: RunCommand<typeof planCommand> = (call) => {
  const { all, out, target } = call.options;
  if (!all) return planOne(oneProject(call));
  const apart = [["--out", out !== undefined] as const, ["--target", target.length > 0] as const];
  return forAll<Called>(call, planOne, { apart });
};

async function planOne(call: OneCall<Called>): Promise<ExitCode> {
  refuseTargets(call);
  const manifest = await openProject(call, { showsFindings: false });
  const out = call.options.out;
  if (out !== undefined) await refuseTarget(out, call, manifest);
  const lists = call.options.undeclared;
  const planned = await planProject(call, manifest, { undeclared: lists, notesSessions: true });
  const { plan, shown, observation, snapshot } = planned;
  // Without the account, none can be known.
  const showsUndeclared = lists && plan.basis.comparedWith === undefined;
  const findings = await judgePlan(call, manifest, plan);
  const isRefused = hasErrors(findings);
  if (out !== undefined && !isRefused) {
    const saved = writePlan({ ...plan, definitions: await planDefinitions(call, manifest) });
    await call.finishing(() => writeWhole(call.host.resolve(out), saved));
  }
  const undeclared = showsUndeclared ? findUndeclared(observation, plan.changes) : undefined;
  showPlan(call.output, shown, manifest, { undeclared, findings });
  reportLock(call, snapshot);
  if (isRefused) {
    if (out !== undefined) call.output.warn("The plan was not saved: policies refuse it.");
    return exitCode.failed;
  }
  if (out !== undefined)
    call.output.info(`Saved the plan. To apply exactly this plan: \`avatarops apply ${shellWord(out)}\``);
  return planExitCode(planExit(plan), call.options.detailedExitcode);
}

/** A plan of some declarations cannot tell which objects are undeclared. */
function refuseTargets(call: OneCall<Called>): void {
  if (!call.options.undeclared || call.options.target.length === 0) return;
  throw new UsageError("usage", "--undeclared covers the whole account: remove --target.");
}
