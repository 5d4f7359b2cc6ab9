import { type Diagnostic, hasErrors } from "../../base/diagnostics/index.js";
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
  type PolicyRule,
  toDiagnostics,
} from "../../core/manifest/index.js";
import { type DeclaredObjects, pathText, type Rule, toSubject, type Violation } from "./rule.js";
import { rules } from "./rules/index.js";

/** The most that one rule says of one object: nobody reads more. */
const maxPerObject = 20;

/** Judges what the files declare, in every environment. */
export const judgeFiles: Judge = async (projects, { collector }) => {
  const judging: Judging = { collector, done: new Map() };
  for (const project of projects)
    for (const rule of project.policies.rules.filter(({ rule }) => !isOfPlan(rule)))
      judgeBy(rule, project, judging);
};

/** Judges the changes of a plan by the rules that are about them. */
export function judgeChanges(project: JudgedProject, changes: readonly Change[]): readonly Diagnostic[] {
  const collector = createCollector();
  const judging: Judging = { collector, done: new Map() };
  const judged = { ...project, changes: new Map(changes.map((change) => [change.address, change])) };
  for (const rule of project.policies.rules.filter(({ rule }) => isOfPlan(rule)))
    judgeBy(rule, judged, judging);
  return toDiagnostics(collector);
}

interface Judging {
  readonly collector: Parameters<Judge>[1]["collector"];
  /** Environments have most objects in common: what was judged by each rule, with these options. */
  readonly done: Map<string, Set<Declaration>>;
}

function judgeBy(rule: PolicyRule, project: JudgedProject & DeclaredObjects, judging: Judging): void {
  const { only, except } = rule;
  // Each rule gets its own options: the form of the manifest has checked them.
  const judge = rules[rule.rule] as Rule<never>;
  const { severity, options } = rule;
  const ranges = except.map(({ range }) => [range.source.file, range.start]);
  const done = doneBy(JSON.stringify([rule.rule, options, severity, only, ranges]), judging);
  for (const declaration of project.declarations) {
    const { address } = declaration;
    if (done.has(declaration) || (only && !only.some((pattern) => matchesWildcard(address, pattern))))
      continue;
    done.add(declaration);
    if (except.some((exception) => matchesWildcard(address, exception.address))) continue;
    let count = 0;
    for (const found of judge(declaration, rule.options as never, project)) {
      if (++count > maxPerObject) break;
      report(rule, declaration, found, project, judging);
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
