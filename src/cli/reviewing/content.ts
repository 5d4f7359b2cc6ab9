import { readFile } from "node:fs/promises";
import { type Diagnostic, hasErrors } from "../../diagnostics/index.js";
import {
  type DiagnosticsDocument,
  diagnosticsDocument,
  type PlanDocument,
  planDocument,
  planExit,
  readPlan,
} from "../../documents/index.js";
import type { Plan } from "../../engine/index.js";
import { diagnosticCounts, planCounts } from "../../render/index.js";
import { type Call, isOn, textOption } from "../command.js";
import { type ExitCode, exitCode, planExitCode } from "../exit-code.js";
import { UsageError } from "../failure.js";
import { judgePlan } from "../judging.js";
import { type Project, placedFromHere, readProject } from "../project.js";
import { planProject } from "../project-plan.js";
import { declarationsIn, placesIn } from "../show-plan.js";

/** A plan, or what is wrong with the files. */
export interface ReviewContent {
  readonly document: PlanDocument | DiagnosticsDocument;
  /** In one line. */
  readonly counts: string;
  /** Of a plan. */
  readonly digest?: string;
  /** Whether the plan can be applied as it is. */
  readonly isGood: boolean;
  readonly exit: ExitCode;
}

/** Makes what is to be reviewed: the saved plan, a new one, or the errors of the files. */
export async function contentOf(call: Call): Promise<ReviewContent> {
  const saved = textOption(call, "plan");
  const { manifest, diagnostics } = await readProject(call, { judges: true });
  if (saved !== undefined && (manifest || !hasFindings(diagnostics)))
    return ofPlan(call, await savedPlan(call, saved), manifest);
  if (manifest) return ofPlan(call, (await planProject(call, manifest)).plan, manifest);
  if (!hasErrors(diagnostics)) throw new Error("Bug: no manifest, and no error");
  const document = diagnosticsDocument(placedFromHere(call, diagnostics));
  return { document, counts: diagnosticCounts(document.summary), isGood: false, exit: exitCode.failed };
}

/** A saved plan is shown even where its files cannot be read, but not where they break a rule. */
function hasFindings(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ policy, severity }) => policy && severity === "error");
}

async function savedPlan({ host }: Call, file: string): Promise<Plan> {
  let text: string;
  try {
    text = await readFile(host.resolve(file), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError("plan-file", `Cannot read the plan ${file} (${code}).`);
  }
  return readPlan(text);
}

async function ofPlan(call: Call, plan: Plan, manifest: Project | undefined): Promise<ReviewContent> {
  const findings = manifest ? await judgePlan(call, manifest, plan) : [];
  const document = planDocument(plan, undefined, placesIn(manifest), declarationsIn(manifest), findings);
  if (hasErrors(findings)) {
    const counts = `${planCounts(document)}. Refused by policies`;
    return { document, counts, isGood: false, exit: exitCode.failed };
  }
  const verdict = planExit(plan);
  return {
    document,
    counts: planCounts(document),
    // What was not compared with the account cannot be applied.
    ...(plan.basis.comparedWith ? {} : { digest: plan.digest }),
    isGood: verdict === "nothing" || verdict === "changes",
    exit: planExitCode(verdict, isOn(call, "detailedExitcode")),
  };
}
