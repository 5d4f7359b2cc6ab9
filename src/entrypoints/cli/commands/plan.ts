import { hasErrors, UsageError } from "../../../base/diagnostics/index.js";
import { writeAtomically } from "../../../core/state/index.js";
import {
  assertPlanTarget,
  compareSides,
  judgePlan,
  openProject,
  planProject,
  quoteShellWord,
  readPlanDefinitions,
  readProjectStatus,
  reportLock,
  withNeedsNotice,
  withThresholdAdvice,
} from "../../../operations/index.js";
import { toPlanExit, writePlan } from "../../../output/documents/index.js";
import { type ProjectCall, runForAll, toProjectCall } from "../all.js";
import type { CommandCall, RunCommand } from "../command.js";
import { type ExitCode, exitCode, toPlanExitCode } from "../exit-code.js";
import type { planCommand, statusCommand } from "../facts/project.js";
import type { diffCommand } from "../facts/team.js";
import { showPlan } from "../show-plan.js";

type PlanCall = CommandCall<typeof planCommand>;

export const plan: RunCommand<typeof planCommand> = (call) => {
  const { all, out, target } = call.options;
  if (!all) return planOne(toProjectCall(call));
  return runForAll<PlanCall>(call, planOne, { singleProject: { "--out": out, "--target": target[0] } });
};

async function planOne(call: ProjectCall<PlanCall>): Promise<ExitCode> {
  const manifest = await openProject(call, { showsFindings: false });
  const out = call.options.out;
  if (out !== undefined) await assertPlanTarget(out, call, manifest);
  const { plan, shown, snapshot } = await planProject(call, manifest, {
    includesSessions: true,
    allowsMissingKey: true,
  });
  const findings = await judgePlan(call, manifest, plan);
  if (out !== undefined && plan.basis.comparedWith)
    throw new UsageError(
      "no-key",
      "The plan was not saved, because without an API key it is not compared with the account. Set AVATAROPS_API_KEY.",
    );
  const isRefused = hasErrors(findings);
  if (out !== undefined && !isRefused) {
    const saved = writePlan({ ...plan, definitions: await readPlanDefinitions(call, manifest) });
    await call.runToEnd(() => writeAtomically(call.host.resolve(out), saved));
  }
  const targets = call.options.target.map((address) => ` --target ${quoteShellWord(address)}`).join("");
  const noted = await withNeedsNotice(call, manifest, shown);
  const advised = withThresholdAdvice(noted, `To apply it: \`avatarops apply${targets} --allow threshold\`.`);
  showPlan(call.output, advised, manifest, { findings });
  reportLock(call, snapshot);
  if (isRefused) {
    if (out !== undefined) call.output.warn("The plan was not saved, because it violates policies.");
    return exitCode.failed;
  }
  if (out !== undefined) {
    const allow = plan.threshold ? " --allow threshold" : "";
    call.output.info(
      `Saved the plan. To apply exactly this plan: \`avatarops apply ${quoteShellWord(out)}${allow}${repeatAccess(call)}\``,
    );
  }
  return toPlanExitCode(toPlanExit(plan), call.options.detailedExitcode);
}

/** Formats the options that an apply of the plan needs to reach the same account. */
function repeatAccess({ options: { baseUrl, pinned, dotenv, allowEnv } }: ProjectCall<PlanCall>): string {
  const words = [
    ...(baseUrl === undefined ? [] : ["--base-url", baseUrl]),
    ...(pinned ? ["--pinned"] : []),
    ...dotenv.flatMap((file) => ["--dotenv", file]),
    ...allowEnv.flatMap((name) => ["--allow-env", name]),
  ];
  return words.map((word) => ` ${quoteShellWord(word)}`).join("");
}

type StatusCall = CommandCall<typeof statusCommand>;

export const status: RunCommand<typeof statusCommand> = async (call) =>
  call.options.all ? runForAll<StatusCall>(call, showStatus) : showStatus(toProjectCall(call));

async function showStatus(call: ProjectCall<StatusCall>): Promise<ExitCode> {
  const document = await readProjectStatus(call);
  call.output.show(document);
  return toPlanExitCode(document.exit, true);
}

export const compareEnvironments: RunCommand<typeof diffCommand> = async (call) => {
  const [from = "account", to = "files"] = call.arguments;
  const { document, exit } = await compareSides(call, from, to);
  call.output.show(document);
  return toPlanExitCode(exit, true);
};
