import { describe, expect, it, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import type { OutcomeDocument } from "../../src/output/documents/index.js";
import { type Project, saying, startProject, stopper } from "./hosting.js";

const files = { "avatarops.yaml": "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n" };

it("prints the plan as JSON also when the answer was no", async () => {
  const project = await startProject({ world: emptyDataset(), files });
  const ran = await project.avataropsWith({ typed: "no\n" }, "apply", "--format", "json");
  expect(ran).toMatchObject({ exit: 130, stderr: saying("Nothing was applied.") });
  expect(JSON.parse(ran.stdout)).toMatchObject({ format: "avatarops/plan", summary: { create: 1 } });
  expect(project.emulator.world.contexts).toEqual([]);
});

it.each([
  ["says once what it would have done when the answer was no", [], "1 to create"],
  ["asks about no plan that was not shown", ["--quiet"], "create context.desk"],
])("%s", async (_, flags, says) => {
  const project = await startProject({ world: emptyDataset(), files });
  const ran = await project.avataropsWith({ typed: "no\n" }, "apply", ...flags);
  expect(ran).toMatchObject({ exit: 130, stdout: "", stderr: saying(says) });
});

/** An apply of twelve creates that is asked to stop with the first. */
async function stoppedWith(...argv: string[]) {
  const many = Array.from({ length: 12 }, (_, i) => `  c${i}: { name: C${i}, prompt: Be kind. }\n`);
  const project = await startProject({
    world: emptyDataset(),
    files: { "avatarops.yaml": `contexts:\n${many.join("")}` },
  });
  const { stop, onStoppable } = stopper();
  project.emulator.addFault({ match: { method: "POST" }, do: { kind: "run", run: () => stop("SIGINT") } });
  return project.avataropsWith({ onStoppable }, "apply", "-y", "--concurrency", "1", ...argv);
}

const notBegun = "Not started: the apply was asked to stop.";

it("tells once why a stopped apply did not begin the rest, also in Markdown, and of each in JSON", async () => {
  const { stdout, stderr } = await stoppedWith();
  expect(stdout.match(/^ {2}skipped {5}context\.c\d+ +to create/gm)).toHaveLength(11);
  expect(stderr).toContain("/12] created context.c0");
  expect(stderr).not.toContain("skipped");
  const markdown = (await stoppedWith("--format", "markdown")).stdout;
  expect(markdown.split("| **skipped** |")).toHaveLength(12);
  for (const text of [stdout, markdown]) expect(text.split(notBegun)).toHaveLength(2);
  const json = await stoppedWith("--format", "json");
  const { results, ...document } = JSON.parse(json.stdout) as OutcomeDocument;
  expect(json.exit).toBe(130);
  expect(document).toMatchObject({ exit: "cancelled", summary: { applied: 1, skipped: 11 } });
  expect(results.filter(({ status }) => status === "skipped")).toHaveLength(11);
});

describe("while somebody reads the question", () => {
  const prompt = (text: string) => `contexts: { desk: { name: Desk, prompt: ${text} } }\n`;
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

  const others = async (project: Project) => {
    await project.write("avatarops.yaml", prompt("Four."));
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
  };
  const dashboard = async ({ emulator }: Project) => void emulator.editContext("Desk", { prompt: "Edited." });
  test.each([
    ["another apply", ["apply"], others, "The plan is stale: context.desk", "Four."],
    ["another apply", ["rollback", "--to", "1"], others, "The plan is stale: context.desk", "Four."],
    ["an edit", ["apply"], dashboard, "context.desk was edited in the account", "Edited."],
    ["an edit", ["rollback", "--to", "1"], dashboard, "context.desk was edited in the account", "Edited."],
  ])("%s makes what was agreed to stale: %s", async (_, argv, meanwhile, says, live) => {
    const project = await applied();
    const typed = async () => {
      await meanwhile(project);
      return "yes\n";
    };
    const flags = meanwhile === dashboard ? ["--overwrite-drift"] : [];
    const ran = await project.avataropsWith({ typed }, ...argv, ...flags);
    expect(ran).toMatchObject({ exit: 5, stderr: saying(says) });
    expect(project.emulator.world.contexts.map((context) => context.prompt)).toEqual([live]);
  });
});

test.each([
  ["by default", "", 30_000],
  ["in the manifest", "service: { timeout_seconds: 45 }\n", 45_000],
])("records the request timeout %s in the lock", async (_, settings, requestTimeoutMs) => {
  const project = await startProject({
    world: emptyDataset(),
    files: { "avatarops.yaml": settings + files["avatarops.yaml"] },
  });
  let lock = "";
  const run = async () => {
    lock = await project.read(".avatarops/state.json.lock");
  };
  project.emulator.addFault({ match: { method: "POST" }, do: { kind: "run", run } });
  await project.expectDone("apply", "-y");
  expect(JSON.parse(lock)).toMatchObject({ requestTimeoutMs });
});
