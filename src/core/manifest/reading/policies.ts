import type { SourceRange } from "../../../base/diagnostics/index.js";
import {
  type CommonOptions,
  createRuleForm,
  defaultRules,
  isRule,
  type RuleName,
  ruleForms,
  suggestRule,
} from "../forms/policy-form.js";
import { findRangeAt, isEmptyValue, type MapEntry, type Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import { readTextList } from "../tree/to-plain.js";
import type { Policies, PolicyFunction, PolicyRule } from "./manifest.js";
import { readRecord } from "./values.js";

/** Reads `policies:`, adds the default rules, and reports and skips invalid rules. */
export function readPolicies(entry: MapEntry | undefined, reading: Reading): Policies {
  const rules: PolicyRule[] = [];
  const functions: PolicyFunction[] = [];
  const named = new Set<string>();
  for (const [name, { range, value }] of entry ? readRules(entry, reading) : []) {
    named.add(name);
    if (name === "functions") functions.push(...readFunctions(value, reading));
    else if (isRule(name)) {
      const isList = value.is === "list" && !value.tag;
      const nodes = isList ? value.items : [value];
      for (const [i, node] of nodes.entries()) {
        const subject = `policies.${name}${isList ? `[${i}]` : ""}`;
        rules.push(...readRule(name, subject, node, isList ? node : range, reading));
      }
    } else reportUnknownRule(name, range, reading);
  }
  const others = defaultRules
    .filter(({ name }) => !named.has(name))
    .map(({ name }) => createDefaultRule(name));
  return { rules: [...rules, ...others], functions };
}

function createDefaultRule(rule: RuleName): PolicyRule {
  return { rule, severity: ruleForms[rule].severity, options: {}, except: [] };
}

/** The policies of a project without `policies:`. */
export const defaultPolicies: Policies = {
  rules: defaultRules.map(({ name }) => createDefaultRule(name)),
  functions: [],
};

function readRules(entry: MapEntry, { collector }: Reading): Iterable<[string, MapEntry]> {
  if (isEmptyValue(entry.value) || entry.value.broken) return [];
  if (entry.value.is === "map" && !entry.value.tag) return entry.value.entries;
  const hint = "write rule names under it, each with its options";
  collector.error("wrong-type", "policies must be a mapping", entry.value, hint);
  return [];
}

function readRule(
  rule: RuleName,
  subject: string,
  node: Node,
  range: SourceRange,
  reading: Reading,
): PolicyRule[] {
  const record = readRecord(node, range, subject, createRuleForm(rule), reading);
  if (!record) return [];
  type RuleValues = CommonOptions & Readonly<Record<string, unknown>>;
  const { severity = ruleForms[rule].severity, only, except = [], ...options } = record.values as RuleValues;
  if (severity === "off") return [];
  const exceptions = except.map((exception, i) => ({
    ...exception,
    range: findRangeAt(range, node, ["except", i, "address"]),
  }));
  const checked = only?.map((address, i) => ({ address, range: findRangeAt(range, node, ["only", i]) }));
  return [{ rule, severity, options, only: checked, except: exceptions, range }];
}

function readFunctions(value: Node, reading: Reading): PolicyFunction[] {
  const { collector, files } = reading;
  const hint = "write [policies/my-rule.ts]";
  return readTextList(value, "policies.functions", collector, hint).flatMap(
    ({ text, range }): PolicyFunction[] => {
      if (!/\.[cm]?[jt]s$/.test(text)) {
        const message = `${JSON.stringify(text)} is not a TypeScript file`;
        collector.error("unknown-file-type", message, range, "use the path of a .ts file");
        return [];
      }
      const file = files.resolve(text, range);
      if (file === undefined) return [];
      // Allows functions that the base also has, but does not run them, because the change may edit their code.
      if (reading.base && !reading.base.functions.has(file)) {
        const hint = "ask someone with write access to the repository to propose this change";
        const message = `${file} is TypeScript, and code from untrusted changes is not run`;
        collector.error("untrusted-code", message, range, hint);
        return [];
      }
      return files.open(file, range) ? [{ file, range }] : [];
    },
  );
}

function reportUnknownRule(name: string, range: SourceRange, { collector }: Reading): void {
  collector.error("unknown-rule", `there is no rule ${JSON.stringify(name)}`, range, suggestRule(name));
}
