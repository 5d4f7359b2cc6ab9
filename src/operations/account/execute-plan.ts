import { UsageError } from "../../base/diagnostics/index.js";
import type { Service } from "../../core/api/index.js";
import { apply, changesToWrite, type Outcome, type Plan, throwIfStale } from "../../core/engine/index.js";
import type { RecordedPullRequest, State, StateWriter } from "../../core/state/index.js";
import { isAgreed, type PreparedPlan, refuseOther } from "../gates/agreement.js";
import { type GateInput, isOfFiles, passGates } from "../gates/gates.js";
import { holdSkipped, waitForNeeds } from "../gates/needs.js";
import { recordSkips } from "../gates/record-skips.js";
import { checkIdleOptions, whenIdle } from "../gates/wait-for-idle.js";
import { withActiveSessionsNotice } from "../plan/active-sessions.js";
import { type ObservedPlan, overwritesDrift } from "../plan/plan.js";
import { withSources } from "../plan/secret-sources.js";
import { withService } from "../project/connect.js";
import { assertTrustedJob } from "../project/trusted-job.js";
import { refuseReadOnly, sourceEnvironment } from "../runtime/access.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { readForWriting, withLock } from "../state/project-store.js";
import { endRestored } from "./hold-project.js";

/*
 * The one way of a plan into the account: plan, gates, agreement, lock, the same plan once more, waiting, apply. What
 * `apply`, `rollback`, `prune` and `sync` do differently is in what they give here.
 */

/** What is carried out, and how; the command is also that of the lock and of the record. */
export interface ExecutePlanInput<Prepared extends PreparedPlan> extends GateInput {
  /** Made without the lock, by a run that comes back later anyway: what would keep it waiting is asked before it takes the lock. */
  readonly planned?: ObservedPlan;
  /** Finds the pull requests that changes came from, for the record, if no review was asked for. */
  readonly findPullRequests?:
    | ((addresses: readonly string[]) => Promise<readonly RecordedPullRequest[]>)
    | undefined;
  /** Makes the plan: without the lock before somebody is asked, and with it. */
  prepare(service: Service, state: State | undefined, session?: StateWriter): Promise<Prepared>;
  /** With the lock and everything settled, before the first write. */
  beforeWriting?(prepared: Prepared, session: StateWriter): Promise<void>;
  /** Hears that the first write is about to be sent, with how many changes there are. */
  onWriting?(changes: number): void;
  /** With the lock still held, so that what it sees is what was applied. */
  afterwards?(outcome: Outcome, session: StateWriter, service: Service): Promise<void>;
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
  input: ExecutePlanInput<Prepared>,
): Promise<Outcome | undefined> {
  checkIdleOptions(runtime, project);
  await assertTrustedJob(runtime);
  return withService(runtime, project, async (service) => {
    refuseReadOnly(runtime);
    const { planned, reviewed, approve } = input;
    const noting = async ({ plan, project }: Prepared, state: State | undefined) => {
      const noted = await withActiveSessionsNotice(runtime, project, service, plan);
      return withSources(runtime, project, noted, { state });
    };
    let pullRequests: readonly RecordedPullRequest[] | undefined;
    const make = async (state: State | undefined, session?: StateWriter) => {
      const made = await input.prepare(service, state, session);
      if (input.ignoreNeeds || !isOfFiles(input)) return made;
      return { ...made, plan: await holdSkipped(runtime, made.project, made.plan) };
    };
    const prepare = async (state: State | undefined, session?: StateWriter) => {
      const made = await make(state, session);
      pullRequests = (await refuseOther(runtime, made, state, input)) ?? pullRequests;
      return made;
    };
    if (planned) {
      await passGates(runtime, { ...planned, project }, input, { isLate: true });
      await whenIdle(runtime, project, service, planned);
    } else if (reviewed && !input.ignoreNeeds)
      await waitForNeeds(runtime, project, async () => {
        const state = (await readForWriting(runtime, project))?.state;
        await refuseOther(runtime, await make(state), state, input).catch(rethrowLasting);
      });
    let agreed: Plan | undefined;
    if (approve && !isAgreed(input)) {
      // The lock would keep others waiting for the answer, so the plan is made again under it, and must be the same.
      const snapshot = await readForWriting(runtime, project);
      const prepared = await prepare(snapshot?.state);
      await passGates(runtime, prepared, input);
      if (!(await approve({ prepared, shown: await noting(prepared, snapshot?.state), snapshot })))
        return undefined;
      agreed = prepared.plan;
    }
    return withLock(runtime, project, input.command, async (session) => {
      const prepared = await prepare(session.state, session);
      if (agreed) throwIfStale(agreed, prepared.plan);
      else await passGates(runtime, prepared, input);
      // Whoever agreed to what the files say has seen it.
      const isSeen = agreed || planned || (isOfFiles(input) && isAgreed(input));
      if (!isSeen) runtime.output.plan(await noting(prepared, session.state), prepared.project);
      const again = () => make(session.state, session);
      const ready = await whenIdle(runtime, project, service, prepared, planned ? undefined : again);
      await passGates(runtime, ready, input, { isLate: true });
      if (isOfFiles(input)) await endRestored(runtime, session, ready.plan);
      await input.beforeWriting?.(ready, session);
      const changes = changesToWrite(ready.plan, overwritesDrift(runtime, project));
      if (changes.length > 0) {
        pullRequests ??= await input.findPullRequests?.(changes.map(({ address }) => address));
        input.onWriting?.(changes.length);
      }
      if (pullRequests?.length) session.describe({ pullRequests });
      const { serial = 0 } = session.state ?? {};
      const applied = await applyPrepared(runtime, session, service, ready);
      const isUnrecorded = isOfFiles(input) && !ready.plan.basis.targets && applied.serial === serial;
      const outcome = isUnrecorded ? await recordSkips(runtime, project, session, applied) : applied;
      await input.afterwards?.(outcome, session, service);
      return outcome;
    });
  });
}

/** Throws a refusal that waiting does not end; others are checked again after the wait. */
function rethrowLasting(error: unknown): undefined {
  if (error instanceof UsageError && lasting.has(error.code)) throw error;
}

const lasting: ReadonlySet<string> = new Set(["not-reviewed", "not-approved"]);

async function applyPrepared(
  runtime: Runtime,
  session: StateWriter,
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
          system: host,
        }),
      ),
    );
  } finally {
    signal.removeEventListener("abort", sayStopping);
  }
}
