import { type Outcome, type Plan, throwIfStale } from "../core/engine/index.js";
import type { RecordedPullRequest } from "../core/state/index.js";
import { planExit, type ShownSmoke } from "../output/documents/index.js";
import { withService } from "./connect.js";
import { type Approve, type ExecutePlanInput, executePlan, type PreparedPlan } from "./execute-plan.js";
import type { GateOptions } from "./gates/gates.js";
import { waitForNeeds } from "./gates/needs.js";
import { checkIdleOptions, whenIdle } from "./gates/wait-for-idle.js";
import { endRestored } from "./hold-project.js";
import { withNotices } from "./notify/notify.js";
import { makePlan, type ObservedPlan, refuseUnknownAddress } from "./plan.js";
import { checkSmokeOptions } from "./presets.js";
import type { OpenProject, Project } from "./project.js";
import type { Runtime } from "./runtime.js";
import { planDefinitions } from "./saved-plan-file.js";
import { smokeApplied } from "./smoke.js";

/** How a project is applied. */
export interface ApplyOptions extends GateOptions {
  /** Addresses to create although they may exist already. */
  readonly acceptDuplicate?: readonly string[] | undefined;
  /** The plan must be this one. */
  readonly saved?: Plan | undefined;
  /** Or the plan must have this digest, which may be cut. */
  readonly digest?: string | undefined;
  /** Or the plan, if it changes anything, is one that was reviewed: answers by which pull request, or throws. */
  readonly reviewed?: ((plan: Plan) => Promise<RecordedPullRequest>) | undefined;
  /** Only send values that were rotated at their source, and leave everything else. */
  readonly onlyRotations?: boolean | undefined;
  /** Asks whether to carry out the plan; absent: nobody is asked. */
  readonly approve?: Approve<PreparedPlan> | undefined;
  /** The pull request by which the change came, for the record. */
  readonly pullRequest?: RecordedPullRequest | undefined;
  /** Hears that the first write is about to be sent, with how many changes there are. */
  onWriting?(changes: number): void;
  /** Afterwards, check in sandbox mode that sessions start with the presets that refer to what was applied. */
  readonly smoke?: boolean | undefined;
  /** Hears of the outcome before that check. */
  onOutcome?(outcome: Outcome): void;
}

/** What an apply did. */
export interface ApplyResult {
  readonly outcome: Outcome;
  readonly smoke?: ShownSmoke | undefined;
}

/**
 * Changes the account to what a project says: plans, passes the gates, asks, takes the lock, waits if it is to, applies.
 *
 * @returns undefined if `approve` said no.
 * @throws as `executePlan`; StalePlanError if the plan is not the saved one or has another digest.
 */
export function applyProject(
  runtime: Runtime,
  project: OpenProject,
  options: ApplyOptions = {},
): Promise<ApplyResult | undefined> {
  const work = () => planAndApply(runtime, project, options);
  return withNotices(runtime, project, "apply", work, (result) => result?.outcome);
}

async function planAndApply(
  runtime: Runtime,
  project: OpenProject,
  options: ApplyOptions,
): Promise<ApplyResult | undefined> {
  checkIdleOptions(runtime, project);
  checkSmokeOptions(runtime, project, options);
  return withService(runtime, project, async (service) => {
    let smoke: ShownSmoke | undefined;
    let { pullRequest } = options;
    const { acceptDuplicate: acceptDuplicates = [], saved, digest, approve, onlyRotations } = options;
    // A rotation changes nothing that could be reviewed.
    const approved =
      options.approved ||
      onlyRotations ||
      [saved, digest, approve, options.reviewed].some((one) => one !== undefined);
    const input: ExecutePlanInput<ObservedPlan & PreparedPlan> = {
      command: "apply",
      // What was reviewed needs no second confirmation.
      gates: { ...options, approved, force: options.force || options.reviewed !== undefined },
      reportsPlan: !saved && digest === undefined && !options.reviewed,
      approve,
      digest,
      async prepare(state) {
        for (const address of acceptDuplicates) refuseUnknownAddress(address, project, state);
        const made = await makePlan(runtime, {
          ...{ manifest: project, state, service, acceptDuplicates, commits: { deepens: false } },
          ...(saved ? { targets: saved.basis.targets ?? [] } : {}),
          onlyRotations,
          ...(options.ignoreHold ? { honours: () => false } : {}),
        });
        pullRequest = (await refuseOther(runtime, project, made.plan, options)) ?? pullRequest;
        return { ...made, project };
      },
      awaitIdle: (prepared) => whenIdle(runtime, project, service, prepared),
      async beforeWriting({ plan }, session) {
        await endRestored(runtime, session, plan);
        if (pullRequest) session.describe({ pullRequest });
        const { length } = plan.changes.filter(({ action }) => action !== "keep");
        if (length > 0) options.onWriting?.(length);
      },
      async afterwards(outcome, { state }, serialBefore) {
        if (!options.smoke) return;
        options.onOutcome?.(outcome);
        const place = { manifest: project, state, service };
        smoke = await smokeApplied(runtime, place, { outcome, serialBefore });
      },
    };
    if (options.reviewed && !options.ignoreNeeds) await waitForNeeds(runtime, project);
    const outcome = await executePlan(runtime, project, service, input);
    return outcome && { outcome, smoke };
  });
}

/** Throws if the plan is not the one that is known. */
async function refuseOther(
  runtime: Runtime,
  project: Project,
  plan: Plan,
  { saved, digest, reviewed }: ApplyOptions,
): Promise<RecordedPullRequest | undefined> {
  if (saved?.definitions)
    throwIfStale(saved, { ...plan, definitions: await planDefinitions(runtime, project) });
  else if (saved) throwIfStale(saved, plan);
  // A job that runs again finds that everything is done.
  if (planExit(plan) === "nothing") {
    if (saved || digest !== undefined || reviewed) runtime.output.info("Already applied.");
    return undefined;
  }
  return reviewed?.(plan);
}
