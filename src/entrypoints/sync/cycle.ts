import { realpath } from "node:fs/promises";
import path from "node:path";
import { type Diagnostic, hasErrors, UsageError } from "../../base/diagnostics/index.js";
import { readScheme } from "../../base/files/index.js";
import {
  type Change,
  findPendingRotations,
  listChangesToWrite,
  type Outcome,
  type PendingRotations,
  type Plan,
} from "../../core/engine/index.js";
import { loadManifest, type Manifest } from "../../core/manifest/index.js";
import { createMemoryCache, LockedError, type StateWriter } from "../../core/state/index.js";
import {
  type CodeHostOptions,
  checkReviewed,
  closeRuntime,
  createProjectOptions,
  createQuietReporter,
  executePlan,
  findMergedChange,
  findPullRequests,
  findReviewedChange,
  isLockedBy,
  judge,
  LaterRunError,
  makePlan,
  needsApproval,
  notify,
  type Project,
  type ProjectPlan,
  planProject,
  type Runtime,
  reportOutcome,
  toFailureDocument,
  toLoadOptions,
} from "../../operations/index.js";
import {
  type NoticeFacts,
  toDiagnosticsDocument,
  toErrorDocument,
  toOutcomeDocument,
} from "../../output/documents/index.js";
import { repeatInDocument } from "../../output/render/index.js";
import type { Checkout, Checkouts } from "./checkouts.js";
import { findForbiddenCode } from "./code.js";
import { createCycleNotices } from "./cycle-notices.js";
import { type CycleResult, toCycleResult } from "./cycle-result.js";
import { createCycleRuntime, createIdIssuer, type IssuedIds, watchLocks } from "./cycle-runtime.js";

export interface CycleOptions {
  /** Project folder in the repository. */
  readonly folder: string;
  /** Time without changes before another replica's lock is taken over. 0 means never. */
  readonly takeOverAfterMs: number;
  /** The repository's code host, with its approvals. Undefined if unknown or without a token. */
  readonly codeHost?: CodeHostOptions | undefined;
  /** Called for notices that could not be delivered. */
  warn(sentence: string): void;
}

/** Creates a function that runs one cycle: it compares the branch with the account, and applies the changes. */
export function createCycle(
  runtime: Runtime,
  checkouts: Checkouts,
  options: CycleOptions,
): () => Promise<CycleResult> {
  const ids = createIdIssuer(runtime.host.newId);
  const { now, hostname: host } = runtime.host;
  const locks = watchLocks({ afterMs: options.takeOverAfterMs, host, now });
  // Cached in memory, because a container may have no cache folder, and commits can write to the checkout.
  const withMemoryCache = { ...runtime, host: { ...runtime.host, observations: createMemoryCache() } };
  const projects = openProjects(withMemoryCache, options, ids, locks.takesOver);
  let current: Checkout | undefined;
  /** Last commit whose files had no errors. */
  let good: Checkout | undefined;

  async function runOnce(): Promise<CycleResult> {
    const head = await checkouts.head();
    if (current?.commit !== head || !(await checkouts.isIntact(current))) {
      current = await checkouts.make();
      await checkouts.keepOnly([current, good]);
    }
    const { commit } = current;
    const assertLatest = async () => {
      const latest = await checkouts.head();
      if (latest !== head) throw new LaterRunError("the branch", latest);
    };
    const result = await projects.reconcile(current, assertLatest);
    if (result.outcome !== "invalid") {
      good = current;
      return { ...result, commit };
    }
    // Reconciles with the last good commit, because the account may have changed.
    const kept = await reconcileGood(assertLatest).catch((error) => toCycleResult(toErrorDocument(error)));
    return {
      ...kept,
      outcome: "invalid",
      commit,
      documents: [...result.documents, ...(kept?.documents ?? [])],
    };
  }

  async function reconcileGood(assertLatest: () => Promise<void>): Promise<CycleResult | undefined> {
    if (good && !(await checkouts.isIntact(good))) {
      good = await checkouts.make(good.commit);
      await checkouts.keepOnly([current, good]);
    }
    return good && projects.reconcile(good, assertLatest);
  }

  const toNotices = createCycleNotices(now, options.takeOverAfterMs);
  return async () => {
    const ended = projects.addOptions(
      await runOnce().catch((error) => toCycleResult(toErrorDocument(error))),
    );
    ids.endCycle();
    const takeOverInMs = locks.endCycle();
    const isStopped = runtime.signal.aborted && ended.outcome === "failed";
    const result = isStopped ? ({ ...ended, outcome: "stopped" } as const) : ended;
    await projects.sendNotices(toNotices(result));
    await projects.close();
    return result.outcome === "locked" ? { ...result, takeOverInMs } : result;
  };
}

/** Creates the functions for a cycle's steps. They work on one project in a checkout. */
function openProjects(
  outer: Runtime,
  options: CycleOptions,
  ids: IssuedIds,
  takesOver: NonNullable<Runtime["host"]["takesOverLock"]>,
) {
  /** Last applied plan and its result. Later cycles return this result if the plan is the same and writes nothing. */
  let settled: { readonly planned: string; readonly result: CycleResult } | undefined;
  /** Last cycle, if another run's lock stopped it. */
  let blocked:
    | { readonly commit: string; readonly error: LockedError; readonly result: CycleResult }
    | undefined;
  /** Last project without errors. Its settings define where notices go. */
  let last: { readonly runtime: Runtime; readonly project: Project } | undefined;
  /** The current cycle's runtimes. Their secret sources may have open connections. */
  const runtimes: Runtime[] = [];
  /** Last commit that a required environment lacked, and the time when this was first found. */
  let behind: { readonly commit: string | undefined; readonly sinceMs: number } | undefined;
  const isExpected = (commit: string | undefined) =>
    behind === undefined ||
    behind.commit !== commit ||
    outer.host.now() - behind.sinceMs < maxExpectedDelayMs;

  async function read(runtime: Runtime): Promise<Project | readonly Diagnostic[]> {
    const { manifest, diagnostics } = await loadManifest({ ...toLoadOptions(runtime), judge });
    if (!manifest || hasErrors(diagnostics)) return diagnostics;
    const problems = [
      ...(runtime.allowCode ? [] : findForbiddenCode(manifest, options.codeHost !== undefined)),
      ...checkStateStore(manifest),
    ];
    return problems.length > 0 ? problems : manifest;
  }

  return {
    /** Adds the project's options to recommended commands, because the log and notices are read elsewhere. */
    addOptions(result: CycleResult): CycleResult {
      const [runtime] = runtimes;
      const repeated = runtime && createProjectOptions(runtime, options.folder);
      return repeated ? { ...result, documents: repeatInDocument(result.documents, repeated) } : result;
    },
    async sendNotices(facts: readonly NoticeFacts[]): Promise<void> {
      if (!last) return;
      const runtime = { ...last.runtime, output: createQuietReporter(options.warn) };
      runtimes.push(runtime);
      await notify(runtime, last.project, { command: "sync", facts });
    },
    /** Closes connections of secret sources. */
    async close(): Promise<void> {
      await Promise.all(runtimes.splice(0).map(closeRuntime));
    },
    /**
     * Plans a checkout. Then, if there are writes or new facts to record, applies the plan unless the branch has moved.
     */
    async reconcile(
      { folder, commit }: Checkout,
      assertLatest: ApplyPlannedOptions["assertLatest"],
    ): Promise<CycleResult> {
      const warnings: UsageError[] = [];
      const warn = (message: string) => void warnings.push(new UsageError("warning", message));
      const runtime = createCycleRuntime(
        outer,
        await resolveProjectFolder(folder, options.folder),
        ids,
        takesOver,
        warn,
      );
      runtimes.push(runtime);
      const project = await read(runtime);
      if (!("declarations" in project)) return toCycleResult(toDiagnosticsDocument(project));
      last = { runtime, project };
      let rotations: PendingRotations | undefined;
      try {
        // Does not read the state and account while another run owns the lock, because that run is still changing them.
        if (blocked?.commit === commit && (await isLockedBy(runtime, project, "sync", blocked.error.holder)))
          return blocked.result;
        blocked = undefined;
        const made = await planProject(runtime, project, { fetchesHistory: true });
        const { snapshot, observation, plan } = made;
        rotations = findPendingRotations(snapshot?.state, observation.rotations);
        const planned = JSON.stringify([
          commit,
          plan.digest,
          plan.changes.map(({ unread, held }) => [unread, held]),
        ]);
        const hasNews =
          listChangesToWrite(plan, project.drift === "overwrite").length > 0 ||
          snapshot?.interrupted === true;
        if (!hasNews && planned === settled?.planned)
          return { ...settled.result, isSettled: true, rotations };
        const { codeHost } = options;
        const how = { codeHost, isReported: hasNews, toleratesUnmetNeeds: isExpected(commit), assertLatest };
        const outcome = await applyPlanned(runtime, project, made, how);
        if (outcome.stopped && !outcome.isRecorded) throw createUnrecordedError(outcome.stopped, outcome);
        const sent = outcome.results.flatMap(({ address, status }) => (status === "applied" ? address : []));
        const pending = rotations.pending.filter(({ address }) => !sent.includes(address));
        const result = toCycleResult(toOutcomeDocument(outcome));
        const ended = { ...result, rotations: { ...rotations, pending } };
        if (runtime.signal.aborted) return ended;
        // The next cycle retries after a warning, such as a lock that could not be released.
        settled = warnings.length === 0 ? { planned, result: toSettledResult(outcome) } : undefined;
        return { ...ended, documents: [...ended.documents, ...warnings.map(toErrorDocument)] };
      } catch (error) {
        const document = toFailureDocument(error, runtime.signal);
        if (document.code === "needs" && behind?.commit !== commit)
          behind = { commit, sinceMs: runtime.host.now() };
        const isNeeds = document.code === "needs";
        const result = {
          ...toCycleResult(document),
          rotations,
          isExpected: isNeeds && isExpected(commit),
        };
        if (error instanceof LockedError) blocked = { commit, error, result };
        return result;
      }
    },
  };
}

/** Creates the error for a cycle whose outcome is not in the state. The next cycle finds and reports the outcome. */
function createUnrecordedError({ code, message }: NonNullable<Outcome["stopped"]>, { unrecorded }: Outcome) {
  const commands = unrecorded.map(({ address, id }) => `\`avatarops import ${address} ${id}\``);
  const advice =
    commands.length > 0 ? ` Objects were created, but not recorded. Run: ${commands.join(", ")}.` : "";
  return new UsageError(code, `${message}${advice}`);
}

/** Returns the result for later cycles with the same plan. */
function toSettledResult(outcome: Outcome): CycleResult {
  const results = outcome.results.filter(({ status }) => status !== "applied");
  return toCycleResult(toOutcomeDocument({ ...outcome, results }));
}

interface ApplyPlannedOptions {
  readonly codeHost: CodeHostOptions | undefined;
  readonly isReported: boolean;
  /** Whether to wait before reporting that a required environment is behind. */
  readonly toleratesUnmetNeeds: boolean;
  /** Throws a LaterRunError if the branch has moved, because another replica may have applied its new head. */
  assertLatest(): Promise<void>;
}

/** Time that another replica or job usually needs to apply a commit to a required environment. */
const maxExpectedDelayMs = 5 * 60_000;

/**
 * Applies a plan that was made without the lock, or plans again under the lock if the state may have changed. With a
 * code host, changes that need approval follow the rules of `apply --reviewed`, and outcomes are reported on their pull
 * requests.
 */
async function applyPlanned(
  runtime: Runtime,
  project: Project,
  planned: ProjectPlan,
  { codeHost, isReported, toleratesUnmetNeeds, assertLatest }: ApplyPlannedOptions,
): Promise<Outcome> {
  const isReviewed = codeHost !== undefined && (await needsApproval(runtime, project, codeHost));
  const find = isReviewed ? findReviewedChange : findMergedChange;
  const change = codeHost && isReported ? await find(runtime, codeHost) : undefined;
  const work: Parameters<typeof reportOutcome>[2] = async (on) => {
    const checkPlan = async (plan: Plan, changes: readonly Change[]) => {
      const merged = change ?? (await findReviewedChange(runtime, codeHost));
      return checkReviewed(runtime, project, merged, plan, changes, {
        onFound: on.onFound,
        retriesAutomatically: true,
      });
    };
    const outcome = await executePlan(runtime, project, {
      ...{ command: "sync", planned, onWriting: on.onWriting },
      reviewed: isReviewed ? checkPlan : undefined,
      findPullRequests:
        change && ((addresses) => findPullRequests(runtime, project, change, addresses, on.onFound)),
      async prepare(service, state, session) {
        await assertLatest();
        const isSame = session && isStateUnchanged(planned, session);
        const { recoverUntil } = session ?? {};
        const request = {
          manifest: project,
          state,
          service,
          recoverUntil,
          commits: { fetchesHistory: true },
        };
        return { ...(isSame ? planned : await makePlan(runtime, request)), project };
      },
    });
    return outcome && { outcome };
  };
  const applied = await reportOutcome(runtime, change, work, {
    retriesAutomatically: true,
    toleratesUnmetNeeds,
  });
  if (!applied) throw new Error("Bug: no confirmation was requested");
  return applied.outcome;
}

/** Returns whether no other run wrote the state between plan and lock, and no interrupted run may still be writing. */
export function isStateUnchanged(
  { snapshot }: Pick<ProjectPlan, "snapshot">,
  { state, interrupted, recoverUntil }: StateWriter,
): boolean {
  // The plan was made without the lock, so it did not wait for creates of an interrupted run.
  if (recoverUntil.size > 0) return false;
  const { lockedBy, unreadableLock } = snapshot ?? {};
  if (interrupted || snapshot?.interrupted || lockedBy || unreadableLock !== undefined) return false;
  return snapshot?.state?.lineage === state?.lineage && snapshot?.state?.serial === state?.serial;
}

/** Resolves the project folder. A symlink must not lead out of the checkout. */
async function resolveProjectFolder(root: string, folder: string): Promise<string> {
  const [whole, found] = await Promise.all([
    realpath(root),
    realpath(path.join(root, folder)).catch(() => ""),
  ]);
  if (found === whole || found.startsWith(`${whole}${path.sep}`)) return found;
  throw new Error(`The repository has no folder ${JSON.stringify(folder)}. Correct --path.`);
}

/** Rejects a state file, because it would be deleted with the checkout, and other replicas cannot see it. */
function checkStateStore({ state }: Manifest): Diagnostic[] {
  if (readScheme(state) !== undefined) return [];
  const message = `The state ${state} would be lost with the checkout. Set \`state\` to a shared store, such as git+refs://origin/avatarops/production.`;
  return [{ severity: "error", code: "state-not-shared", message }];
}
