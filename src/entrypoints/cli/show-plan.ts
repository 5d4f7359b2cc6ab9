import type { Diagnostic } from "../../base/diagnostics/index.js";
import type { Plan } from "../../core/engine/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { createDeclarationLocator, createTextLocator } from "../../operations/index.js";
import { dropHints, type PlanDocument, toPlanDocument } from "../../output/documents/index.js";
import { renderText } from "../../output/render/index.js";
import type { Output } from "./output.js";

interface PlanExtras {
  readonly findings?: readonly Diagnostic[];
  readonly next?: PlanDocument["next"];
}

/** Shows a plan as a result, in the chosen format. */
export function showPlan(
  output: Output,
  plan: Plan,
  manifest?: Manifest,
  { findings, next }: PlanExtras = {},
): void {
  const locators = [createTextLocator(manifest), createDeclarationLocator(manifest)] as const;
  const document = { ...toPlanDocument(plan, ...locators, findings), next };
  const isBrief = output.format !== "json" && output.quiet;
  output.show(isBrief ? dropHints(document) : document);
}

/**
 * Shows a plan on stderr, because stdout is for the final result. For an empty plan, shows only its notices. With
 * --quiet, shows only the warning that the checkout may be behind, because the apply proceeds anyway.
 */
export function showPlanProgress(output: Output, plan: Plan, manifest?: Manifest): void {
  if (output.quiet) {
    for (const { code, message } of plan.notices) if (code === "unknown-ancestry") output.warn(message);
  } else if (plan.changes.every(({ action }) => action === "keep"))
    for (const { message } of plan.notices) output.info(message);
  else output.progress(renderText(toPlanDocument(plan, createTextLocator(manifest)), output.stderrText));
}

/** Shows the plan before a question, even with --quiet. */
export function presentPlan(output: Output, plan: Plan, manifest: Manifest): void {
  const document = toPlanDocument(plan, createTextLocator(manifest));
  output.writeProblem(renderText(output.quiet ? dropHints(document) : document, output.stderrText));
}
