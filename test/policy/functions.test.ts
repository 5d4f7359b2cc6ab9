import { expect, test } from "vitest";
import type { DiagnosticsDocument, ErrorDocument, PlanDocument } from "../../src/output/documents/index.js";
import { matchText, type Project, startProject } from "../cli/hosting.js";

const noNewContexts = `import type { Policy } from "avatarops";

const policy: Policy = ({ changes, declarations }) =>
  changes
    .filter(({ action }) => action === "create")
    .map(({ address }) => ({
      address,
      field: "name",
      message: \`\${address} is new, one of \${declarations.length}\`,
      hint: "ask the content team",
    }));
export default policy;
`;

async function startWith(code: string, file = "policies/no-new-contexts.ts"): Promise<Project> {
  return startProject({
    files: {
      "avatarops.yaml": `policies: { functions: [${file}] }\ncontexts: { a: { name: A, prompt: Hi } }\n`,
      [file]: code,
    },
  });
}

function countWrites(project: Project): number {
  return project.emulator.requests.filter(({ method }) => method !== "GET").length;
}

test("shows a policy function's findings in the plan, and rejects the apply", async () => {
  const project = await startWith(noNewContexts);
  const planned = await project.avatarops("plan");
  expect(planned).toMatchObject({
    exit: 1,
    stdout: matchText("error[no-new-contexts] context.a is new, one of 1"),
  });
  expect(planned.stdout).toContain("avatarops.yaml:2:18");
  const json = await project.json("plan", "--out", "plan.json");
  expect(json.policies).toMatchObject([
    {
      severity: "error",
      code: "no-new-contexts",
      address: "context.a",
      field: "name",
      location: { line: 2 },
    },
  ]);
  expect(project.has("plan.json")).toBe(false);
  const applied = await project.avatarops("apply", "--auto-approve", "--format", "json");
  const error = JSON.parse(applied.stdout) as ErrorDocument;
  expect({ ...applied, ...error }).toMatchObject({
    exit: 7,
    code: "policy",
    policies: [{ code: "no-new-contexts" }],
  });
  expect(countWrites(project)).toBe(0);
});

test("rechecks a saved plan with the policy function on apply", async () => {
  const project = await startWith("export default () => [];\n");
  const { stdout } = await project.avatarops("plan", "--out", "plan.json", "--format", "json");
  const { digest } = JSON.parse(stdout) as PlanDocument;
  await project.write("policies/no-new-contexts.ts", noNewContexts);
  expect((await project.avatarops("apply", "plan.json")).exit).not.toBe(0);
  const byDigest = await project.avatarops("apply", "--digest", digest);
  expect(byDigest).toMatchObject({ exit: 7, stderr: matchText("the plan violates policies") });
  expect(countWrites(project)).toBe(0);
});

test("checks the prompts that a rollback restores instead of the prompts in the files", async () => {
  const project = await startWith(
    `export default ({ declarations }) => declarations
      .filter(({ fields }) => fields.prompt === "Bad")
      .map(({ address }) => ({ message: "is bad", address }));\n`,
  );
  const manifest = await project.read("avatarops.yaml");
  const context = (prompt: string) => manifest.replace(/^policies.*\n/, "").replace("Hi", prompt);
  for (const prompt of ["Good", "Bad"]) {
    await project.write("avatarops.yaml", context(prompt));
    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  }
  await project.write("avatarops.yaml", manifest.replace("Hi", "Bad"));
  await project.expectDone("rollback", "--to", "1", "--auto-approve");
  expect(project.emulator.world.contexts).toMatchObject([{ prompt: "Good" }]);
  await project.write("avatarops.yaml", manifest.replace("Hi", "Good"));
  await project.expectRefused(
    ["rollback", "--to", "2", "--auto-approve"],
    "error[no-new-contexts] context.a: is bad",
    7,
  );
  expect(project.emulator.world.contexts).toMatchObject([{ prompt: "Good" }]);
});

test("shows a policy function's warning, and applies the plan", async () => {
  const project = await startWith(
    'export default async () => [{ message: "It is Friday.", severity: "warning" }];\n',
  );
  const planned = await project.avatarops("plan");
  expect(planned).toMatchObject({ exit: 0, stdout: matchText("warning[no-new-contexts] It is Friday.") });
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
});

const broken = [
  ["throws", 'export default () => { throw new Error("Oh"); };', "failed: Error: Oh"],
  ["is not a function", "export default 1;", "has no function as its default export"],
  ["returns something else", 'export default () => "no";', "did not return a list of"],
  ["returns a finding without a message", "export default () => [{ text: 1 }];", "(0.message"],
  ["never returns", "export default () => { for (;;); };", "did not return within 1.5 s"],
  [
    "awaits a promise that never settles",
    "export default () => new Promise(() => {});",
    "ended without returning",
  ],
  ["ends the process", "export default () => process.exit(0);", "ended without returning"],
  ["cannot be compiled", "export default (", "failed: "],
] as const;
test.each(broken)("names the policy function's file if the function %s", async (what, code, message) => {
  const project = await startWith(code);
  const waits = { backoffMs: 1, settleMs: 0, tickMs: 0 };
  const planned = await project.avataropsWith(
    // Shortens the time limit only for the function that never returns, so that the others do not time out on a slow
    // machine.
    { waits: what === "never returns" ? { ...waits, policyMs: 1500 } : waits },
    ...["plan", "--format", "json"],
  );
  const { policies = [] } = JSON.parse(planned.stdout) as PlanDocument;
  expect(planned.exit).toBe(1);
  expect(policies).toMatchObject([
    { code: "policy-function", location: { file: "avatarops.yaml", line: 1, column: 25 } },
  ]);
  expect(policies[0]?.message).toContain(
    `policies/no-new-contexts.ts ${message.startsWith("(") ? "" : message}`,
  );
  expect(policies[0]?.message).toContain(message);
});

test("prints a policy function's output to stderr, and ignores its changes to the plan", async () => {
  const project = await startWith(`export default (plan) => {
    console.log("judging");
    plan.changes.length = 0;
    return [];
  };\n`);
  const planned = await project.avatarops("plan", "--format", "json");
  expect((JSON.parse(planned.stdout) as PlanDocument).changes).toHaveLength(1);
  expect(planned.stderr).toContain("judging");
});

test("rejects a policy function whose file is missing, outside the project or unsupported", async () => {
  const validateManifest = async (manifest: string) => {
    const project = await startProject({ files: { "avatarops.yaml": manifest } });
    const { stdout } = await project.avatarops("validate", "--format", "json");
    return (JSON.parse(stdout) as DiagnosticsDocument).diagnostics.map(({ code, location }) => [
      code,
      location?.column,
    ]);
  };
  expect(await validateManifest("policies: { functions: [gone.ts] }\n")).toEqual([["missing-file", 25]]);
  expect(await validateManifest("policies: { functions: [../gone.ts] }\n")).toEqual([
    ["outside-project", 25],
  ]);
  expect(await validateManifest("policies: { functions: [gone.md] }\n")).toEqual([["unknown-file-type", 25]]);
  expect(await validateManifest("policies: { functions: gone.ts }\n")).toEqual([["wrong-type", 24]]);
});
