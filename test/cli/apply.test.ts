import { describe, expect, it, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import type { OutcomeDocument } from "../../src/output/documents/index.js";
import { type Project, saying, startProject } from "./hosting.js";

const files = { "avatarops.yaml": "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n" };

it("prints the plan as JSON also when the answer was no", async () => {
  const project = await startProject({ world: emptyDataset(), files });
  const ran = await project.avataropsWith({ typed: "no\n" }, "apply", "--format", "json");
  expect(ran).toMatchObject({ exit: 130, stderr: saying("Nothing was applied.") });
  expect(JSON.parse(ran.stdout)).toMatchObject({ format: "avatarops/plan", summary: { create: 1 } });
  expect(project.emulator.world.contexts).toEqual([]);
});

it("says once what it would have done when the answer was no", async () => {
  const project = await startProject({ world: emptyDataset(), files });
  const ran = await project.avataropsWith({ typed: "no\n" }, "apply");
  expect(ran).toMatchObject({ exit: 130, stdout: "", stderr: saying("1 to create") });
});

it("asks about no plan that was not shown", async () => {
  const project = await startProject({ world: emptyDataset(), files });
  const ran = await project.avataropsWith({ typed: "no\n" }, "apply", "--quiet");
  expect(ran).toMatchObject({ exit: 130, stdout: "", stderr: saying("create context.desk") });
});

/** An apply of twelve creates that is asked to stop with the first. */
async function stoppedWith(...argv: string[]) {
  const many = Array.from({ length: 12 }, (_, i) => `  c${i}: { name: C${i}, prompt: Be kind. }\n`);
  const project = await startProject({
    world: emptyDataset(),
    files: { "avatarops.yaml": `contexts:\n${many.join("")}` },
  });
  let stop = (_signal: string) => {};
  const onStoppable = (given: typeof stop) => {
    stop = given;
  };
  project.emulator.addFault({ match: { method: "POST" }, do: { kind: "run", run: () => stop("SIGINT") } });
  return project.avataropsWith({ onStoppable }, "apply", "-y", "--concurrency", "1", ...argv);
}

const notBegun = "Not started: the apply was asked to stop.";

it("tells once, of all together, what a stopped apply did not begin", async () => {
  const { stdout, stderr } = await stoppedWith();
  expect(stdout.match(/skipped/g)).toHaveLength(2);
  expect(stdout).toMatch(/^ {2}skipped {5}11 objects +to create$/m);
  expect(stdout).toMatch(/^ +context\.c1, context\.c2, context\.c3 and 8 more$/m);
  expect(stdout.split(notBegun)).toHaveLength(2);
  expect(stderr).toContain("[1/12] created context.c0");
  expect(stderr).not.toContain("skipped");
});

it("tells so in Markdown, too", async () => {
  const { stdout } = await stoppedWith("--format", "markdown");
  expect(stdout.split("| **skipped** |")).toHaveLength(2);
  expect(stdout).toContain("11 objects");
  expect(stdout).toMatch(/^- .*context\.c3.* and 8 more: Not started: the apply was asked to stop\.$/m);
});

it("tells of each in JSON", async () => {
  const { stdout } = await stoppedWith("--format", "json");
  const { results } = JSON.parse(stdout) as OutcomeDocument;
  expect(results.filter(({ status }) => status === "skipped")).toHaveLength(11);
});

describe("while somebody reads the question", () => {
  const prompt = (text: string) => `contexts: { desk: { name: Desk, prompt: ${text} } }\n`;
  const commands = [["apply"], ["rollback", "--to", "1"]];
  async function applied(): Promise<Project> {
    const project = await startProject({
      files: { "avatarops.yaml": prompt("One.") },
      world: emptyDataset(),
    });
    for (const text of ["One.", "Two."]) {
      await project.write("avatarops.yaml", prompt(text));
      expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    }
    await project.write("avatarops.yaml", prompt("Three."));
    return project;
  }

  test.each(commands)("others can apply, and what was agreed to is then stale: %s", async (...argv) => {
    const project = await applied();
    const typed = async () => {
      await project.write("avatarops.yaml", prompt("Four."));
      expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
      return "yes\n";
    };
    const ran = await project.avataropsWith({ typed }, ...argv);
    expect(ran).toMatchObject({ exit: 5, stderr: saying("The plan is stale: context.desk") });
    expect(project.emulator.world.contexts.map((context) => context.prompt)).toEqual(["Four."]);
  });

  test.each(commands)("an edit in the account makes what was agreed to stale: %s", async (...argv) => {
    const project = await applied();
    const typed = () => {
      project.emulator.editContext("Desk", { prompt: "Edited." });
      return "yes\n";
    };
    const ran = await project.avataropsWith({ typed }, ...argv, "--overwrite-drift");
    expect(ran).toMatchObject({ exit: 5, stderr: saying("context.desk was edited in the account") });
    expect(project.emulator.world.contexts.map((context) => context.prompt)).toEqual(["Edited."]);
  });
});
