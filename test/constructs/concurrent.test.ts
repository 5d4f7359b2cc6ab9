import { describe, expect, test } from "vitest";
import { closeRuntime, createRuntime, openProject } from "../../src/index.js";
import { createProjectFolder } from "../manifest/project.js";

async function readPrompts(cwd: string, env?: string): Promise<unknown[]> {
  const created = createRuntime({ cwd, allowCode: true, environment: {}, options: { env } });
  const host = { ...created.host, loadLibrary: () => import("../../src/index.js") };
  const runtime = { ...created, host };
  try {
    const { declarations } = await openProject(runtime);
    return declarations.map(({ spec }) => spec.prompt);
  } finally {
    await closeRuntime(runtime);
  }
}

/** Creates a project whose context has the prompt that a statement computes. */
function createProject(statement: string, files: Readonly<Record<string, string>> = {}): string {
  const main = `import { Context, createRuntime, openProject, Project, text } from "avatarops";
const project = new Project({ environments: { staging: {}, production: {} } });
await new Promise((resolve) => setTimeout(resolve, 1));
const prompt = ${statement};
new Context(project, "desk", { name: "Desk", prompt });
export default project;
`;
  return createProjectFolder({ "avatarops.config.ts": main, ...files });
}

describe("openProject", () => {
  test("reads each of several TypeScript projects and environments that are opened at the same time", async () => {
    const environments = createProject('"for " + project.environment');
    const opened = await Promise.allSettled([
      readPrompts(createProjectFolder({ "avatarops.config.ts": 'throw new Error("broken");' })),
      readPrompts(environments, "staging"),
      readPrompts(environments, "production"),
      readPrompts(createProject('text("desk.md") + "!"', { "desk.md": "one" })),
      readPrompts(createProject('text("desk.md") + "!"', { "desk.md": "other" })),
    ]);
    expect(opened).toMatchObject([
      { reason: { code: "invalid-project" } },
      { value: ["for staging"] },
      { value: ["for production"] },
      { value: ["one!"] },
      { value: ["other!"] },
    ]);
  });

  test("rejects a definition that opens a TypeScript project", async () => {
    const cwd = JSON.stringify(createProject('"inner"'));
    const options = `{ cwd: ${cwd}, allowCode: true, environment: {} }`;
    const outer = createProject(`String((await openProject(createRuntime(${options}))).declarations.length)`);
    await expect(readPrompts(outer)).rejects.toThrow(
      "a definition cannot load a project with TypeScript files",
    );
    expect(await readPrompts(createProject('"next"'))).toEqual(["next"]);
  });
});
