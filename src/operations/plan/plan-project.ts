import { fillEarlierTexts, observeState, type Plan, plan } from "../../core/engine/index.js";
import { listActiveHolds, type Snapshot, type State } from "../../core/state/index.js";
import { hasKey, readServiceUrl, withService } from "../project/connect.js";
import { assertNoBackgroundFailure } from "../runtime/background-failure.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";
import { withActiveSessionsNotice } from "./active-sessions.js";
import { makePlan, type ObservedPlan, selectTargets } from "./plan.js";
import { withSources } from "./secret-sources.js";

/** A project's plan, with its inputs. */
export interface ProjectPlan extends ObservedPlan {
  readonly snapshot: Snapshot | undefined;
  /** Plan for display, with active sessions and secret sources. To save a plan, use `plan`. */
  readonly shown: Plan;
}

interface PlanningOptions {
  /** Whether to count active sessions if the shown plan changes objects that they use. */
  readonly includesSessions?: boolean;
  /** Whether older commits may be fetched into the checkout. */
  readonly fetchesHistory?: boolean;
  /** Whether to compare with the state if there is no API key. Default: only for an untrusted change. */
  readonly allowsMissingKey?: boolean;
  /** Base commit of a reviewed change. */
  readonly base?: string | undefined;
}

/**
 * Plans a project without taking its lock. Without an API key, compares with the state instead of the account, and
 * marks the plan accordingly.
 */
export async function planProject(
  runtime: Runtime,
  project: Project,
  {
    includesSessions = false,
    fetchesHistory = false,
    allowsMissingKey = project.untrusted !== undefined,
    base,
  }: PlanningOptions = {},
): Promise<ProjectPlan> {
  const snapshot = await openProjectStore(runtime, project).read();
  const state = snapshot?.state;
  if (allowsMissingKey && !hasKey(runtime, project)) {
    const made = planFromState(runtime, project, state);
    const filled = fillEarlierTexts(made.plan, project.untrusted?.declarations ?? []);
    const shown = await withSources(runtime, project, filled, { state, base });
    await assertNoBackgroundFailure(runtime);
    return { plan: filled, shown, observation: made.observation, snapshot };
  }
  return withService(runtime, project, async (service) => {
    const request = { manifest: project, state, service };
    const made = project.untrusted ? request : { ...request, commits: { fetchesHistory } };
    const { plan, observation } = await makePlan(runtime, made);
    const noted = includesSessions ? await withActiveSessionsNotice(runtime, project, service, plan) : plan;
    const shown = await withSources(runtime, project, noted, { state, base });
    await assertNoBackgroundFailure(runtime);
    return { plan, shown, observation, snapshot };
  });
}

/** Compares the files with the last applied values, without reading the account. */
export function planFromState(runtime: Runtime, project: Project, state: State | undefined): ObservedPlan {
  const targets = selectTargets(runtime, project, state);
  const limits = targets.length > 0 ? { targets } : {};
  const observation = observeState(project, state, limits.targets);
  const service = state?.service ?? readServiceUrl(runtime, project) ?? "unknown";
  const holds = listActiveHolds(state, runtime.host.now());
  const made = plan(project, state, observation, { service, holds, comparedWith: "state", ...limits });
  return { plan: made, observation };
}
