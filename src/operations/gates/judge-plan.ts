import { type Diagnostic, toLocation } from "../../base/diagnostics/index.js";
import type { Plan } from "../../core/engine/index.js";
import type { PolicyFunction } from "../../core/manifest/index.js";
import { toPlanDocument } from "../../output/documents/index.js";
import { createDeclarationLocator, createTextLocator } from "../project/locators.js";
import { withRelativeLocations } from "../project/open-project.js";
import { allowsCode } from "../runtime/access.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";

/** Returns the policy findings for a plan and its files. */
export async function judgePlan(
  runtime: Runtime,
  project: Project,
  plan: Plan,
): Promise<readonly Diagnostic[]> {
  const { findings = [] } = project;
  return withRelativeLocations(runtime, [...findings, ...(await runFunctions(runtime, project, plan))]);
}

async function runFunctions(runtime: Runtime, project: Project, plan: Plan): Promise<readonly Diagnostic[]> {
  const { policies, declarations, root, untrusted } = project;
  if (!policies || policies.functions.length === 0) return [];
  if (untrusted) return policies.functions.map(warnNotRun);
  const { judgeByFunctions, createPolicyInput } = await import("../../review/policy/index.js");
  const document = toPlanDocument(plan, createTextLocator(project), createDeclarationLocator(project));
  return judgeByFunctions(policies.functions, {
    allowCode: allowsCode(runtime),
    ...{
      root,
      declarations,
      signal: runtime.signal,
      onOutput: (text: string) => runtime.output.progress(text),
    },
    input: createPolicyInput(document, declarations),
    limitMs: runtime.host.waits?.policyMs,
  });
}

/** Returns a warning instead of running code that an untrusted change may have modified. */
function warnNotRun({ file, range }: PolicyFunction): Diagnostic {
  const message = `${file} was not run, because avatarops does not run code from an untrusted change`;
  const hint = "the policy runs before the apply, once the change is merged";
  return {
    ...{
      severity: "warning",
      code: "policy-function",
      message,
      location: toLocation(range),
      hint,
      policy: {},
    },
  };
}
