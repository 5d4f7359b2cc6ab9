import type { SourceRange } from "../../../base/diagnostics/index.js";
import {
  type CommonOptions,
  defaultRules,
  isRule,
  type RuleName,
  ruleForm,
  ruleForms,
  ruleHint,
} from "../forms/policy-form.js";
import { type Entry, isNothing, type Node, rangeAt } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import { readTextList } from "../tree/to-plain.js";
import type { Policies, PolicyFunction, PolicyRule } from "./manifest.js";
import { readRecord } from "./values.js";

/** Reads `policies:`; reports what is wrong and leaves it out. Rules that hold by default need not be named. */
export function readPolicies(entry: Entry | undefined, reading: Reading): Policies {
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
  const others = defaultRules.filter(({ name }) => !named.has(name)).map(({ name }) => byDefault(name));
  return { rules: [...rules, ...others], functions };
}

function byDefault(rule: RuleName): PolicyRule {
  return { rule, severity: ruleForms[rule].severity, options: {}, except: [] };
}

/** Those of a project that says nothing about them. */
export const defaultPolicies: Policies = {
  rules: defaultRules.map(({ name }) => byDefault(name)),
  functions: [],
};

function readRules(entry: Entry, { collector }: Reading): Iterable<[string, Entry]> {
  if (isNothing(entry.value) || entry.value.broken) return [];
  if (entry.value.is === "map" && !entry.value.tag) return entry.value.entries;
  const hint = "write the names of rules under it, each with its options";
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
  const record = readRecord(node, range, subject, ruleForm(rule), reading);
  if (!record) return [];
  type Values = CommonOptions & Readonly<Record<string, unknown>>;
  const { severity = ruleForms[rule].severity, only, except = [], ...options } = record.values as Values;
  if (severity === "off") return [];
  const placed = except.map((exception, i) => ({
    ...exception,
    range: rangeAt(range, node, ["except", i, "address"]),
  }));
  return [{ rule, severity, options, only, except: placed, range }];
}

function readFunctions(value: Node, reading: Reading): PolicyFunction[] {
  const { collector, files } = reading;
  const hint = "write [policies/my-rule.ts]";
  return readTextList(value, "policies.functions", collector, hint).flatMap(
    ({ text, range }): PolicyFunction[] => {
      if (!/\.[cm]?[jt]s$/.test(text)) {
        const message = `${JSON.stringify(text)} is no TypeScript file`;
        collector.error("unknown-file-type", message, range, "name a file that ends with .ts");
        return [];
      }
      const file = files.resolve(text, range);
      if (file === undefined) return [];
      // Those of the base are not run either: its settings stay as they are, the code in their files need not.
      if (reading.base && !reading.base.functions.has(file)) {
        const hint = "let somebody with write access to the repository propose it";
        const message = `${file} is TypeScript, and for an untrusted change it is not run`;
        collector.error("untrusted-code", message, range, hint);
        return [];
      }
      return files.open(file, range) ? [{ file, range }] : [];
    },
  );
}

function reportUnknownRule(name: string, range: SourceRange, { collector }: Reading): void {
  collector.error("unknown-rule", `there is no rule ${JSON.stringify(name)}`, range, ruleHint(name));
}
