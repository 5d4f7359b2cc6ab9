import { realpath } from "node:fs/promises";
import path from "node:path";
import { hasErrors } from "../../base/diagnostics/index.js";
import { readScheme } from "../../base/files/index.js";
import { type RepeatOptions, repeat } from "../../base/serving/index.js";
import { findPendingRotations, type Outcome, type Plan } from "../../core/engine/index.js";
import { loadManifest, type Manifest } from "../../core/manifest/index.js";
import type { StateSession } from "../../core/state/index.js";
import {
  type CodeHostOptions,
  checkReviewed,
  closeRuntime,
  executePlan,
  failureDocument,
  findMergedChange,
  findReviewedChange,
  judge,
  makePlan,
  needsApproval,
  notify,
  type Project,
  type ProjectPlan,
  planProject,
  quietReporter,
  type Runtime,
  recordedPullRequest,
  reportingOutcome,
  toLoadOptions,
} from "../../operations/index.js";
import {
  diagnosticsDocument,
  type NoticeFacts,
  outcomeDocument,
  planDocument,
} from "../../output/documents/index.js";
import {
  failed,
  failedBy,
  hasWrites,
  outcomeReport,
  planReport,
  problemsIn,
  toProblem,
  unreadIn,
} from "./build-cycle-report.js";
import type { Checkout, Checkouts } from "./checkouts.js";
import { codeIn, refuseFiles } from "./code.js";
import { createCycleNotices } from "./cycle-notices.js";
import { type CycleProblem, type CycleReport, isPassing, type SecretRotations } from "./cycle-report.js";
import { cycleRuntime, type IssuedIds, issueIds, watchLocks } from "./cycle-runtime.js";

/** What a cycle applies. */
export interface CycleOptions {
  /** The folder of the project in the repository. */
  readonly folder: string;
  /** The states that projects of this process have, with their folders: each has its own. */
  readonly states: Map<string, string>;
  /** Whether the files may run code here. */
  readonly allowCode: boolean;
  /** What is followed, for notices. */
  readonly name: string;
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
): () => Promise<CycleReport> {
  const ids = issueIds(runtime.host.newId);
  const projects = openProjects(runtime, options, ids);
  let current: Checkout | undefined;
  /** The last commit whose files had no errors. */
  let good: Checkout | undefined;

  async function once(): Promise<CycleReport> {
    const head = await checkouts.head();
    if (current?.commit !== head) {
      current = await checkouts.make();
      await checkouts.keepOnly([current, good]);
    }
    const { commit } = current;
    const report = await projects.reconcile(current);
    if (report.outcome !== "invalid") {
      good = current;
      return { ...report, commit };
    }
    // The account keeps following the last good commit: it may have moved itself.
    const kept = good && (await projects.reconcile(good));
    return kept
      ? { ...kept, outcome: "invalid", commit, problems: [...report.problems, ...kept.problems] }
      : { ...report, commit };
  }

  async function reported(): Promise<CycleReport> {
    try {
      const report = await once();
      return runtime.signal.aborted && report.outcome === "failed"
        ? { ...report, outcome: "stopped" }
        : report;
    } catch (error) {
      return failed(runtime.signal.aborted ? "stopped" : "failed", toProblem(error));
    } finally {
      ids.endCycle();
    }
  }

  const toNotices = createCycleNotices(runtime.host.now, options.takeOverAfterMs);
  return async () => {
    const report = await reported();
    await projects.tell(toNotices(report));
    await projects.close();
    return report;
  };
}

/** What the loop runs on. */
export interface LoopOptions extends Omit<RepeatOptions, "cycle"> {
  /** One cycle of each project; never throws. */
  readonly cycle: () => Promise<readonly Pick<CycleReport, "outcome">[]>;
}

/** Runs cycles until it is asked to stop: one after the other, never two at a time. */
export async function repeatCycles({ cycle, ...options }: LoopOptions): Promise<void> {
  await repeat({
    ...options,
    cycle: async () => (await cycle()).some(({ outcome }) => isPassing(outcome)),
  });
}

/** What a cycle does with the project of a checkout. */
function openProjects(outer: Runtime, options: CycleOptions, ids: IssuedIds) {
  const takesOver = watchLocks(options.takeOverAfterMs, outer.host.now);
  /** Commit and plan of the last apply: the same plan is not applied again, unless it has something to write. */
  let settled: string | undefined;
  /** The last project without errors: it names who is told. */
  let last: { readonly runtime: Runtime; readonly project: Project } | undefined;
  /** Those of a cycle, in which sources may have opened connections. */
  const runtimes: Runtime[] = [];

  async function read(
    runtime: Runtime,
  ): Promise<{ manifest: Project } | { problems: readonly CycleProblem[] }> {
    const { allowCode } = options;
    const loading = { ...toLoadOptions(runtime), judge };
    const { manifest, judged, diagnostics } = await loadManifest(
      allowCode ? loading : { ...loading, definitions: refuseFiles },
    );
    if (!manifest || hasErrors(diagnostics))
      return { problems: problemsIn(diagnosticsDocument(diagnostics)) };
    const problems = [
      ...(allowCode ? [] : codeIn(manifest, options.codeHost !== undefined)),
      ...lostState(manifest),
      ...sharedState(manifest, options),
    ];
    return problems.length > 0 ? { problems } : { manifest: { ...manifest, judged } };
  }

  return {
    /** Tells those whom the project names. */
    async tell(facts: readonly NoticeFacts[]): Promise<void> {
      if (!last) return;
      const runtime = { ...last.runtime, output: quietReporter(options.warn) };
      runtimes.push(runtime);
      await notify(runtime, last.project, { command: "sync", facts, name: options.name });
    },
    /** Ends what the sources of a cycle have kept open. */
    async close(): Promise<void> {
      await Promise.all(runtimes.splice(0).map(closeRuntime));
    },
    /** Plans, and applies if there is something to write, or something new to record. */
    async reconcile({ folder, commit }: Checkout): Promise<CycleReport> {
      const warnings: CycleProblem[] = [];
      const warn = (message: string) => void warnings.push({ code: "warning", message });
      const runtime = cycleRuntime(outer, await inside(folder, options.folder), ids, takesOver, warn);
      runtimes.push(runtime);
      const found = await read(runtime);
      if ("problems" in found) return failed("invalid", ...found.problems);
      const { manifest } = found;
      last = { runtime, project: manifest };
      let secrets: SecretRotations | undefined;
      try {
        const planned = await planProject(runtime, manifest, { deepens: true });
        secrets = secretRotations(planned);
        const document = planDocument(planned.plan);
        const next = `${commit} ${document.digest}`;
        const hasNews = hasWrites(document, manifest.drift) || planned.snapshot?.interrupted === true;
        if (!hasNews && next === settled) return { ...planReport(document, unreadIn(planned.plan)), secrets };
        const how = { codeHost: options.codeHost, isTold: hasNews };
        const outcome = await applyPlanned(runtime, manifest, planned, how);
        const report = {
          ...outcomeReport(outcomeDocument(outcome)),
          secrets: secretRotations(planned, outcome),
        };
        if (runtime.signal.aborted) return report;
        // With a warning, such as of a lock that stays, the next cycle goes the same way once more.
        settled = warnings.length === 0 ? next : undefined;
        return { ...report, problems: [...report.problems, ...warnings] };
      } catch (error) {
        return { ...failedBy(failureDocument(error, runtime.signal)), secrets };
      }
    },
  };
}

/** To one project, the objects of another in the same state are objects that its files no longer have. */
function sharedState({ state }: Manifest, { folder, states }: CycleOptions): CycleProblem[] {
  const owner = states.get(state) ?? folder;
  states.set(state, owner);
  if (owner === folder) return [];
  const message = `${JSON.stringify(folder)} has the state of ${JSON.stringify(owner)}, ${state}: give each project one of its own.`;
  return [{ code: "state-shared", message }];
}

/**
 * Applies a plan that was made without the lock; if the state may have moved meanwhile, one that is made under it. With a code host, what
 * somebody has to approve is what `apply --reviewed` would apply, and the pull requests hear what became of it.
 */
async function applyPlanned(
  runtime: Runtime,
  project: Project,
  planned: ProjectPlan,
  { codeHost, isTold }: { readonly codeHost: CodeHostOptions | undefined; readonly isTold: boolean },
): Promise<Outcome> {
  const isReviewed = codeHost !== undefined && (await needsApproval(runtime, project));
  const find = isReviewed ? findReviewedChange : findMergedChange;
  const change = codeHost && isTold ? await find(runtime, codeHost) : undefined;
  const work: Parameters<typeof reportingOutcome>[2] = async (on) => {
    const checkPlan = async (plan: Plan) => {
      if (!hasWrites(planDocument(plan), project.drift)) return undefined;
      const merged = change ?? (await findReviewedChange(runtime, codeHost));
      const { pulls, pullRequest } = await checkReviewed(runtime, project, merged, plan, undefined);
      on.reviewed(pulls);
      return pullRequest;
    };
    const outcome = await executePlan(runtime, project, {
      ...{ command: "sync", planned, onWriting: on.writing },
      reviewed: isReviewed ? checkPlan : undefined,
      pullRequest: change?.pull && recordedPullRequest(change.pull),
      async prepare(service, state, session) {
        const isSame = session && isUnmoved(planned, session);
        const request = { manifest: project, state, service, commits: { deepens: true } };
        return { ...(isSame ? planned : await makePlan(runtime, request)), project };
      },
    });
    return outcome && { outcome };
  };
  const applied = await reportingOutcome(runtime, change, work, { triesAgain: true });
  if (!applied) throw new Error("Bug: nobody is asked");
  return applied.outcome;
}

/** How the secrets of a plan compare with their sources, and what an apply of it has left. */
function secretRotations({ snapshot, observation }: ProjectPlan, outcome?: Outcome): SecretRotations {
  const { pending, unverified } = findPendingRotations(snapshot?.state, observation.rotations);
  const applied = outcome?.results.filter(({ status }) => status === "applied") ?? [];
  const sent = new Set(applied.map(({ address }) => address));
  const rotated = pending.map(({ address }) => address).filter((address) => !sent.has(address));
  return { rotated, unverified: unverified.length };
}

/** Whether nobody wrote, or was about to write, between plan and lock. */
function isUnmoved({ snapshot }: ProjectPlan, { state, interrupted }: StateSession): boolean {
  if (interrupted || snapshot?.interrupted || snapshot?.lockedBy) return false;
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
function lostState({ state }: Manifest): CycleProblem[] {
  if (readScheme(state) !== undefined) return [];
  const message = `The state ${state} would be lost with the checkout: set \`state\` to a store that outlives it, such as git+refs://origin/avatarops/production.`;
  return [{ code: "state-not-shared", message }];
}
