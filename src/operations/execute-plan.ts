import type { Service } from "../core/api/index.js";
import { apply, type Outcome, type Plan, throwIfOtherDigest, throwIfStale } from "../core/engine/index.js";
import type { Snapshot, State, StateSession } from "../core/state/index.js";
import { planExit } from "../output/documents/index.js";
import { refuseReadOnly, sourceEnvironment } from "./access.js";
import { type GateOptions, passGates, passLateGate } from "./gates/gates.js";
import { notingSessions } from "./gates/wait-for-idle.js";
import { type ObservedPlan, overwritesDrift } from "./plan.js";
import type { Project } from "./project.js";
import { openProjectStore, withLock } from "./project-store.js";
import type { Runtime } from "./runtime.js";

/*
 * The one way of a plan into the account: plan, gates, agreement, lock, the same plan once more, waiting, apply. What
 * `apply`, `rollback` and `sync` do differently is in what they give here.
 */

/** A plan that is about to be carried out, and the project that it was made of. */
export interface PreparedPlan extends Pick<ObservedPlan, "plan" | "observation"> {
  readonly project: Project;
}

/** Whoever has seen the plan. */
export interface PlanToApprove<Prepared> {
  readonly prepared: Prepared;
  /** The plan with how many sessions are active. */
  readonly shown: Plan;
  readonly snapshot: Snapshot | undefined;
}

/** Answers whether to go on. */
export type Approve<Prepared> = (seen: PlanToApprove<Prepared>) => Promise<boolean>;

/** What is carried out, and how. */
export interface ExecutePlanInput<Prepared extends PreparedPlan> {
  /** As in `avatarops apply`: for the lock and the record. */
  readonly command: string;
  readonly gates: GateOptions;
  /** Whether the plan is reported before it is carried out, unless `approve` has seen it. */
  readonly reportsPlan?: boolean;
  /**
   * Makes the plan: without the lock before somebody is asked, and with it. Throws if it is not the one that was meant,
   * such as a saved one.
   */
  prepare(state: State | undefined, session?: StateSession): Promise<Prepared>;
  /**
   * Asks whether to go on; absent: nobody is asked. The plan is made without the lock, which would keep others waiting for
   * the answer, so it is made again under it, and must be the same.
   */
  readonly approve?: Approve<Prepared> | undefined;
  /** The digest of the plan that was agreed to, or its beginning; absent: any plan. */
  readonly digest?: string | undefined;
  /** With the lock: waits until nobody talks to an avatar, or refuses to write meanwhile, if that is asked for. */
  awaitIdle(prepared: Prepared): Promise<Prepared>;
  /** With the lock and everything settled, before the first write. */
  beforeWriting?(prepared: Prepared, session: StateSession): Promise<void>;
  /** With the lock still held, so that what it sees is what was applied. */
  afterwards?(outcome: Outcome, session: StateSession, serialBefore: number | undefined): Promise<void>;
}

/**
 * Carries out a plan of a project.
 *
 * @returns what became of it; undefined if `approve` said no.
 * @throws UsageError and PolicyError of a gate, StalePlanError, LockedError: nothing was written.
 */
export async function executePlan<Prepared extends PreparedPlan>(
  runtime: Runtime,
  project: Project,
  service: Service,
  input: ExecutePlanInput<Prepared>,
): Promise<Outcome | undefined> {
  refuseReadOnly(runtime);
  const pass = (made: Prepared) => passGates(runtime, made.project, made.plan, input.gates);
  const noting = ({ plan }: Prepared) => notingSessions(runtime, project, service, plan);
  const prepare = async (state: State | undefined, session?: StateSession) => {
    const made = await input.prepare(state, session);
    if (input.digest !== undefined && planExit(made.plan) !== "nothing")
      throwIfOtherDigest(input.digest, made.plan);
    return made;
  };
  let agreed: Plan | undefined;
  if (input.approve) {
    const snapshot = await openProjectStore(runtime, project).read();
    const prepared = await prepare(snapshot?.state);
    await pass(prepared);
    if (!(await input.approve({ prepared, shown: await noting(prepared), snapshot }))) return undefined;
    agreed = prepared.plan;
  }
  return withLock(runtime, project, input.command, async (session) => {
    const serialBefore = session.state?.serial;
    const prepared = await prepare(session.state, session);
    if (agreed) throwIfStale(agreed, prepared.plan);
    else await pass(prepared);
    if (!agreed && input.reportsPlan) runtime.output.plan(await noting(prepared), prepared.project);
    const ready = await input.awaitIdle(prepared);
    passLateGate(ready.plan);
    await input.beforeWriting?.(ready, session);
    const outcome = await applyPrepared(runtime, session, service, ready);
    await input.afterwards?.(outcome, session, serialBefore);
    return outcome;
  });
}

async function applyPrepared(
  runtime: Runtime,
  session: StateSession,
  service: Service,
  { plan, observation: { listings }, project }: PreparedPlan,
): Promise<Outcome> {
  const { host, output, signal } = runtime;
  const sayStopping = () =>
    output.warn("Stopping: requests in flight are finished and recorded. Press Ctrl-C again to abort.");
  signal.addEventListener("abort", sayStopping, { once: true });
  try {
    return await output.applying((on) =>
      runtime.finishing(() =>
        apply({
          ...{ plan, manifest: project, session, service, signal, listings, on },
          ...host.waits,
          sources: sourceEnvironment(runtime, project),
          overwriteDrift: overwritesDrift(runtime, project),
          now: host.now,
        }),
      ),
    );
  } finally {
    signal.removeEventListener("abort", sayStopping);
  }
}
