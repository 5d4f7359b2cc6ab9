import fc from "fast-check";
import { expect, test } from "vitest";
import type { PlanDocument } from "../../src/output/documents/index.js";
import { startAndApply, startProject } from "../cli/hosting.js";
import { scaleRuns } from "../real/long.js";
import { createProjectFiles } from "./judging.js";

const rule =
  "forbidden-phrases: { phrases: [cheap], severity: warning }\nprompt-length: { min: 40, severity: warning }";

test("fails plan, apply and validate on a violation, but not drift, pull or state list", async () => {
  const project = await startAndApply({ files: createProjectFiles("", "prompt: It is kind.") });
  const sent = project.emulator.requests.length;
  const broken = createProjectFiles(rule.replaceAll("warning", "error"), "prompt: It is cheap.");
  await project.write("avatarops.yaml", broken["avatarops.yaml"] ?? "");
  for (const [command, exit] of [
    ["plan", 1],
    ["apply", 7],
    ["validate", 1],
  ] as const)
    expect(await project.avatarops(command)).toMatchObject({ exit });
  for (const command of [["drift"], ["pull", "--dry-run"], ["state", "list"]])
    expect(await project.avatarops(...command)).toMatchObject({ exit: 0 });
  expect(project.emulator.requests.slice(sent).filter(({ method }) => method !== "GET")).toEqual([]);
});

test("prints each policy warning once in plan and in apply", async () => {
  const project = await startProject({ files: createProjectFiles(rule, "prompt: It is cheap.") });
  const planned = await project.avatarops("plan");
  const applied = await project.avatarops("apply", "--auto-approve");
  for (const { stdout, stderr } of [planned, applied])
    for (const name of ["forbidden-phrases", "prompt-length"])
      expect(`${stdout}${stderr}`.split(`warning[${name}]`)).toHaveLength(2);
  expect(planned.stdout).toContain("warning[prompt-length]");
});

test("produces the same plan if the built-in policy rules are off", async () => {
  const project = await startProject();
  const planWith = async (policies: string, prompt: string) => {
    const files = createProjectFiles(policies, `prompt: ${JSON.stringify(prompt)}`);
    await project.write("avatarops.yaml", files["avatarops.yaml"] ?? "");
    const { stdout } = await project.avatarops("plan", "--format", "json");
    const { policies: _, ...plan } = JSON.parse(stdout) as PlanDocument;
    return {
      ...plan,
      changes: plan.changes.map(({ declared_at, fields, ...change }) => ({
        ...change,
        fields: fields.map(({ field, before, after }) => [field, before, after]),
      })),
    };
  };
  const text = fc.string({
    unit: fc.constantFrom("cheap", " ", "\n", "$", "{a}", "# Role", "https://x.y", "é", "😀"),
  });
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (prompt, min) => {
      const rules = `${rule.replace("40", String(min))}
placeholders: { required: [b], allowed: [], severity: warning }
required-sections: { sections: [Role], severity: warning }
allowed-link-hosts: { hosts: [a.b], severity: warning }
name-patterns: { names: [x], severity: warning }`;
      expect(await planWith(rules, prompt)).toEqual(await planWith("", prompt));
    }),
    { numRuns: scaleRuns(15) },
  );
});
