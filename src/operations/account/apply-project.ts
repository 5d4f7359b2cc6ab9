import type { Outcome } from "../../core/engine/index.js";
import type { ShownSmoke } from "../../output/documents/index.js";
import type { Agreement, PreparedPlan } from "../gates/agreement.js";
import { type GateOptions, isAllowed } from "../gates/gates.js";
import { createOutcomeNotices, createSmokeNotices } from "../notify/notices-of-outcomes.js";
import { withNotices } from "../notify/notify.js";
import { assertKnownAddress, makePlan } from "../plan/plan.js";
import { checkSmokeOptions } from "../project/presets.js";
import type { OpenProject } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { type ExecutePlanInput, executePlan } from "./execute-plan.js";
import { smokeTestApplied } from "./smoke.js";

export interface ApplyOptions extends GateOptions, Agreement {
  /** Addresses of objects to create, even if the account may already contain them. */
  readonly acceptDuplicate?: readonly string[] | undefined;
  readonly findPullRequests?: ExecutePlanInput<PreparedPlan>["findPullRequests"];
  /** Called before the first write is sent, with the number of changes. */
  onWriting?(changes: number): Promise<void>;
  /** Whether to start a sandbox session after the apply for each preset that refers to an applied object. */
  readonly smoke?: boolean | undefined;
  /** Called with the outcome, before the smoke test. */
  onOutcome?(outcome: Outcome): void;
}

/** Apply outcome, with the results of the smoke test. */
export interface ApplyResult {
  readonly outcome: Outcome;
  readonly smoke?: ShownSmoke | undefined;
}

/**
 * Applies a project: plans, checks the gates, asks for confirmation, takes the lock, waits until no session is active
 * if required, and writes.
 *
 * @returns undefined if `approve` returned false.
 * @throws the errors of `executePlan`.
 */
export function applyProject(
  runtime: Runtime,
  project: OpenProject,
  options: ApplyOptions = {},
): Promise<ApplyResult | undefined> {
  const { acceptDuplicate: acceptDuplicates = [], saved, onlyRotations } = options;
  const work = async () => {
    checkSmokeOptions(runtime, project, options);
    let smoke: ShownSmoke | undefined;
    const outcome = await executePlan(runtime, project, {
      ...options,
      command: "apply",
      async prepare(service, state, session) {
        for (const address of acceptDuplicates) assertKnownAddress(address, project, state);
        const made = await makePlan(runtime, {
          ...{ manifest: project, state, service, acceptDuplicates, commits: { fetchesHistory: false } },
          recoverUntil: session?.recoverUntil,
          ...(saved ? { targets: saved.basis.targets ?? [] } : {}),
          onlyRotations,
          ...(isAllowed(options, "held") ? { appliesHold: () => false } : {}),
        });
        return { ...made, project };
      },
      async afterWriting(outcome, { state }, service) {
        if (!options.smoke) return;
        options.onOutcome?.(outcome);
        const input = { manifest: project, state, service };
        smoke = await smokeTestApplied(runtime, input, outcome);
      },
    });
    return outcome && { outcome, smoke };
  };
  return withNotices(runtime, project, "apply", work, (result) =>
    result
      ? [...createOutcomeNotices(result.outcome), ...createSmokeNotices(result.smoke, result.outcome)]
      : [],
  );
}
