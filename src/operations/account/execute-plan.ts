import { UsageError } from "../../base/diagnostics/index.js";
import type { Service } from "../../core/api/index.js";
import {
  apply,
  assertNotStale,
  listChangesToWrite,
  type Outcome,
  type Plan,
} from "../../core/engine/index.js";
import type { RecordedPullRequest, State, StateWriter } from "../../core/state/index.js";
import { isAgreed, type PreparedPlan, verifyAgreement } from "../gates/agreement.js";
import { type GateInput, isAllowed, isFromFiles, passGates } from "../gates/gates.js";
import { waitForNeeds, withholdSkipped } from "../gates/needs.js";
import { recordSkips } from "../gates/record-skips.js";
import { checkIdleOptions, waitForIdle } from "../gates/wait-for-idle.js";
import { withActiveSessionsNotice } from "../plan/active-sessions.js";
import { doesOverwriteDrift, type ObservedPlan } from "../plan/plan.js";
import { withSources } from "../plan/secret-sources.js";
import { withService } from "../project/connect.js";
import { assertTrustedJob } from "../project/trusted-job.js";
import { assertWritable, createSourceEnvironment } from "../runtime/access.js";
import { assertNoBackgroundFailure } from "../runtime/background-failure.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { readForWriting, withLock } from "../state/project-store.js";
import { releaseRollbackHolds } from "./hold-project.js";

/*
 * The only path from a plan to the account: plan, gates, confirmation, lock, the same plan again, wait, apply. `apply`,
 * `rollback`, `prune` and `sync` differ only in their input.
 */

/** Input for `executePlan`. Its command appears in the lock and in the history record. */
export interface ExecutePlanInput<Prepared extends PreparedPlan> extends GateInput {
  /**
   * A plan made without the lock, by a run that will retry anyway. Active sessions and `isLate` gates are then checked
   * before taking the lock.
   */
  readonly planned?: ObservedPlan;
  /** Finds the pull requests to record with the changes. Not called if a review was required. */
  readonly findPullRequests?:
    | ((addresses: readonly string[]) => Promise<readonly RecordedPullRequest[]>)
    | undefined;
  /** Makes the plan. Called without the lock before the confirmation, and again under the lock. */
  prepare(service: Service, state: State | undefined, session?: StateWriter): Promise<Prepared>;
  /** Called under the lock after all gates, before the first write. */
  beforeWriting?(prepared: Prepared, session: StateWriter): Promise<void>;
  /** Called before the first write is sent, with the number of changes. */
  onWriting?(changes: number): Promise<void>;
  /** Runs under the lock, so it sees the applied state. */
  afterWriting?(outcome: Outcome, session: StateWriter, service: Service): Promise<void>;
}

/**
 * Makes a plan and applies it after the gates and the confirmation.
 *
 * @returns the outcome, or undefined if `approve` returned false.
 * @throws UsageError or PolicyError of a gate, StalePlanError, LockedError. In each case, nothing was written.
 */
export async function executePlan<Prepared extends PreparedPlan>(
  runtime: Runtime,
  project: Project,
  input: ExecutePlanInput<Prepared>,
): Promise<Outcome | undefined> {
  checkIdleOptions(runtime, project);
  await assertTrustedJob(runtime);
  return withService(runtime, project, async (service) => {
    assertWritable(runtime);
    const { planned, reviewed, approve } = input;
    const ignoresNeeds = isAllowed(input, "needs");
    const addNotices = async ({ plan, project }: Prepared, state: State | undefined) => {
      const noted = await withActiveSessionsNotice(runtime, project, service, plan);
      return withSources(runtime, project, noted, { state });
    };
    let pullRequests: readonly RecordedPullRequest[] | undefined;
    let rotated: readonly string[] = [];
    /** State serials that the plans made without the lock were based on. */
    const serials = planned ? [planned.plan.basis.state?.serial] : [];
    const make = async (state: State | undefined, session?: StateWriter) => {
      if (!session) serials.push(state?.serial);
      const made = await input.prepare(service, state, session);
      await assertNoBackgroundFailure(runtime);
      if (ignoresNeeds || !isFromFiles(input)) return made;
      return { ...made, plan: await withholdSkipped(runtime, made.project, made.plan) };
    };
    const prepare = async (state: State | undefined, session?: StateWriter) => {
      const made = await make(state, session);
      const found = await verifyAgreement(runtime, made, state, input);
      pullRequests = found?.pullRequests ?? pullRequests;
      rotated = found?.rotated ?? rotated;
      return made;
    };
    if (planned) {
      await passGates(runtime, { ...planned, project }, input, { isLate: true });
      await waitForIdle(runtime, project, service, planned);
    } else if (reviewed && !ignoresNeeds)
      await waitForNeeds(runtime, project, async () => {
        const state = (await readForWriting(runtime, project))?.state;
        await verifyAgreement(runtime, await make(state), state, input).catch(rethrowPermanent);
      });
    let agreed: Plan | undefined;
    if (approve && !isAgreed(input)) {
      // Asks without the lock, so that other runs are not blocked. Under the lock, the plan is made again and must be
      // the same.
      const snapshot = await readForWriting(runtime, project);
      const prepared = await prepare(snapshot?.state);
      await passGates(runtime, prepared, input);
      if (!(await approve({ prepared, shown: await addNotices(prepared, snapshot?.state), snapshot })))
        return undefined;
      agreed = prepared.plan;
    }
    return withLock(runtime, project, input.command, async (session) => {
      // Another run may have sent newer secret values since ours were read without the lock.
      if (serials.some((serial) => serial !== session.state?.serial)) runtime.opened.sources?.forgetValues();
      const prepared = await prepare(session.state, session);
      if (agreed) assertNotStale(agreed, prepared.plan);
      else await passGates(runtime, prepared, input);
      // A plan that the user confirmed or agreed to has been shown before.
      const isSeen = agreed || planned || (isFromFiles(input) && isAgreed(input));
      if (!isSeen) runtime.output.plan(await addNotices(prepared, session.state), prepared.project);
      const makePlanAgain = () => make(session.state, session);
      const ready = await waitForIdle(
        runtime,
        project,
        service,
        prepared,
        planned ? undefined : makePlanAgain,
      );
      await passGates(runtime, ready, input, { isLate: true });
      await assertNoBackgroundFailure(runtime);
      if (isFromFiles(input)) await releaseRollbackHolds(runtime, session, ready.plan);
      await input.beforeWriting?.(ready, session);
      const changes = listChangesToWrite(ready.plan, doesOverwriteDrift(runtime, project));
      if (changes.length > 0) {
        pullRequests ??= await input.findPullRequests?.(changes.map(({ address }) => address));
        await input.onWriting?.(changes.length);
      }
      if (pullRequests?.length) session.describe({ pullRequests });
      const { serial = 0 } = session.state ?? {};
      const applied = addRotationNotes(await applyPrepared(runtime, session, service, ready), rotated);
      const isUnrecorded = isFromFiles(input) && !ready.plan.basis.targets && applied.serial === serial;
      const outcome = isUnrecorded ? await recordSkips(runtime, project, session, applied) : applied;
      await input.afterWriting?.(outcome, session, service);
      return outcome;
    });
  });
}

/** Adds a note to the results of rotated values, because they are applied without a review. */
function addRotationNotes(outcome: Outcome, rotated: readonly string[]): Outcome {
  const note = "The value was rotated at its source since the last apply. Rotations need no review.";
  const results = outcome.results.map((result) =>
    rotated.includes(result.address) ? { ...result, notes: [...result.notes, note] } : result,
  );
  return { ...outcome, results };
}

/** Rethrows errors that waiting cannot resolve. Ignores other errors, because the check is repeated afterward. */
function rethrowPermanent(error: unknown): undefined {
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
  const warnStopping = () =>
    output.warn("Stopping once requests in flight are finished and recorded. Press Ctrl-C again to abort.");
  signal.addEventListener("abort", warnStopping, { once: true });
  try {
    return await output.applying((onEvent) =>
      runtime.runToEnd(() =>
        apply({
          ...{ plan, manifest: project, session, service, signal, listings, onEvent },
          ...host.waits,
          sources: createSourceEnvironment(runtime, project),
          overwriteDrift: doesOverwriteDrift(runtime, project),
          system: host,
        }),
      ),
    );
  } finally {
    signal.removeEventListener("abort", warnStopping);
  }
}
