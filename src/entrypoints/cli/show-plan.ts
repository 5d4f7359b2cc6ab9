import type { Diagnostic } from "../../base/diagnostics/index.js";
import type { Plan, Undeclared } from "../../core/engine/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { declarationsIn, placesIn } from "../../operations/index.js";
import { type PlanDocument, planDocument, withoutHints } from "../../output/documents/index.js";
import { renderText, withoutTexts } from "../../output/render/index.js";
import type { Output } from "./output.js";

interface PlanExtras {
  readonly undeclared?: readonly Undeclared[] | undefined;
  readonly findings?: readonly Diagnostic[];
  readonly next?: PlanDocument["next"];
  /** Default: true. */
  readonly texts?: boolean;
}

/** Shows a plan as a result, in the chosen format, with undeclared objects if asked for. */
export function showPlan(
  output: Output,
  plan: Plan,
  manifest?: Manifest,
  { undeclared, findings, next, texts = true }: PlanExtras = {},
): void {
  const places = [placesIn(manifest), declarationsIn(manifest)] as const;
  const document = { ...planDocument(plan, undeclared, ...places, findings), next };
  // If they are listed, they need no count.
  const isBrief = output.format !== "json" && (undeclared || output.quiet);
  output.show(isBrief ? withoutHints(document) : texts ? document : withoutTexts(document));
}

/** Shows a plan on stderr, because stdout is for the final result; that there is nothing to do is left to that. */
export function progressPlan(output: Output, plan: Plan, manifest?: Manifest): void {
  if (plan.changes.every(({ action }) => action === "keep"))
    for (const { message } of plan.notices) output.info(message);
  else output.progress(renderText(planDocument(plan, undefined, placesIn(manifest)), output.stderrText));
}

/** Shows the plan before a question, even with --quiet. */
export function presentPlan(output: Output, plan: Plan, manifest: Manifest): void {
  const document = planDocument(plan, undefined, placesIn(manifest));
  output.problem(renderText(output.quiet ? withoutHints(document) : document, output.stderrText));
}
