import { hasErrors } from "../../base/diagnostics/index.js";
import {
  type Declaration,
  type Judge,
  type JudgedProject,
  type LoadedManifest,
  type LoadOptions,
  matchesWildcard,
  type Policies,
  type PolicyRule,
} from "../../core/manifest/index.js";
import { type JudgedObject, pathText, type Rule, toSubject, type Violation } from "./rule.js";
import { rules } from "./rules/index.js";

/** Returns errors of rules for an object that is not in the files yet. */
export function findErrors(
  { rules: all }: Policies,
  object: JudgedObject,
): readonly { readonly rule: PolicyRule["rule"]; readonly message: string }[] {
  return all
    .filter(({ severity }) => severity === "error")
    .flatMap((rule) =>
      holdsFor(rule, object)
        ? (rules[rule.rule] as Rule<never>)(object, rule.options as never).map(({ path, message }) => ({
            ...{ rule: rule.rule, message: `${toSubject(object, path)} ${message}` },
          }))
        : [],
    );
}

/** Whether a rule applies to an object. */
function holdsFor({ only = ["*"], except }: PolicyRule, { address }: JudgedObject): boolean {
  const isOneOf = (patterns: readonly string[]) =>
    patterns.some((pattern) => matchesWildcard(address, pattern));
  return isOneOf(only) && !isOneOf(except.map((exception) => exception.address));
}

type Collector = Parameters<Judge>[1]["collector"];

/** Maximum number of findings per rule and object. */
const maxPerObject = 20;

/** Judges the declarations of every environment. */
export const judgeFiles: Judge = async (projects, { collector }) => {
  const done: Done = new Map();
  for (const project of projects)
    for (const rule of project.policies.rules) judgeBy(rule, project, collector, done);
};

/** Judged objects by rule and options, because environments share most objects. */
type Done = Map<string, Set<Declaration>>;

function judgeBy(rule: PolicyRule, project: JudgedProject, collector: Collector, done: Done): void {
  const { rule: name, severity, options, only = ["*"] } = rule;
  const except = rule.except.map(({ address }) => address);
  const key = JSON.stringify([name, severity, options, only, except]);
  const judged = done.get(key) ?? new Set();
  done.set(key, judged);
  // The manifest's form has checked that the options match the rule.
  const judge = rules[name] as Rule<never>;
  for (const declaration of project.declarations) {
    if (judged.has(declaration) || !holdsFor(rule, declaration)) continue;
    judged.add(declaration);
    for (const found of judge(declaration, options as never).slice(0, maxPerObject))
      report(rule, declaration, found, project, collector);
  }
}

function report(
  { rule, severity }: PolicyRule,
  declaration: Declaration,
  { path, message, hint, part }: Violation,
  project: JudgedProject,
  collector: Collector,
): void {
  collector.finding(severity, {
    code: rule,
    message: `${toSubject(declaration, path)} ${message}`,
    at: project.rangeOf(declaration, path, part),
    hint,
    policy: { address: declaration.address, field: pathText(path) || undefined },
  });
}

/**
 * Loads the desired state from the files of a project, including TypeScript, and judges its declarations by the policies. Violations are
 * errors, so there is no manifest. Needs no network, environment variables or secrets, because secret sources are not resolved.
 */
export async function loadManifest(options: LoadOptions): Promise<LoadedManifest> {
  // Not loaded for projects in YAML.
  const { loadManifest: load } = await import("../../core/constructs/index.js");
  const { manifest, ...loaded } = await load({ judge: judgeFiles, ...options });
  return { ...loaded, ...(manifest && !hasErrors(loaded.diagnostics) ? { manifest } : {}) };
}
