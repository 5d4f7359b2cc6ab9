/** Checks that a saved plan is applied exactly or not at all. A plan is stale once any of its inputs has changed. */
import { describe, expect, it } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { comparedWithoutGit, matchText, type Project, startAndApply, startProject } from "../cli/hosting.js";
import { applySuccessfully, listContextNames, listWrites, runUnwrapped, summarizePlan } from "./commands.js";

const formatManifest = (desk: string, shop = "Be brief.") =>
  `contexts:\n  desk: { name: Desk, prompt: ${desk} }\n  shop: { name: Shop, prompt: ${shop} }\n`;

/** Applies a project, edits the desk and saves the plan. */
async function startSaved(): Promise<Project> {
  const project = await startAndApply({ files: { "avatarops.yaml": formatManifest("First.") } });
  await project.write("avatarops.yaml", formatManifest("Second."));
  expect(await runUnwrapped(project, "plan", "--out", "plan.json")).toMatchObject({ exit: 0 });
  return project;
}

/** Applies the saved plan and expects an error without a write. */
async function expectRejection(project: Project): Promise<{ exit: number; stderr: string }> {
  const before = listWrites(project);
  const state = await project.read(".avatarops/state.json");
  const { exit, stdout, stderr } = await runUnwrapped(project, "apply", "plan.json");
  expect(stdout).toBe("");
  expect(listWrites(project)).toEqual(before);
  expect(await project.read(".avatarops/state.json")).toBe(state);
  return { exit, stderr };
}

const createStaleResult = (moved: string) => ({
  exit: 5,
  stderr: `${comparedWithoutGit}error[stale-plan] The plan is stale. ${moved} Make a new plan: \`avatarops plan\`.\n`,
});

describe("saved plan", () => {
  it("is rejected before any request if its folder does not exist", async () => {
    const project = await startProject({ files: { "avatarops.yaml": formatManifest("First.") } });
    const ran = await runUnwrapped(project, "plan", "--out", "plans/plan.json");
    expect(ran).toMatchObject({ exit: 1, stderr: expect.stringContaining("The folder plans") });
    expect(project.emulator.requests).toEqual([]);
  });

  it("is applied exactly once, and a second run reports that it was applied", async () => {
    const project = await startSaved();
    expect(await runUnwrapped(project, "apply", "plan.json")).toMatchObject({ exit: 0 });
    expect(project.emulator.world.contexts.map(({ prompt }) => prompt).sort()).toEqual([
      "Be brief.",
      "Second.",
    ]);
    await project.expectNothingToDo();
    const { digest } = JSON.parse(await project.read("plan.json")).plan;
    const before = listWrites(project);
    for (const again of [["plan.json"], ["--digest", digest]])
      expect(await runUnwrapped(project, "apply", ...again)).toMatchObject({
        ...{ exit: 0, stdout: expect.stringContaining("Nothing to do: 2 unchanged.") },
        stderr: expect.stringContaining("Already applied."),
      });
    expect(listWrites(project)).toEqual(before);
    await project.write("avatarops.yaml", `# Later.\n${formatManifest("Second.")}`);
    expect(await expectRejection(project)).toEqual(createStaleResult(otherFiles));
  });

  it("is recognized as already applied if its secret values are available and unchanged", async () => {
    const secret =
      "secrets: { llm: { secret_name: x, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM } }\n";
    const project = await startAndApply({ files: { "avatarops.yaml": formatManifest("First.") } });
    await project.write("avatarops.yaml", `${formatManifest("First.").replace(/ {2}shop.*\n/, "")}${secret}`);
    const run = (LLM: string, ...argv: string[]) => project.avataropsWith({ environment: { LLM } }, ...argv);
    expect(await run("one", "plan", "--out", "plan.json")).toMatchObject({ exit: 0 });
    expect(await run("one", "apply", "plan.json")).toMatchObject({ exit: 0 });
    expect(await run("one", "apply", "plan.json")).toMatchObject({ exit: 0 });
    expect(await run("", "apply", "plan.json")).toMatchObject({ exit: 5 });
    expect(await run("two", "apply", "plan.json")).toMatchObject({ exit: 5 });
  });

  it("is applied without a write if it contains no changes", async () => {
    const project = await startAndApply({ files: { "avatarops.yaml": formatManifest("First.") } });
    await runUnwrapped(project, "plan", "--out", "plan.json");
    const before = listWrites(project);
    expect(await runUnwrapped(project, "apply", "plan.json")).toMatchObject({ exit: 0 });
    expect(listWrites(project)).toEqual(before);
  });
});

const otherFiles = "The files have changed since it was made: avatarops.yaml (changed).";

describe("saved plan after a change", () => {
  it.each<[what: string, move: (project: Project) => Promise<void> | void, moved: string]>([
    [
      "the files were edited",
      (project) => project.write("avatarops.yaml", formatManifest("Third.")),
      `context.desk was changed in the files. ${otherFiles}`,
    ],
    [
      "the files contain an additional change",
      (project) => project.write("avatarops.yaml", formatManifest("Second.", "Third.")),
      `context.shop was planned as keep, but is now update. ${otherFiles}`,
    ],
    [
      "the object was deleted in the dashboard",
      ({ emulator }) => void emulator.removeContext("Desk"),
      "context.desk was planned as update, but is now create.",
    ],
  ])("is stale if %s", async (_, move, moved) => {
    const project = await startSaved();
    await move(project);
    expect(await expectRejection(project)).toEqual(createStaleResult(moved));
  });

  it("is stale if it was partly applied", async () => {
    const project = await startProject({ files: { "avatarops.yaml": formatManifest("First.") } });
    await runUnwrapped(project, "plan", "--out", "plan.json");
    project.emulator.addFault({
      match: { method: "POST", body: "Desk" },
      do: { kind: "status", status: 400 },
    });
    expect(await runUnwrapped(project, "apply", "plan.json")).toMatchObject({ exit: 3 });
    expect(listContextNames(project)).toEqual(["Shop"]);
    const { exit, stderr } = await expectRejection(project);
    expect(exit).toBe(5);
    expect(stderr).toContain("context.shop");
    await applySuccessfully(project);
    expect(listContextNames(project)).toEqual(["Desk", "Shop"]);
    await project.expectNothingToDo();
  });

  it("is stale if the state belongs to another project", async () => {
    const project = await startSaved();
    const state = JSON.parse(await project.read(".avatarops/state.json"));
    await project.write(".avatarops/state.json", JSON.stringify({ ...state, lineage: "another-lineage" }));
    const { exit, stderr } = await expectRejection(project);
    expect(exit).toBe(5);
    expect(stderr).toContain("It was made with another project's state.");
  });

  it("is stale if it was made for another account", async () => {
    const project = await startSaved();
    const other = await startProject({ world: generateDataset({}) });
    await project.write(
      "avatarops.yaml",
      `${formatManifest("Second.")}environments:\n  staging: { service: { base_url: "${other.emulator.url}" }, state: staging.json }\n`,
    );
    const { exit, stdout, stderr } = await runUnwrapped(project, "apply", "plan.json", "--env", "staging");
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
    expect(stderr).toContain(`It was made for ${project.emulator.url}, but this is ${other.emulator.url}.`);
    expect(listWrites(other)).toEqual([]);
  });

  it("is stale if --env names another environment with the same account", async () => {
    const project = await startSaved();
    const environments = "environments:\n  staging: { state: s.json }\n  production: { state: p.json }\n";
    await project.write("avatarops.yaml", `${formatManifest("Second.")}${environments}`);
    await runUnwrapped(project, "plan", "--env", "staging", "--out", "plan.json");
    const { exit, stderr } = await runUnwrapped(project, "apply", "plan.json", "--env", "production");
    expect(exit).toBe(5);
    expect(stderr).toContain(
      "It was made for the environment staging, but this run is for the environment production.",
    );
    // Lists no changed objects, because the two environments have different states.
    expect(stderr).not.toContain("context.");
  });

  it("is applied to its own environment even without the recommended --env", async () => {
    const project = await startProject();
    await project.write(
      "avatarops.yaml",
      `${formatManifest("First.")}environments:\n  staging: { state: staging.json }\n`,
    );
    await project.write("staging.env", "NAME=Desk\n");
    const access = ["--base-url", project.emulator.url, "--dotenv", "staging.env"];
    const planned = await project.avatarops("plan", "--env", "staging", "--out", "plan.json", ...access);
    const command = `avatarops apply plan.json ${access.join(" ")} --env staging`;
    expect(planned.stderr).toEqual(matchText(`\`${command}\``));
    const applied = await project.avatarops("apply", "plan.json", ...access);
    expect(applied).toMatchObject({ exit: 0, stdout: matchText("2 applied") });
    expect(project.has("staging.json")).toBe(true);
  });
});

describe("apply of a saved plan", () => {
  // For other invalid plans, see test/documents/plan-file.test.ts.
  it("is rejected if the plan was edited", async () => {
    const project = await startSaved();
    await project.write("plan.json", (await project.read("plan.json")).replace("Second.", "Third."));
    expect(await expectRejection(project)).toEqual({
      exit: 1,
      stderr: "error[edited] The saved plan was edited or truncated. Copy the whole file, or plan again.\n",
    });
    expect(await summarizePlan(project)).toMatchObject({ changes: ["update context.desk configured"] });
  });

  it.each([
    [
      ["other.json"],
      "error[plan-file] Cannot read the plan other.json (ENOENT). Write one with `avatarops plan --out other.json`.\n",
    ],
    [["plan.json", "--target", "context.desk"], "A saved plan is applied unchanged"],
  ])("is rejected with the arguments %j", async (argv, says) => {
    const ran = await runUnwrapped(await startSaved(), "apply", ...argv);
    expect(ran).toMatchObject({ exit: 1, stderr: expect.stringContaining(says) });
  });
});
