import { hasErrors, suggest } from "../../base/diagnostics/index.js";
import {
  type AddressPattern,
  type Declaration,
  type Judge,
  type JudgedProject,
  type LoadedManifest,
  type LoadOptions,
  matchesWildcard,
  type Policies,
  type PolicyRule,
} from "../../core/manifest/index.js";
import { formatPath, type JudgedObject, type Rule, toSubject, type Violation } from "./rule.js";
import { rules } from "./rules/index.js";

/** Returns the policy errors for an object whose values are not in the files yet. */
export function findErrors(
  { rules: policyRules }: Policies,
  object: JudgedObject,
): readonly { readonly rule: PolicyRule["rule"]; readonly message: string }[] {
  return policyRules
    .filter(({ severity }) => severity === "error")
    .flatMap((rule) =>
      appliesTo(rule, object)
        ? (rules[rule.rule] as Rule<never>)(object, rule.options as never).map(({ path, message }) => ({
            ...{ rule: rule.rule, message: `${toSubject(object, path)} ${message}` },
          }))
        : [],
    );
}

function appliesTo({ only, except }: PolicyRule, { address }: JudgedObject): boolean {
  const matchesAny = (patterns: readonly AddressPattern[]) =>
    patterns.some((pattern) => matchesWildcard(address, pattern.address));
  return (!only || matchesAny(only)) && !matchesAny(except);
}

type Collector = Parameters<Judge>[1]["collector"];

/** Maximum number of findings per rule and object. */
const maxFindings = 20;

/** Judges the declarations of every environment. */
export const judgeFiles: Judge = async (projects, { collector }) => {
  const judged: JudgedDeclarations = new Map();
  const patterns = openPatternUsage();
  for (const project of projects) {
    for (const rule of project.policies.rules) judgeByRule(rule, project, collector, judged);
    patterns.record(project);
  }
  // After an error, declarations may be missing.
  if (!collector.hasErrors && !collector.isIncomplete) patterns.warnAboutUnused(collector);
};

/**
 * Declarations already judged, by rule and options. Environments share most declarations, so this avoids repeated
 * findings.
 */
type JudgedDeclarations = Map<string, Set<Declaration>>;

function judgeByRule(
  rule: PolicyRule,
  project: JudgedProject,
  collector: Collector,
  judged: JudgedDeclarations,
): void {
  const { rule: name, severity, options } = rule;
  const [only, except] = [rule.only, rule.except].map((patterns) => patterns?.map(({ address }) => address));
  const key = JSON.stringify([name, severity, options, only, except]);
  const done = judged.get(key) ?? new Set();
  judged.set(key, done);
  // The manifest schema guarantees that the options match the rule.
  const judge = rules[name] as Rule<never>;
  for (const declaration of project.declarations) {
    if (done.has(declaration) || !appliesTo(rule, declaration)) continue;
    done.add(declaration);
    const object: JudgedObject = { ...declaration, variables: project.variables };
    const found = judge(object, options as never);
    for (const one of found.slice(0, maxFindings)) report(rule, declaration, one, project, collector);
    const more = found.length - maxFindings;
    if (more > 0) {
      const message = `violates this rule ${more} more ${more === 1 ? "time" : "times"}`;
      report(rule, declaration, { path: [], message, hint: "fix the others first" }, project, collector);
    }
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
    at: project.findRange(declaration, path, part),
    hint,
    policy: { address: declaration.address, field: formatPath(path) || undefined },
  });
}

/** Finds address patterns that match no declaration in any environment, such as misspelled ones. */
function openPatternUsage() {
  const used = new Set<string>();
  const unused = new Map<string, AddressPattern>();
  const addresses = new Set<string>();
  return {
    record({ policies, declarations }: JudgedProject): void {
      for (const { address } of declarations) addresses.add(address);
      for (const pattern of policies.rules.flatMap(({ only = [], except }) => [...only, ...except])) {
        const { source, start } = pattern.range;
        const key = JSON.stringify([source.file, start, pattern.address]);
        if (used.has(key)) continue;
        if (declarations.some(({ address }) => matchesWildcard(address, pattern.address))) used.add(key);
        else unused.set(key, pattern);
      }
    },
    warnAboutUnused(collector: Collector): void {
      if (addresses.size === 0) return;
      for (const [key, { address, range }] of unused) {
        if (used.has(key)) continue;
        const hint = suggest(address, addresses, "correct or remove it");
        collector.warning("unused-pattern", `no declaration matches ${JSON.stringify(address)}`, range, hint);
      }
    },
  };
}

/**
 * Loads the desired state from a project's files, including TypeScript, and applies the policies to its declarations.
 * Needs no network or secrets. Returns no manifest if there are errors.
 */
export async function loadManifest(options: LoadOptions): Promise<LoadedManifest> {
  // Imported on demand, because callers that only judge do not need it.
  const { loadManifest: load } = await import("../../core/constructs/index.js");
  const { manifest, ...loaded } = await load({ judge: judgeFiles, ...options });
  return { ...loaded, ...(manifest && !hasErrors(loaded.diagnostics) ? { manifest } : {}) };
}
