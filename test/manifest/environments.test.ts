import { expect, test } from "vitest";
import { startProject } from "../cli/hosting.js";

const contexts = "contexts: { desk: { name: Desk, prompt: Hi } }\n";
const wrong: readonly (readonly [written: string, code: string, says: string])[] = [
  ["{ staging: {}, production: { needs: [stagign] } }", "unknown-environment", 'did you mean "staging"'],
  [
    "{ a: { needs: [b] }, b: { needs: [c] }, c: { needs: [a] } }",
    "needs-cycle",
    "environments.a needs itself",
  ],
  ["{ a: { needs: [a] } }", "needs-cycle", "environments.a needs itself"],
  ["{ a: {}, b: { needs: a } }", "wrong-type", "must be a list of environments"],
  ["{ a: {}, b: { needs: [[a]] } }", "wrong-type", "must be a list of environments"],
  ["{ a: {}, b: { needs: [!env A] } }", "wrong-type", "must be a list of environments"],
];

test.each(wrong)("environments: %s is refused at load with %s", async (written, code, says) => {
  const { avatarops } = await startProject({
    files: { "avatarops.yaml": `${contexts}environments: ${written}\n` },
  });
  const { exit, stdout } = await avatarops("validate", "--format", "json");
  const { diagnostics } = JSON.parse(stdout);
  expect(exit).toBe(1);
  expect(diagnostics.map((one: { code: string }) => one.code)).toContain(code);
  expect(JSON.stringify(diagnostics)).toContain(JSON.stringify(says).slice(1, -1));
});

test("needs that end somewhere are no cycle", async () => {
  const environments = "{ dev: {}, staging: { needs: [dev] }, production: { needs: [dev, staging] } }";
  const { avatarops } = await startProject({
    files: { "avatarops.yaml": `${contexts}environments: ${environments}\n` },
  });
  expect(await avatarops("validate")).toMatchObject({ exit: 0 });
});

test("TypeScript says the same", async () => {
  const { avatarops } = await startProject({
    files: {
      "avatarops.config.ts": `import { Context, Project } from "avatarops";
const project = new Project({ environments: { staging: {}, production: { needs: ["stagign"] } } });
new Context(project, "desk", { name: "Desk", prompt: "Be kind." });
export default project;
`,
    },
  });
  const { exit, stdout } = await avatarops("validate", "--format", "json");
  expect(exit).toBe(1);
  expect(JSON.parse(stdout).diagnostics).toMatchObject([{ code: "unknown-environment" }]);
});
