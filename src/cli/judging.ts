import { type Diagnostic, hasErrors, placeOf } from "../diagnostics/index.js";
import { diagnosticsDocument, PolicyError, planDocument } from "../documents/index.js";
import type { Plan } from "../engine/index.js";
import type { JudgedProject, PolicyFunction } from "../manifest/index.js";
import { renderDiagnosticsText } from "../render/index.js";
import type { Call } from "./command.js";
import { type Project, placedFromHere } from "./project.js";
import { declarationsIn, placesIn } from "./show-plan.js";

/** What the policies say of a plan and of the files it was made of. */
export async function judgePlan(call: Call, project: Project, plan: Plan): Promise<readonly Diagnostic[]> {
  const { findings = [], judged } = project;
  const ofRules = judged ? await judgedByRules(judged, plan) : [];
  return placedFromHere(call, [...findings, ...ofRules, ...(await judgedByFunctions(call, project, plan))]);
}

async function judgedByRules(judged: JudgedProject, { changes }: Plan): Promise<readonly Diagnostic[]> {
  const { judgeChanges } = await import("../policy/index.js");
  return judgeChanges(judged, changes);
}

async function judgedByFunctions(call: Call, project: Project, plan: Plan): Promise<readonly Diagnostic[]> {
  const { policies, declarations, root, untrusted } = project;
  if (!policies || policies.functions.length === 0) return [];
  if (untrusted) return policies.functions.map(notRun);
  const { judgeByFunctions, policyInput } = await import("../policy/index.js");
  const document = planDocument(plan, undefined, placesIn(project), declarationsIn(project));
  return judgeByFunctions(policies.functions, {
    ...{ root, declarations, signal: call.signal, say: (text: string) => call.output.progress(text) },
    input: policyInput(document, declarations),
    ...(call.host.waits?.policyMs === undefined ? {} : { limitMs: call.host.waits.policyMs }),
  });
}

/** Of an untrusted change, the files of functions may be the author's, whatever the base's say. */
function notRun({ file, range }: PolicyFunction): Diagnostic {
  const message = `${file} has not judged this plan, because an untrusted change runs no code`;
  const hint = "it will judge the plan that is applied, once the change is merged";
  return {
    ...{ severity: "warning", code: "policy-function", message, place: placeOf(range), hint, policy: {} },
  };
}

/**
 * Shows what the policies say, and throws if they refuse.
 *
 * @throws PolicyError
 */
export async function refuseByPolicies(call: Call, project: Project, plan: Plan): Promise<void> {
  const findings = await judgePlan(call, project, plan);
  // Those of the files have been shown already.
  const fresh = findings.slice(project.findings?.length ?? 0);
  const { output } = call;
  if (fresh.length > 0 && output.format !== "json")
    output.problem(renderDiagnosticsText(diagnosticsDocument(fresh), output.stderrText));
  if (hasErrors(findings)) throw new PolicyError(findings);
}
