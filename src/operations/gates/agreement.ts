import {
  assertNotStale,
  assertSameDigest,
  type Change,
  isSkippedEdit,
  listChangesToWrite,
  type Plan,
} from "../../core/engine/index.js";
import type { RecordedPullRequest, Snapshot, State } from "../../core/state/index.js";
import { isSettledExit, toPlanExit } from "../../output/documents/index.js";
import { doesOverwriteDrift, findRotated, type ObservedPlan } from "../plan/plan.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { readPlanDefinitions } from "../state/saved-plan-file.js";

/** A plan about to be applied, with its project. */
export interface PreparedPlan extends ObservedPlan {
  readonly project: Project;
}

/** Input for a confirmation prompt. */
export interface PlanToApprove {
  readonly prepared: PreparedPlan;
  /** Plan for display, with the number of active sessions. */
  readonly shown: Plan;
  readonly snapshot: Snapshot | undefined;
}

/** Ways to agree to a plan. If none is set, the plan is applied without confirmation. */
export interface Agreement {
  /** Plan loaded from a saved plan file. */
  readonly saved?: Plan | undefined;
  /** Plan digest, or a prefix of the digest. */
  readonly digest?: string | undefined;
  /**
   * Finds the approved pull requests that contain these changes. Never receives skipped edits or values rotated outside
   * the repository, because they need no review.
   */
  readonly reviewed?:
    | ((plan: Plan, changes: readonly Change[]) => Promise<readonly RecordedPullRequest[]>)
    | undefined;
  /**
   * Checks that this job may apply the changes in a saved plan or digest. Not called without changes.
   *
   * @throws UsageError `not-approved` if the job must not apply them.
   */
  readonly checkAgreement?: ((changes: readonly Change[]) => Promise<void>) | undefined;
  /**
   * Finds how many approvals the history requires. Only called if there is no agreement and the manifest requires no
   * approvals.
   */
  readonly findRequired?:
    | (() => Promise<{ readonly required: number; readonly why: string } | undefined>)
    | undefined;
  readonly approve?: ((seen: PlanToApprove) => Promise<boolean>) | undefined;
  /**
   * Returns a command, as words, that repeats this run with the same options. Adds the plan digest if this run cannot
   * ask for a confirmation.
   */
  readonly repeat?: ((digest: string) => readonly string[]) | undefined;
}

/** Returns whether an earlier agreement makes confirmation unnecessary. */
export function isAgreed({ saved, digest, reviewed }: Agreement): boolean {
  return saved !== undefined || digest !== undefined || reviewed !== undefined;
}

/** Returns whether a plan changes nothing, apart from dashboard edits that apply skips. */
export function isSettledPlan({ changes }: Pick<Plan, "changes">, overwriteDrift: boolean): boolean {
  return isSettledExit(
    toPlanExit({ changes: changes.filter((change) => !isSkippedEdit(change, overwriteDrift)) }),
  );
}

/** Reviews of the changes in a plan. */
interface ReviewedChanges {
  /** Pull requests whose reviews show the changes. Undefined if no change needs a review. */
  readonly pullRequests: readonly RecordedPullRequest[] | undefined;
  /** Addresses of objects whose values were rotated outside the repository. These rotations need no review. */
  readonly rotated: readonly string[];
}

/**
 * Checks that a plan matches its agreement, and returns its reviews.
 *
 * @throws StalePlanError, and errors from `reviewed` and `checkAgreement`
 */
export async function verifyAgreement(
  runtime: Runtime,
  { plan, project, observation }: PreparedPlan,
  state: State | undefined,
  agreement: Agreement,
): Promise<ReviewedChanges | undefined> {
  const { saved, digest, reviewed } = agreement;
  if (saved?.definitions)
    assertNotStale(saved, { ...plan, definitions: await readPlanDefinitions(runtime, project) });
  else if (saved) assertNotStale(saved, plan);
  const overwrites = doesOverwriteDrift(runtime, project);
  if (!isSettledPlan(plan, overwrites)) {
    if (digest !== undefined) assertSameDigest(digest, plan);
    const { checkAgreement = undefined } = saved !== undefined || digest !== undefined ? agreement : {};
    if (!reviewed && !checkAgreement) return undefined;
    const rotated = await findRotated(runtime, { manifest: project, state, observation, plan });
    const isRotated = ({ address }: Change) => rotated.targets.includes(address);
    const changes = listChangesToWrite(plan, overwrites).filter((change) => !isRotated(change));
    if (changes.length > 0) await checkAgreement?.(changes);
    const pullRequests = changes.length > 0 ? await reviewed?.(plan, changes) : undefined;
    return { pullRequests, rotated: rotated.targets };
  }
  // Reached when a job is re-run.
  if (isAgreed(agreement) && isSettledPlan(plan, true)) runtime.output.info("Already applied.");
  return undefined;
}
