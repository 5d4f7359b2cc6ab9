import { realpath } from "node:fs/promises";
import path from "node:path";
import { type Diagnostic, hasErrors, UsageError } from "../../base/diagnostics/index.js";
import { readScheme } from "../../base/files/index.js";
import {
  type Change,
  changesToWrite,
  findPendingRotations,
  type Outcome,
  type PendingRotations,
  type Plan,
} from "../../core/engine/index.js";
import { loadManifest, type Manifest } from "../../core/manifest/index.js";
import { createMemoryCache, type StateWriter } from "../../core/state/index.js";
import {
  type CodeHostOptions,
  checkReviewed,
  closeRuntime,
  executePlan,
  failureDocument,
  findMergedChange,
  findPullRequests,
  findReviewedChange,
  judge,
  LaterRunError,
  makePlan,
  needsApproval,
  notify,
  type Project,
  type ProjectPlan,
  planProject,
  projectOptions,
  quietReporter,
  type Runtime,
  reportingOutcome,
  toLoadOptions,
} from "../../operations/index.js";
import {
  diagnosticsDocument,
  errorDocument,
  type NoticeFacts,
  outcomeDocument,
} from "../../output/documents/index.js";
import { repeatInDocument } from "../../output/render/index.js";
import type { Checkout, Checkouts } from "./checkouts.js";
import { codeIn } from "./code.js";
import { createCycleNotices } from "./cycle-notices.js";
import { type CycleResult, cycleResult } from "./cycle-result.js";
import { cycleRuntime, type IssuedIds, issueIds, watchLocks } from "./cycle-runtime.js";

/** What a cycle applies. */
export interface CycleOptions {
  /** The folder of the project in the repository. */
  readonly folder: string;
  /** How long the lock of another replica must not have changed before it is taken over, in ms; 0: never. */
  readonly takeOverAfterMs: number;
  /** The code host of the repository, which knows who approved what; absent if it is not known, or there is no token for it. */
  readonly codeHost?: CodeHostOptions | undefined;
  /** Hears of notices that were not delivered. */
  warn(sentence: string): void;
}

/**
 * Creates the cycles of a branch: each looks at the repository and at the account, and applies what has moved. A cycle
 * never throws, and never overrides a refusal of `apply`.
 */
export function createCycle(
  runtime: Runtime,
  checkouts: Checkouts,
  options: CycleOptions,
): () => Promise<CycleResult> {
  const ids = issueIds(runtime.host.newId);
  const { now, hostname: host } = runtime.host;
  const locks = watchLocks({ afterMs: options.takeOverAfterMs, host, now });
  // A container may have no folder of its own for them, and the checkout is not one: a commit can write there.
  const observing = { ...runtime, host: { ...runtime.host, observations: createMemoryCache() } };
  const projects = openProjects(observing, options, ids, locks.takesOver);
  let current: Checkout | undefined;
  /** The last commit whose files had no errors. */
  let good: Checkout | undefined;

  async function once(): Promise<CycleResult> {
    const head = await checkouts.head();
    if (current?.commit !== head) {
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
    // The account keeps following the last good commit: it may have moved itself.
    const kept = good && (await projects.reconcile(good, assertLatest));
    return {
      ...kept,
      outcome: "invalid",
      commit,
      documents: [...result.documents, ...(kept?.documents ?? [])],
    };
  }

  const toNotices = createCycleNotices(now, options.takeOverAfterMs);
  return async () => {
    const ended = projects.addOptions(await once().catch((error) => cycleResult(errorDocument(error))));
    ids.endCycle();
    const takeOverInMs = locks.endCycle();
    const isStopped = runtime.signal.aborted && ended.outcome === "failed";
    const result = isStopped ? ({ ...ended, outcome: "stopped" } as const) : ended;
    await projects.tell(toNotices(result));
    await projects.close();
    return result.outcome === "locked" ? { ...result, takeOverInMs } : result;
  };
}

/** What a cycle does with the project of a checkout. */
function openProjects(
  outer: Runtime,
  options: CycleOptions,
  ids: IssuedIds,
  takesOver: NonNullable<Runtime["host"]["takesOverLock"]>,
) {
  /** Of the last apply, what was planned and what it has left: the same is not applied again, unless it has something to write. */
  let settled: { readonly planned: string; readonly result: CycleResult } | undefined;
  /** The last project without errors: it names who is told. */
  let last: { readonly runtime: Runtime; readonly project: Project } | undefined;
  /** Those of a cycle, in which sources may have opened connections. */
  const runtimes: Runtime[] = [];
  /** The commit that a needed environment does not have yet. */
  let behind: { readonly commit: string | undefined; readonly sinceMs: number } | undefined;
  const isExpected = (commit: string | undefined) =>
    behind === undefined || behind.commit !== commit || outer.host.now() - behind.sinceMs < needsToleranceMs;

  async function read(runtime: Runtime): Promise<Project | readonly Diagnostic[]> {
    const { manifest, diagnostics } = await loadManifest({ ...toLoadOptions(runtime), judge });
    if (!manifest || hasErrors(diagnostics)) return diagnostics;
    const problems = [
      ...(runtime.allowCode ? [] : codeIn(manifest, options.codeHost !== undefined)),
      ...lostState(manifest),
    ];
    return problems.length > 0 ? problems : manifest;
  }

  return {
    /** Adds the options of the project to the commands of a result: the log and the notices are read elsewhere. */
    addOptions(result: CycleResult): CycleResult {
      const [runtime] = runtimes;
      const repeated = runtime && projectOptions(runtime, options.folder);
      return repeated ? { ...result, documents: repeatInDocument(result.documents, repeated) } : result;
    },
    /** Tells those whom the project names. */
    async tell(facts: readonly NoticeFacts[]): Promise<void> {
      if (!last) return;
      const runtime = { ...last.runtime, output: quietReporter(options.warn) };
      runtimes.push(runtime);
      await notify(runtime, last.project, { command: "sync", facts });
    },
    /** Ends what the sources of a cycle have kept open. */
    async close(): Promise<void> {
      await Promise.all(runtimes.splice(0).map(closeRuntime));
    },
    /** Plans, and applies if there is something to write, or something new to record, and the branch has not moved meanwhile. */
    async reconcile(
      { folder, commit }: Checkout,
      assertLatest: ApplyHow["assertLatest"],
    ): Promise<CycleResult> {
      const warnings: UsageError[] = [];
      const warn = (message: string) => void warnings.push(new UsageError("warning", message));
      const runtime = cycleRuntime(outer, await inside(folder, options.folder), ids, takesOver, warn);
      runtimes.push(runtime);
      const project = await read(runtime);
      if (!("declarations" in project)) return cycleResult(diagnosticsDocument(project));
      last = { runtime, project };
      let rotations: PendingRotations | undefined;
      try {
        const made = await planProject(runtime, project, { deepens: true });
        const { snapshot, observation, plan } = made;
        rotations = findPendingRotations(snapshot?.state, observation.rotations);
        const planned = JSON.stringify([
          commit,
          plan.digest,
          plan.changes.map(({ unread, held }) => [unread, held]),
        ]);
        const hasNews =
          changesToWrite(plan, project.drift === "overwrite").length > 0 || snapshot?.interrupted === true;
        if (!hasNews && planned === settled?.planned)
          return { ...settled.result, isSettled: true, rotations };
        const { codeHost } = options;
        const how = { codeHost, isTold: hasNews, toleratesNeeds: isExpected(commit), assertLatest };
        const outcome = await applyPlanned(runtime, project, made, how);
        if (outcome.stopped && !outcome.isRecorded) throw unrecordedError(outcome.stopped, outcome);
        const sent = outcome.results.flatMap(({ address, status }) => (status === "applied" ? address : []));
        const pending = rotations.pending.filter(({ address }) => !sent.includes(address));
        const result = cycleResult(outcomeDocument(outcome));
        const ended = { ...result, rotations: { ...rotations, pending } };
        if (runtime.signal.aborted) return ended;
        // With a warning, such as of a lock that stays, the next cycle goes the same way once more.
        settled = warnings.length === 0 ? { planned, result: withoutApplied(outcome) } : undefined;
        return { ...ended, documents: [...ended.documents, ...warnings.map(errorDocument)] };
      } catch (error) {
        const document = failureDocument(error, runtime.signal);
        if (document.code === "needs" && behind?.commit !== commit)
          behind = { commit, sinceMs: runtime.host.now() };
        const isNeeds = document.code === "needs";
        return { ...cycleResult(document), rotations, isExpected: isNeeds && isExpected(commit) };
      }
    },
  };
}

/** The failure of a cycle whose outcome is not in the state: the next cycle looks for it, and reports it. */
function unrecordedError({ code, message }: NonNullable<Outcome["stopped"]>, { unrecorded }: Outcome) {
  const commands = unrecorded.map(({ address, id }) => `\`avatarops import ${address} ${id}\``);
  const advice = commands.length > 0 ? ` Created, but not recorded. Run: ${commands.join(", ")}.` : "";
  return new UsageError(code, `${message}${advice}`);
}

/** What the next cycle says if it finds the same plan. */
function withoutApplied(outcome: Outcome): CycleResult {
  const results = outcome.results.filter(({ status }) => status !== "applied");
  return cycleResult(outcomeDocument({ ...outcome, results }));
}

interface ApplyHow {
  readonly codeHost: CodeHostOptions | undefined;
  readonly isTold: boolean;
  /** A needed environment that is behind is not reported yet. */
  readonly toleratesNeeds: boolean;
  /** Throws a LaterRunError if the branch has another commit by now, which another replica may have applied. */
  assertLatest(): Promise<void>;
}

/** Time in which another replica or job usually applies a commit to a needed environment. */
const needsToleranceMs = 5 * 60_000;

/**
 * Applies a plan that was made without the lock; if the state may have moved meanwhile, one that is made under it. With a code host, what
 * somebody has to approve is what `apply --reviewed` would apply, and the pull requests hear what became of it.
 */
async function applyPlanned(
  runtime: Runtime,
  project: Project,
  planned: ProjectPlan,
  { codeHost, isTold, toleratesNeeds, assertLatest }: ApplyHow,
): Promise<Outcome> {
  const isReviewed = codeHost !== undefined && (await needsApproval(runtime, project, codeHost));
  const find = isReviewed ? findReviewedChange : findMergedChange;
  const change = codeHost && isTold ? await find(runtime, codeHost) : undefined;
  const work: Parameters<typeof reportingOutcome>[2] = async (on) => {
    const checkPlan = async (plan: Plan, changes: readonly Change[]) => {
      const merged = change ?? (await findReviewedChange(runtime, codeHost));
      return checkReviewed(runtime, project, merged, plan, changes, { onFound: on.found, triesAgain: true });
    };
    const outcome = await executePlan(runtime, project, {
      ...{ command: "sync", planned, onWriting: on.writing },
      reviewed: isReviewed ? checkPlan : undefined,
      findPullRequests:
        change && ((addresses) => findPullRequests(runtime, project, change, addresses, on.found)),
      async prepare(service, state, session) {
        await assertLatest();
        const isSame = session && isUnmoved(planned, session);
        const { recoverUntil } = session ?? {};
        const request = { manifest: project, state, service, recoverUntil, commits: { deepens: true } };
        return { ...(isSame ? planned : await makePlan(runtime, request)), project };
      },
    });
    return outcome && { outcome };
  };
  const applied = await reportingOutcome(runtime, change, work, { triesAgain: true, toleratesNeeds });
  if (!applied) throw new Error("Bug: nobody is asked");
  return applied.outcome;
}

/** Whether nobody wrote, or was about to write, between plan and lock. */
export function isUnmoved(
  { snapshot }: Pick<ProjectPlan, "snapshot">,
  { state, interrupted, recoverUntil }: StateWriter,
): boolean {
  // Only the holder of the lock waits for creates of an interrupted run.
  if (recoverUntil.size > 0) return false;
  const { lockedBy, unreadableLock } = snapshot ?? {};
  if (interrupted || snapshot?.interrupted || lockedBy || unreadableLock !== undefined) return false;
  return snapshot?.state.lineage === state?.lineage && snapshot?.state.serial === state?.serial;
}

/** The project folder, which no link may lead out of the checkout. */
async function inside(root: string, folder: string): Promise<string> {
  const [whole, found] = await Promise.all([
    realpath(root),
    realpath(path.join(root, folder)).catch(() => ""),
  ]);
  if (found === whole || found.startsWith(`${whole}${path.sep}`)) return found;
  throw new Error(`The repository has no folder ${JSON.stringify(folder)}: correct --path.`);
}

/** A file in the checkout ends with it, and another replica does not see it. */
function lostState({ state }: Manifest): Diagnostic[] {
  if (readScheme(state) !== undefined) return [];
  const message = `The state ${state} would be lost with the checkout: set \`state\` to a store that outlives it, such as git+refs://origin/avatarops/production.`;
  return [{ severity: "error", code: "state-not-shared", message }];
}
