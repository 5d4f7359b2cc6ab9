import { realpath } from "node:fs/promises";
import path from "node:path";
import { hasErrors } from "../../diagnostics/index.js";
import { diagnosticsDocument, outcomeDocument, planDocument } from "../../documents/index.js";
import type { Outcome } from "../../engine/index.js";
import { readScheme } from "../../files/index.js";
import { loadManifest, type Manifest } from "../../manifest/index.js";
import type { StateSession } from "../../state/index.js";
import type { Checkout, Checkouts, CycleProblem, CycleReport } from "../../sync/index.js";
import { applyPlan, refuseOtherAccount } from "../applying.js";
import { type Call, isOn } from "../command.js";
import { withService } from "../connect.js";
import { refuseWhileActive, waitMsFor } from "../idle.js";
import { refuseByPolicies } from "../judging.js";
import { makePlan, refuseBehind, refuseLargeChange } from "../planning.js";
import { judge, loadOptionsOf, type Project } from "../project.js";
import { type ProjectPlan, planProject } from "../project-plan.js";
import { failureDocument } from "../show-failure.js";
import { withLock } from "../store.js";
import { codeIn, refuseFiles } from "./code.js";
import { IssuedIds, quietCall } from "./cycle-call.js";
import {
  failed,
  failedBy,
  hasWrites,
  outcomeReport,
  planReport,
  problemOf,
  problemsIn,
  unreadIn,
} from "./reports.js";

/**
 * Creates the cycles of a branch: each looks at the repository and at the account, and applies what has moved. A cycle
 * never throws, and never overrides a refusal of `apply`.
 *
 * @param folder of the project in the repository.
 */
export function createCycle(call: Call, checkouts: Checkouts, folder: string): () => Promise<CycleReport> {
  const ids = new IssuedIds(call.host.newId);
  const projects = new Projects(call, folder, ids);
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

  return async () => {
    try {
      const report = await once();
      return call.signal.aborted && report.outcome === "failed" ? { ...report, outcome: "stopped" } : report;
    } catch (error) {
      return failed(call.signal.aborted ? "stopped" : "failed", problemOf(error));
    } finally {
      ids.endCycle();
    }
  };
}

class Projects {
  readonly #call: Call;
  readonly #folder: string;
  readonly #ids: IssuedIds;
  /** Commit and plan of the last apply: the same plan is not applied again, unless it has something to write. */
  #settled: string | undefined;

  constructor(call: Call, folder: string, ids: IssuedIds) {
    this.#call = call;
    this.#folder = folder;
    this.#ids = ids;
  }

  /** Plans, and applies if there is something to write, or something new to record. */
  async reconcile({ folder, commit }: Checkout): Promise<CycleReport> {
    const warnings: CycleProblem[] = [];
    const warn = (message: string) => void warnings.push({ code: "warning", message });
    const call = quietCall(this.#call, await inside(folder, this.#folder), this.#ids, warn);
    const read = await this.#read(call);
    if ("problems" in read) return failed("invalid", ...read.problems);
    const { manifest } = read;
    try {
      const planned = await planProject(call, manifest, { deepens: true });
      const document = planDocument(planned.plan);
      const settled = `${commit} ${document.digest}`;
      if (!hasWrites(document, manifest.drift) && settled === this.#settled)
        return planReport(document, unreadIn(planned.plan));
      // Without the lock, so that a person can apply meanwhile; the next cycle looks again.
      if (waitMsFor(call, manifest, planned.plan) !== undefined)
        await withService(call, manifest, (service) =>
          refuseWhileActive(call, manifest, service, planned.plan),
        );
      const outcome = await applyPlanned(call, manifest, planned);
      const report = outcomeReport(outcomeDocument(outcome));
      if (call.signal.aborted) return report;
      // With a warning, such as of a lock that stays, the next cycle goes the same way once more.
      this.#settled = warnings.length === 0 ? settled : undefined;
      return { ...report, problems: [...report.problems, ...warnings] };
    } catch (error) {
      return failedBy(failureDocument(error, call.signal));
    }
  }

  async #read(call: Call): Promise<{ manifest: Project } | { problems: readonly CycleProblem[] }> {
    const isCodeAllowed = isOn(call, "allowCode");
    const options = { ...loadOptionsOf(call), judge };
    const { manifest, judged, diagnostics } = await loadManifest(
      isCodeAllowed ? options : { ...options, definitions: refuseFiles },
    );
    if (!manifest || hasErrors(diagnostics))
      return { problems: problemsIn(diagnosticsDocument(diagnostics)) };
    const problems = [...(isCodeAllowed ? [] : codeIn(manifest)), ...lostState(manifest)];
    return problems.length > 0 ? { problems } : { manifest: { ...manifest, ...(judged ? { judged } : {}) } };
  }
}

/** Applies a plan that was made without the lock; if the state may have moved meanwhile, one that is made under it. */
function applyPlanned(call: Call, manifest: Project, planned: ProjectPlan): Promise<Outcome> {
  return withLock(call, manifest, "sync", (session) =>
    withService(call, manifest, async (service) => {
      const { state } = session;
      const made = isUnmoved(planned, session)
        ? planned
        : await makePlan(call, { manifest, state, service, commits: { deepens: true } });
      refuseBehind(call, made.plan);
      refuseOtherAccount(call, made.plan);
      refuseLargeChange(call, made.plan);
      await refuseByPolicies(call, manifest, made.plan);
      await refuseWhileActive(call, manifest, service, made.plan);
      return applyPlan(call, manifest, session, service, made);
    }),
  );
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
