import { hasErrors, UsageError } from "../../base/diagnostics/index.js";
import type { Plan } from "../../core/engine/index.js";
import { diagnosticsDocument, PolicyError, planExit } from "../../output/documents/index.js";
import type { Project } from "../project.js";
import type { Runtime } from "../runtime.js";
import { judgePlan } from "./judge-plan.js";
import { refuseUnmetNeeds } from "./needs.js";

/*
 * What stands between a plan and the account. The plan itself has what was found, as notices; each gate but that of the
 * policies has an option that opens it. They are passed in one place, `executePlan`.
 */

/**
 * Errors after which somebody must decide, or something must end, before the same is tried again: by their code, how `sync`
 * calls such a cycle. After others it may be tried again at once.
 */
export const refusals = {
  "all-vanished": "refused",
  behind: "refused",
  "names-exchanged": "refused",
  needs: "refused",
  "not-approved": "refused",
  "not-reviewed": "refused",
  policy: "refused",
  "stale-plan": "refused",
  threshold: "refused",
  held: "held",
  "sessions-active": "waiting",
} as const;

/** What opens a gate: each has the name of its option on the command line. */
export interface GateOptions {
  /** The account has none of the recorded objects, and they are to be created again. */
  readonly recreate?: boolean | undefined;
  /** More may change or go than `thresholds` allow. */
  readonly force?: boolean | undefined;
  /** Values are replaced that commits set which are not checked out. */
  readonly forceBehind?: boolean | undefined;
  /** Environments that this one needs do not have yet what the files say. */
  readonly ignoreNeeds?: boolean | undefined;
  /** Objects are on hold. */
  readonly ignoreHold?: boolean | undefined;
  /** Somebody has agreed to exactly this plan, or enough people have approved the change. */
  readonly approved?: boolean | undefined;
}

/**
 * The gate that may close until the first write: it is passed once more then.
 *
 * @throws UsageError `held`
 */
export function passLateGate(plan: Plan): void {
  const [held] = plan.notices.filter(({ code }) => code === "held");
  if (held && planExit(plan) !== "nothing")
    throw new UsageError("held", `${held.message} To apply in spite of it: --ignore-hold.`);
}

/**
 * Throws if a plan must not be carried out.
 *
 * @throws UsageError `held`, `behind`, `all-vanished`, `threshold`, `needs`, `not-approved`; PolicyError
 */
export async function passGates(
  runtime: Runtime,
  project: Project,
  plan: Plan,
  options: GateOptions,
): Promise<void> {
  passLateGate(plan);
  const noticesWith = (code: string) => plan.notices.filter((notice) => notice.code === code);
  const behind = noticesWith("behind");
  if (behind.length > 0 && !options.forceBehind)
    throw new UsageError("behind", behind.map(({ message }) => message).join(" "));
  // Few users mean to recreate a whole account: the API key is more likely that of another account.
  const [gone] = noticesWith("all-vanished");
  if (gone && !options.recreate)
    throw new UsageError("all-vanished", `${gone.message} If they were deleted, apply with --recreate.`);
  const [exceeded] = noticesWith("threshold");
  if (exceeded && !options.force) {
    const advice = "If this is what you want, apply with --force, or set other numbers in `thresholds`.";
    throw new UsageError("threshold", `${exceeded.message} ${advice}`);
  }
  if (!options.ignoreNeeds && planExit(plan) !== "nothing") await refuseUnmetNeeds(runtime, project);
  const { requireApproval } = project.reviews;
  if (requireApproval > 0 && !options.approved && planExit(plan) !== "nothing")
    throw new UsageError(
      "not-approved",
      `\`reviews.require_approval\` is ${requireApproval}, and nobody has asked the code host who approved this. Apply it with \`apply --reviewed\` after the merge of its pull request, or exactly this plan with \`apply --digest ${plan.digest}\`.`,
    );
  const findings = await judgePlan(runtime, project, plan);
  // Those of the files have been reported already.
  const fresh = findings.slice(project.findings?.length ?? 0);
  if (fresh.length > 0) runtime.output.diagnostics(diagnosticsDocument(fresh), { isFresh: true });
  if (hasErrors(findings)) throw new PolicyError(findings);
}
