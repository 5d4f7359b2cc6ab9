import { hasErrors } from "../../base/diagnostics/index.js";
import {
  isDrift,
  isSkippedEdit,
  listChangesToWrite,
  type Notice,
  type Plan,
} from "../../core/engine/index.js";
import { digestChanges } from "../../core/kinds/index.js";
import {
  isSettledExit,
  toDiagnosticsDocument,
  toPlanDocument,
  toPlanExit,
} from "../../output/documents/index.js";
import { type BaseComparison, formatDiagnosticCounts, formatPlanCounts } from "../../output/render/index.js";
import { findAppliedInNeeded } from "../gates/applied-in-needed.js";
import { judgePlan } from "../gates/judge-plan.js";
import { doesOverwriteDrift } from "../plan/plan.js";
import { planProject } from "../plan/plan-project.js";
import { withThresholdAdvice } from "../plan/threshold-advice.js";
import { createDeclarationLocator, createTextLocator } from "../project/locators.js";
import { readProject, withRelativeLocations } from "../project/open-project.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { readPlanFile } from "../state/saved-plan-file.js";
import { findFromBase } from "./change-origins.js";
import { findPartialChanges } from "./partial-changes.js";
import type { ReviewContent } from "./posting.js";

/** Makes the review content: the saved plan, a new one, or the errors in the files. */
export async function makeReviewContent(
  runtime: Runtime,
  { plan: saved, base }: { readonly plan?: string | undefined; readonly base?: BaseComparison | undefined },
): Promise<ReviewContent> {
  const { project: manifest, diagnostics } = await readProject(runtime);
  const breaksRule = diagnostics.some(({ policy, severity }) => policy && severity === "error");
  // Shows a saved plan even if the files cannot be read, but not if they violate a policy.
  if (saved !== undefined && (manifest || !breaksRule))
    return planContent(runtime, { plan: await readPlanFile(runtime, saved) }, { manifest });
  if (manifest) {
    const planned = await planProject(runtime, manifest, { allowsMissingKey: true, base: base?.commit });
    return planContent(runtime, planned, { manifest, base });
  }
  if (!hasErrors(diagnostics)) throw new Error("Bug: no manifest, and no error");
  const document = toDiagnosticsDocument(withRelativeLocations(runtime, diagnostics));
  const counts = formatDiagnosticCounts(document.summary);
  return { document, base, counts, isGood: false, settings: undefined, verdict: "refused" };
}

async function planContent(
  runtime: Runtime,
  { plan, shown = plan }: { readonly plan: Plan; readonly shown?: Plan },
  { manifest, base }: { readonly manifest: Project | undefined; readonly base?: BaseComparison | undefined },
): Promise<ReviewContent> {
  const findings = manifest ? await judgePlan(runtime, manifest, plan) : [];
  const advised = withThresholdAdvice(shown, "`apply --reviewed` does not need `--allow threshold`.");
  const document = toPlanDocument(
    advised,
    createTextLocator(manifest),
    createDeclarationLocator(manifest),
    findings,
  );
  const partials = manifest && (await findPartialChanges(runtime, manifest, plan, base));
  const settings = manifest?.reviews;
  if (hasErrors(findings)) {
    const counts = `${formatPlanCounts(document)}. Rejected by policies`;
    return { document, partials, base, counts, isGood: false, settings, verdict: "refused" };
  }
  const verdict = toPlanExit(plan);
  const overwrites = manifest ? doesOverwriteDrift(runtime, manifest) : plan.overwritesDrift === true;
  const changes = plan.changes.filter(({ action }) => action !== "keep");
  const addresses = changes.map(({ address }) => address);
  return {
    ...{ document, partials, base },
    counts: formatPlanCounts(document),
    // The same change has the same digest in every plan for the account.
    objects: new Map(changes.map((change) => [change.address, digestChanges(plan.basis, [change])])),
    fromBase: manifest && (await findFromBase(runtime, manifest, base, addresses)),
    // A plan that was not compared with the account cannot be applied.
    ...(plan.basis.comparedWith ? {} : { digest: plan.digest }),
    conditions: listConditions(runtime, plan, manifest),
    applied: manifest && (await findAppliedInNeeded(runtime, manifest, plan)),
    settings,
    isGood: isSettledExit(verdict) || verdict === "changes",
    isOnlyDrift:
      verdict === "changes" &&
      changes.every((change) => isDrift(change) && isSkippedEdit(change, overwrites)),
    verdict,
  };
}

/**
 * Returns the conditions for applying a plan by its digest. Returns undefined if the plan would be refused or is empty.
 */
function listConditions(
  runtime: Runtime,
  plan: Plan,
  manifest: Project | undefined,
): ReviewContent["conditions"] {
  const isNoticed = (...codes: readonly Notice["code"][]) =>
    plan.notices.some(({ code }) => codes.includes(code));
  const overwrites = manifest ? doesOverwriteDrift(runtime, manifest) : plan.overwritesDrift === true;
  const isOnHold = plan.changes.some(({ held }) => held !== undefined);
  const changes = plan.changes.map(({ held: _, ...change }) => change);
  if (toPlanExit(plan) !== "changes" || listChangesToWrite({ changes }, overwrites).length === 0)
    return undefined;
  if (isNoticed("behind", "all-vanished")) return undefined;
  const { environment = "", environments } = manifest ?? {};
  return {
    exceedsThreshold: isNoticed("threshold"),
    needs: environments?.get(environment)?.needs ?? [],
    isHeld: isOnHold || isNoticed("held"),
  };
}
