import { expect, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { matchText, startProject } from "../cli/hosting.js";
import { start } from "../recovery/child.js";

/** Constructs that a definition creates after its file has run must not count as removed. */

function formatDefinitions(statements: string): string {
  return `import { Context, Project } from "avatarops";
import { readFile } from "node:fs/promises";
const project = new Project({ service: { profile: "liveavatar" }, onRemoval: { contexts: "delete" } });
const add = (name: string) => new Context(project, name, { name, prompt: "Hi" });
add("desk");
${statements}
export default project;
`;
}

const later = "await new Promise((resolve) => setTimeout(resolve, 1)); add(name);";

/** Applies two contexts, then changes the statements that create the second one. */
async function startApplied(statements: string) {
  const project = await startProject({
    files: { "avatarops.config.ts": formatDefinitions(`await (async (name) => { ${later} })("late");`) },
    world: createEmptyDataset(),
    emulator: { profile: "liveavatar" },
  });
  await project.expectApplied();
  expect(project.emulator.world.contexts).toHaveLength(2);
  await project.write("avatarops.config.ts", formatDefinitions(statements));
  const environment = { AVATAROPS_BASE_URL: project.emulator.url, AVATAROPS_API_KEY: "test-key" };
  return { project, run: (...argv: string[]) => start(project.folder, argv, environment).ended };
}

test.each([
  ["creates a construct", `["late"].map(async (name) => { ${later} });`, "contexts.late was created after"],
  ["rejects", 'readFile("nowhere.md").then(() => add("late"));', "ENOENT"],
])("refuses a plan and an apply if unawaited code %s", async (_name, statements, cause) => {
  const { project, run } = await startApplied(statements);
  for (const argv of [
    ["plan", "--out", "saved.plan"],
    ["apply", "--auto-approve"],
  ]) {
    const ran = await run(...argv);
    expect(ran, ran.stderr).toMatchObject({ exit: 1, stdout: "" });
    expect(ran.stderr).toContain(cause);
    expect(ran.stderr).toEqual(matchText("the project may lack objects. Add the missing `await`"));
  }
  expect(project.has("saved.plan")).toBe(false);
  expect(project.emulator.world.contexts).toHaveLength(2);
});
