// @module-tag ci
/** Tests a fork's attempts to change the policies that apply to it. */
import { expect, test } from "vitest";
import type { DiagnosticsDocument, PlanDocument } from "../../src/output/documents/index.js";
import { expectSuccess, matchText } from "../cli/hosting.js";
import { base, type Fork, manifest, startFork } from "./fork.js";

const rules = "policies:\n  forbidden-phrases: { phrases: [cheap] }\n";
const withRules = { ...base, "avatarops.yaml": rules + manifest };

async function listFindings(fork: Fork): Promise<string[]> {
  const { stdout } = await fork.avatarops("validate", "--untrusted", "--base", "main", "--format", "json");
  const { diagnostics, policies = [] } = JSON.parse(stdout) as DiagnosticsDocument;
  expect(fork.writes()).toEqual([]);
  return [...diagnostics, ...policies].map(({ severity, code }) => `${severity} ${code}`);
}

test("rejects a fork that weakens policies or adds exceptions", async () => {
  const fork = await startFork(withRules);
  await fork.propose({ "prompts/desk.md": "It is cheap.\n" });
  expect(await listFindings(fork)).toEqual(["error forbidden-phrases"]);
  const refused = await fork.plan();
  expect(refused).toMatchObject({ exit: 1 });
  for (const weaker of [
    "",
    rules.replace("[cheap]", "[dear]"),
    rules.replace(" }", ", severity: warning }"),
    rules.replace(" }", ", except: [{ address: context.desk, reason: mine }] }"),
  ]) {
    await fork.propose({ "avatarops.yaml": weaker + manifest });
    expect(await listFindings(fork)).toContain("error untrusted-setting");
  }
});

test("runs no policy function for a fork and reports the skipped check", async () => {
  const ran = "ran.txt";
  const code = `import { writeFileSync } from "node:fs";\nwriteFileSync("${ran}", "");\nexport default () => [];\n`;
  const functions = "policies:\n  functions: [rule.ts]\n";
  const fork = await startFork();
  await fork.propose({ "rule.ts": code, "avatarops.yaml": functions + manifest });
  expect(await listFindings(fork)).toContain("error untrusted-code");
  const known = await startFork({
    ...base,
    "avatarops.yaml": `${functions}${rules.replace("policies:\n", "")}${manifest}`,
    "rule.ts": "export default () => [];\n",
  });
  await known.propose({ "rule.ts": code, "prompts/desk.md": "You answer kindly.\n" });
  expect(await listFindings(known)).toEqual([]);
  const planned = await expectSuccess(known.plan("--format", "json"));
  const { policies } = JSON.parse(planned.stdout) as PlanDocument;
  expect(policies).toMatchObject([
    {
      ...{ severity: "warning", code: "policy-function", location: { file: "avatarops.yaml", line: 2 } },
      message: "rule.ts was not run, because avatarops does not run code from an untrusted change",
    },
  ]);
  const review = await known.avatarops("review", "--untrusted", "--base", "main", "--dry-run");
  expect(review, review.stderr).toMatchObject({
    exit: 0,
    stdout: matchText("was not run, because avatarops does not run code"),
  });
  await known.propose({ "prompts/desk.md": "It is cheap.\n" });
  expect(await known.plan()).toMatchObject({ exit: 1, stderr: matchText("error[forbidden-phrases]") });
  expect(fork.has(ran) || known.has(ran)).toBe(false);
});
