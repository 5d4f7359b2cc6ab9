import {
  type Change,
  changesToWrite,
  isSkippedEdit,
  type Plan,
  throwIfOtherDigest,
  throwIfStale,
} from "../../core/engine/index.js";
import type { RecordedPullRequest, Snapshot, State } from "../../core/state/index.js";
import { planExit } from "../../output/documents/index.js";
import { findRotated, type ObservedPlan, overwritesDrift } from "../plan/plan.js";
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
  /**
   * Finds changes of a plan in the reviews of approved pull requests. Called only if there are any: skipped edits and values that were
   * rotated outside of the repository need no review.
   */
  readonly reviewed?:
    | ((plan: Plan, changes: readonly Change[]) => Promise<readonly RecordedPullRequest[]>)
    | undefined;
  /**
   * Called with the changes of a plan that a saved plan or a digest agrees to. Called only if there are any, as `reviewed`.
   *
   * @throws UsageError `not-approved` if this job may not agree to it.
   */
  readonly checkAgreement?: ((changes: readonly Change[]) => Promise<void>) | undefined;
  /** Finds how many approvals the history requires, if no person agreed to the plan. Absent: the manifest decides. */
  readonly findRequired?:
    | (() => Promise<{ readonly required: number; readonly why: string } | undefined>)
    | undefined;
  /** Asks whether to go on. */
  readonly approve?: ((seen: PlanToApprove) => Promise<boolean>) | undefined;
}

/** Whether somebody has agreed already, so that nobody is asked. */
export function isAgreed({ saved, digest, reviewed }: Agreement): boolean {
  return saved !== undefined || digest !== undefined || reviewed !== undefined;
}

/** Whether a plan changes nothing, apart from dashboard edits that apply skips. */
export function isSettledPlan({ changes }: Pick<Plan, "changes">, overwriteDrift: boolean): boolean {
  return (
    planExit({ changes: changes.filter((change) => !isSkippedEdit(change, overwriteDrift)) }) === "nothing"
  );
}

/** How a plan was reviewed. */
interface Reviewed {
  /** The pull requests that its changes were reviewed in; undefined if none needs a review. */
  readonly pullRequests: readonly RecordedPullRequest[] | undefined;
  /** The addresses whose values were rotated outside of the repository: they need no review. */
  readonly rotated: readonly string[];
}

/**
 * Throws if a plan is not the one that was agreed to. Returns how it was reviewed.
 *
 * @throws StalePlanError, and as `reviewed`
 */
export async function refuseOther(
  runtime: Runtime,
  { plan, project, observation }: PreparedPlan,
  state: State | undefined,
  agreement: Agreement,
): Promise<Reviewed | undefined> {
  const { saved, digest, reviewed } = agreement;
  if (saved?.definitions)
    throwIfStale(saved, { ...plan, definitions: await planDefinitions(runtime, project) });
  else if (saved) throwIfStale(saved, plan);
  const overwrites = overwritesDrift(runtime, project);
  if (!isSettledPlan(plan, overwrites)) {
    if (digest !== undefined) throwIfOtherDigest(digest, plan);
    const { checkAgreement = undefined } = saved !== undefined || digest !== undefined ? agreement : {};
    if (!reviewed && !checkAgreement) return undefined;
    const rotated = await findRotated(runtime, { manifest: project, state, observation, plan });
    const isRotated = ({ address }: Change) => rotated.targets.includes(address);
    const changes = changesToWrite(plan, overwrites).filter((change) => !isRotated(change));
    if (changes.length > 0) await checkAgreement?.(changes);
    const pullRequests = changes.length > 0 ? await reviewed?.(plan, changes) : undefined;
    return { pullRequests, rotated: rotated.targets };
  }
  // A job that runs again finds that everything is done.
  if (isAgreed(agreement) && isSettledPlan(plan, true)) runtime.output.info("Already applied.");
  return undefined;
}
