import { hasErrors } from "../../diagnostics/index.js";
import { planExit, writePlan } from "../../documents/index.js";
import { findUndeclared } from "../../engine/index.js";
import { writeWhole } from "../../state/index.js";
import { type Call, isOn, listOption, type RunCommand, textOption } from "../command.js";
import { exitCode, planExitCode } from "../exit-code.js";
import { UsageError } from "../failure.js";
import { judgePlan } from "../judging.js";
import { planDefinitions } from "../plan-definitions.js";
import { loadJudged } from "../project.js";
import { planProject } from "../project-plan.js";
import { refuseTarget } from "../saved-plans.js";
import { shellWord } from "../shell-word.js";
import { showPlan } from "../show-plan.js";
import { tellLock } from "../store.js";

export const command: RunCommand = async (call) => {
  refuseTargets(call);
  const manifest = await loadJudged(call, { showsFindings: false });
  const out = textOption(call, "out");
  if (out !== undefined) await refuseTarget(out, call, manifest);
  const lists = isOn(call, "undeclared");
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
  tellLock(call, snapshot);
  if (isRefused) {
    if (out !== undefined) call.output.warn("The plan was not saved: policies refuse it.");
    return exitCode.failed;
  }
  if (out !== undefined)
    call.output.info(`Saved the plan. To apply exactly this plan: \`avatarops apply ${shellWord(out)}\``);
  return planExitCode(planExit(plan), isOn(call, "detailedExitcode"));
};

/** A plan of some declarations cannot tell which objects are undeclared. */
function refuseTargets(call: Call): void {
  if (!isOn(call, "undeclared") || listOption(call, "target").length === 0) return;
  throw new UsageError("usage", "--undeclared covers the whole account: remove --target.");
}
