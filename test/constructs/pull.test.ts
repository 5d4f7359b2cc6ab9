/** Tests `pull` of texts that other objects' definitions read. */

import { expect, test } from "vitest";
import { type Project, startProject } from "../cli/hosting.js";

const definitions = `import { Context, Project, promptFile, text } from "avatarops";
const project = new Project({ environments: { production: {} } });
new Context(project, "ta", { name: "A", prompt: promptFile("prompts/a.md") });
new Context(project, "tb", { name: "B", prompt: "Intro.\\n" + text("prompts/a.md") });
new Context(project, "tc", { name: "C", prompt: promptFile("prompts/c.md") });
if (project.environment === "production")
  new Context(project, "td", { name: "D", prompt: text("prompts/a.md").toUpperCase() });
export default project;
`;

async function start(main = definitions): Promise<Project> {
  const project = await startProject({
    files: {
      "avatarops.config.ts": main,
      "prompts/a.md": "Be kind.\n",
      "prompts/c.md": "Be calm.\n",
    },
  });
  await project.expectApplied();
  project.emulator.editContext("A", { prompt: "Be brief." });
  project.emulator.editContext("C", { prompt: "Be quick." });
  return project;
}

test("refuses to pull a text that code uses for other objects, and names them", async () => {
  const project = await start();
  const { exit, stdout } = await project.avatarops("pull", "context.ta", "--format", "json");
  const { refused } = JSON.parse(stdout);
  expect([exit, refused]).toMatchObject([7, [{ address: "context.ta", field: "prompt" }]]);
  for (const name of [
    "context.tb.prompt",
    "context.tb.prompt (production)",
    "context.td.prompt (production)",
  ])
    expect(refused[0].reason).toContain(name);
  expect(await project.read("prompts/a.md")).toBe("Be kind.\n");
  await project.expectDone("pull", "context.ta", "--auto-approve");
  expect(await project.read("prompts/a.md")).toBe("Be brief.\n");
});

test("pulls a text if the account already has the other texts that code makes of it", async () => {
  const project = await start();
  project.emulator.editContext("B", { prompt: "Intro.\nBe brief." });
  const { refused } = await project.json("pull", "-y");
  expect(refused).toMatchObject([{ address: "context.tb", reason: expect.stringContaining("line 4") }]);
  await project.expectNothingToDo();
});

test("overrides a text that included code uses for other objects with --here", async () => {
  const project = await startProject({
    files: {
      "avatarops.yaml": `include: [more.ts]
contexts: { desk: { name: A, prompt: !file prompts/a.md } }
environments: { staging: {} }
`,
      "more.ts": `import { Context, Project, text } from "avatarops";
const project = new Project();
new Context(project, "tb", { name: "B", prompt: "Intro.\\n" + text("prompts/a.md") });
export default project;
`,
      "prompts/a.md": "Be kind.\n",
    },
  });
  await project.expectDone("apply", "-y", "--env", "staging");
  project.emulator.editContext("A", { prompt: "Be brief." });
  expect((await project.json("pull", "--env", "staging")).refused).toMatchObject([
    { reason: expect.stringContaining("context.tb.prompt would also change.") },
  ]);
  await project.expectDone("pull", "--env", "staging", "--here");
  expect(await project.read("prompts/a.md")).toBe("Be kind.\n");
  await project.expectNothingToDo("--env", "staging");
});

test("refuses to pull a text if the code throws an error with it", async () => {
  const project = await start(
    `${definitions.replace(
      "export default",
      'if (!text("prompts/a.md").includes("kind")) throw new Error("lost its kindness");\nexport default',
    )}`,
  );
  const { refused } = await project.json("pull", "-y");
  expect(refused).toMatchObject([
    {
      address: "context.ta",
      reason: expect.stringContaining(
        "With this text, the project is not valid: avatarops.config.ts threw Error: lost its kindness.",
      ),
    },
  ]);
  expect(await project.read("prompts/a.md")).toBe("Be kind.\n");
});
