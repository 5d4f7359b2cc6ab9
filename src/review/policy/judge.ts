import { type Diagnostic, hasErrors } from "../../base/diagnostics/index.js";
import { MissingPackageError } from "../../base/optional-packages/index.js";
import type { Change } from "../../core/engine/index.js";
import {
  createCollector,
  type Declaration,
  isOfPlan,
  type Judge,
  type JudgedProject,
  type LoadedManifest,
  type LoadOptions,
  matchesWildcard,
  type PolicyException,
  type PolicyRule,
  toDiagnostics,
} from "../../core/manifest/index.js";
import { type DeclaredObjects, pathText, type Rule, toSubject, type Violation } from "./rule.js";
import { rules } from "./rules/index.js";

/** The most that one rule says of one object: nobody reads more. */
const maxPerObject = 20;

/** Judges what the files declare, in every environment. */
export const judgeFiles: Judge = async (projects, { collector }) => {
  const judging: Judging = { collector, used: new Set(), done: new Map() };
  const judged: Judged[] = [];
  for (const project of projects) {
    const { policies, declarations } = project;
    judged.push({ policies, declarations });
    for (const rule of policies.rules.filter(({ rule }) => !isOfPlan(rule))) {
      try {
        await judgeBy(rule, project, judging);
      } catch (error) {
        if (!(error instanceof MissingPackageError)) throw error;
        collector.error(error.code, error.message, rule.range, "install it, or set severity: off");
      }
    }
  }
  // Where objects could not be read, what seems unused may be needed.
  if (!collector.isIncomplete) warnOfUnused(judged, judging);
};

/** Judges the changes of a plan by the rules that are about them. */
export async function judgeChanges(
  project: JudgedProject,
  changes: readonly Change[],
): Promise<readonly Diagnostic[]> {
  const collector = createCollector();
  const judging: Judging = { collector, used: new Set(), done: new Map() };
  const judged = { ...project, changes: new Map(changes.map((change) => [change.address, change])) };
  for (const rule of project.policies.rules.filter(({ rule }) => isOfPlan(rule)))
    await judgeBy(rule, judged, judging);
  return toDiagnostics(collector);
}

interface Judging {
  readonly collector: Parameters<Judge>[1]["collector"];
  /** The exceptions that something was found for. */
  readonly used: Set<string>;
  /** Environments have most objects in common: what was judged by each rule, with these options. */
  readonly done: Map<string, Set<Declaration>>;
}

/** What is kept of a project that was judged: not its tree of nodes, which is large. */
type Judged = Pick<JudgedProject, "policies" | "declarations">;

async function judgeBy(
  rule: PolicyRule,
  project: JudgedProject & DeclaredObjects,
  judging: Judging,
): Promise<void> {
  const { only, except } = rule;
  // Each rule gets its own options: the form of the manifest has checked them.
  const judge = rules[rule.rule] as Rule<never>;
  const { severity, options } = rule;
  const ranges = except.map((exception) => placeKey(exception));
  const done = doneBy(JSON.stringify([rule.rule, options, severity, only, ranges]), judging);
  for (const declaration of project.declarations) {
    const { address } = declaration;
    if (done.has(declaration) || (only && !only.some((pattern) => matchesWildcard(address, pattern))))
      continue;
    done.add(declaration);
    const exception = except.find((candidate) => matchesWildcard(address, candidate.address));
    let count = 0;
    for (const found of await judge(declaration, rule.options as never, project)) {
      if (++count > maxPerObject) break;
      if (exception) judging.used.add(placeKey(exception));
      else report(rule, declaration, found, project, judging);
    }
  }
}

function doneBy(key: string, { done }: Judging): Set<Declaration> {
  const known = done.get(key) ?? new Set();
  done.set(key, known);
  return known;
}

function report(
  { rule, severity }: PolicyRule,
  declaration: Declaration,
  { path, message, hint, part }: Violation,
  project: JudgedProject,
  { collector }: Judging,
): void {
  const field = pathText(path);
  collector.finding(severity, {
    code: rule,
    message: `${toSubject(declaration, path)} ${message}`,
    at: project.rangeOf(declaration, path, part),
    hint,
    policy: { address: declaration.address, ...(field === "" ? {} : { field }) },
  });
}

function warnOfUnused(projects: readonly Judged[], { collector, used }: Judging): void {
  for (const { policies, declarations } of projects) {
    // Once a plan is applied, its findings are gone: that is no reason to remove their exceptions.
    for (const { rule, except } of policies.rules.filter(({ rule }) => !isOfPlan(rule))) {
      for (const exception of except) {
        if (used.has(placeKey(exception))) continue;
        const isAny = declarations.some(({ address }) => matchesWildcard(address, exception.address));
        const message = isAny
          ? `${rule} finds nothing in ${exception.address}, which is excepted from it`
          : `no object has the address ${exception.address}, which is excepted from ${rule}`;
        collector.warning("unused-exception", message, exception.range, "remove the exception");
      }
    }
  }
}

function placeKey({ range }: PolicyException): string {
  return JSON.stringify([range.source.file, range.start]);
}

/**
 * Reads the desired state from the files of a project, runs its TypeScript files, and judges what they declare by the rules
 * of its policies: what breaks one is an error as any other, and there is no manifest. Needs no network, no environment
 * variable and no secret: sources are recorded, not resolved.
 */
export async function loadManifest(options: LoadOptions): Promise<LoadedManifest> {
  // The command judges projects in YAML without it.
  const { loadManifest: load } = await import("../../core/constructs/index.js");
  const { manifest, ...loaded } = await load({ judge: judgeFiles, ...options });
  return { ...loaded, ...(manifest && !hasErrors(loaded.diagnostics) ? { manifest } : {}) };
}
