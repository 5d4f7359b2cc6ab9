import { type Plan, throwIfOtherDigest, throwIfStale } from "../../core/engine/index.js";
import type { RecordedPullRequest, Snapshot } from "../../core/state/index.js";
import { planExit } from "../../output/documents/index.js";
import type { ObservedPlan } from "../plan/plan.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { planDefinitions } from "../state/saved-plan-file.js";

/** A plan that is about to be carried out, and the project that it was made of. */
export interface PreparedPlan extends ObservedPlan {
  readonly project: Project;
}

/** What whoever is asked sees. */
export interface PlanToApprove {
  readonly prepared: PreparedPlan;
  /** The plan with how many sessions are active. */
  readonly shown: Plan;
  readonly snapshot: Snapshot | undefined;
}

/** Who agreed to which plan, made by whoever asked; each is enough. Without any, the plan that is made is carried out. */
export interface Agreement {
  /** The saved plan. */
  readonly saved?: Plan | undefined;
  /** The digest of the plan, or its beginning. */
  readonly digest?: string | undefined;
  /** Looks for the plan, if it changes anything, in the reviews of approved pull requests: answers in which, or throws. */
  readonly reviewed?: ((plan: Plan) => Promise<RecordedPullRequest | undefined>) | undefined;
  /**
   * Called once a saved plan or a digest is found to be the plan, if it changes anything.
   *
   * @throws UsageError `not-approved` if this job may not agree to it.
   */
  readonly checkAgreement?: (() => Promise<void>) | undefined;
  /** Asks whether to go on. */
  readonly approve?: ((seen: PlanToApprove) => Promise<boolean>) | undefined;
}

/** Whether somebody has agreed already, so that nobody is asked. */
export function isAgreed({ saved, digest, reviewed }: Agreement): boolean {
  return saved !== undefined || digest !== undefined || reviewed !== undefined;
}

/**
 * Throws if a plan is not the one that was agreed to. Returns the pull request in which it was reviewed.
 *
 * @throws StalePlanError, and as `reviewed`
 */
export async function refuseOther(
  runtime: Runtime,
  { plan, project }: PreparedPlan,
  agreement: Agreement,
): Promise<RecordedPullRequest | undefined> {
  const { saved, digest, reviewed } = agreement;
  if (saved?.definitions)
    throwIfStale(saved, { ...plan, definitions: await planDefinitions(runtime, project) });
  else if (saved) throwIfStale(saved, plan);
  if (planExit(plan) !== "nothing") {
    if (digest !== undefined) throwIfOtherDigest(digest, plan);
    if (saved !== undefined || digest !== undefined) await agreement.checkAgreement?.();
    return reviewed?.(plan);
  }
  // A job that runs again finds that everything is done.
  if (isAgreed(agreement)) runtime.output.info("Already applied.");
  return undefined;
}
