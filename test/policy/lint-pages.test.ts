// @module-tag night
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { passagesOf } from "../../scripts/docs/passages.js";
import { defaultRules, isOfPlan } from "../../src/core/manifest/index.js";
import { plannedAfter, validated } from "./judging.js";

/* docs/lint.md has each rule that holds by default, with examples that are judged here as they stand. */

const defaults = defaultRules.map(({ name }) => name);
const page = "docs/lint.md";
const text = readFileSync(page, "utf8");
const [settings = ""] = passagesOf(page, "yaml");
const [bad = "", good = ""] = passagesOf(page, "yaml", "Examples");
const [, account = ""] = /`grown-prompt` was `(.*?)` in the account/.exec(text) ?? [];

const before = { contexts: { "grown-prompt": { name: "Grown", prompt: account } } };
const planned = (yaml: string) =>
  plannedAfter({ "avatarops.yaml": JSON.stringify(before) }, { "avatarops.yaml": yaml });

/** The context in which a line of the examples is; 1-based. */
function contextAt(yaml: string, line: number): string | undefined {
  const above = yaml.split("\n").slice(0, line);
  return above.flatMap((one) => /^ {2}([\w-]+):/.exec(one)?.[1] ?? []).at(-1);
}

test("the page has each rule that holds by default, and no other", () => {
  const rows = Array.from(text.matchAll(/^\| `([\w-]+)` \| .+ \| .+ \|$/gm), ([, name]) => name);
  expect(rows.sort()).toEqual([...defaults].sort());
});

test("each bad example is reported by the rule that it is named after, and by no other", async () => {
  // An error in the files comes before the rules for plans.
  const warned = bad.replace("policies:\n", "policies:\n  merge-conflict: { severity: warning }\n");
  const ofPlan = (line: string) => defaults.some((name) => isOfPlan(name) && line.includes(` ${name} at `));
  const found = [
    ...(await validated({ "avatarops.yaml": bad })).map((line) => [bad, line] as const),
    ...(await planned(warned)).filter(ofPlan).map((line) => [warned, line] as const),
  ].map(([yaml, line]) => {
    const [, severity, rule, at] = /^(\w+) ([\w-]+) at avatarops\.yaml:(\d+):/.exec(line) ?? [];
    expect([line, contextAt(yaml, Number(at))]).toEqual([line, rule]);
    expect(severity).toBe(rule === "merge-conflict" ? "error" : "warning");
    return rule;
  });
  expect([...new Set(found)].sort()).toEqual([...defaults].sort());
});

test("no good example is reported", async () => {
  expect(await planned(good)).toEqual([]);
});

describe.each(defaults)("the settings of the page, about %s", (rule) => {
  const changed = async (change: object) => {
    const { policies, ...rest } = parse(bad);
    const others = { ...policies, "merge-conflict": { severity: "warning" } };
    const own = { ...policies[rule], ...change };
    const findings = await planned(JSON.stringify({ ...rest, policies: { ...others, [rule]: own } }));
    return findings.filter((line) => line.split(" ")[1] === rule).map((line) => line.split(" ")[0]);
  };
  const written = parse(settings).policies["long-prompt"];

  test("give it another severity, except an object, and switch it off", async () => {
    const severity = written.severity;
    expect(new Set(await changed({ severity }))).toEqual(new Set([severity]));
    const [{ reason }] = written.except;
    expect(await changed({ except: [{ address: `context.${rule}`, reason }] })).toEqual([]);
    expect(await changed({ severity: "off" })).toEqual([]);
  });
});
