import { fillEarlierTexts, observeState, type Plan, plan } from "../../core/engine/index.js";
import { activeHolds, type Snapshot, type State } from "../../core/state/index.js";
import { addressIn, hasKey, withService } from "../project/connect.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";
import { withActiveSessionsNotice } from "./active-sessions.js";
import { makePlan, type ObservedPlan, selectTargets } from "./plan.js";
import { withSources } from "./secret-sources.js";

/** A plan of a project, and what it was made of. */
export interface ProjectPlan extends ObservedPlan {
  readonly snapshot: Snapshot | undefined;
  /** The plan to show, with how many sessions are active and the sources of secrets; the other one is to be saved. */
  readonly shown: Plan;
}

interface PlanningOptions {
  /** Whether to count active sessions if the shown plan changes objects that they use. */
  readonly notesSessions?: boolean;
  /** The checkout is ours, and may fetch older commits. */
  readonly deepens?: boolean;
  /** Without an API key, compare with what was last applied. Default: only an untrusted change. */
  readonly allowsNoKey?: boolean;
  /** The commit that a reviewed change is proposed to. */
  readonly base?: string | undefined;
}

/**
 * Plans a project without its lock. What is compared with the last applied state, for lack of an API key, is marked as such.
 */
export async function planProject(
  runtime: Runtime,
  project: Project,
  {
    notesSessions = false,
    deepens = false,
    allowsNoKey = project.untrusted !== undefined,
    base,
  }: PlanningOptions = {},
): Promise<ProjectPlan> {
  const snapshot = await openProjectStore(runtime, project).read();
  const state = snapshot?.state;
  if (allowsNoKey && !hasKey(runtime, project)) {
    const made = planFromState(runtime, project, state);
    const filled = fillEarlierTexts(made.plan, project.untrusted?.declarations ?? []);
    const shown = await withSources(runtime, project, filled, { state, base });
    return { plan: filled, shown, observation: made.observation, snapshot };
  }
  return withService(runtime, project, async (service) => {
    const request = { manifest: project, state, service };
    const made = project.untrusted ? request : { ...request, commits: { deepens } };
    const { plan, observation } = await makePlan(runtime, made);
    const noted = notesSessions ? await withActiveSessionsNotice(runtime, project, service, plan) : plan;
    const shown = await withSources(runtime, project, noted, { state, base });
    return { plan, shown, observation, snapshot };
  });
}

/** Compares the files with what was last applied, without the account. */
export function planFromState(runtime: Runtime, project: Project, state: State | undefined): ObservedPlan {
  const targets = selectTargets(runtime, project, state);
  const limits = targets.length > 0 ? { targets } : {};
  const observation = observeState(project, state, limits.targets);
  const service = state?.service ?? addressIn(runtime, project) ?? "unknown";
  const holds = activeHolds(state, runtime.host.now());
  const made = plan(project, state, observation, { service, holds, comparedWith: "state", ...limits });
  return { plan: made, observation };
}
