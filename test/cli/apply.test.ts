import { describe, expect, it, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import type { OutcomeDocument } from "../../src/output/documents/index.js";
import { createStopper, matchText, type Project, startProject } from "./hosting.js";

const files = { "avatarops.yaml": "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n" };

it("prints the plan as JSON if the apply confirmation is declined", async () => {
  const project = await startProject({ world: createEmptyDataset(), files });
  const ran = await project.avataropsWith({ typed: "no\n" }, "apply", "--format", "json");
  expect(ran).toMatchObject({ exit: 130, stderr: matchText("Nothing was applied.") });
  expect(JSON.parse(ran.stdout)).toMatchObject({ format: "avatarops/plan", summary: { create: 1 } });
  expect(project.emulator.world.contexts).toEqual([]);
});

it.each([
  ["the summary once", [], "1 to create"],
  ["the plan even with --quiet", ["--quiet"], "create context.desk"],
])("prints %s if the apply confirmation is declined", async (_, flags, says) => {
  const project = await startProject({ world: createEmptyDataset(), files });
  const ran = await project.avataropsWith({ typed: "no\n" }, "apply", ...flags);
  expect(ran).toMatchObject({ exit: 130, stdout: "", stderr: matchText(says) });
});

/** Stops an apply of twelve objects at the first create. */
async function stopApply(...argv: string[]) {
  const many = Array.from({ length: 12 }, (_, i) => `  c${i}: { name: C${i}, prompt: Be kind. }\n`);
  const project = await startProject({
    world: createEmptyDataset(),
    files: { "avatarops.yaml": `contexts:\n${many.join("")}` },
  });
  const { stop, onStoppable } = createStopper();
  project.emulator.addFault({ match: { method: "POST" }, do: { kind: "run", run: () => stop("SIGINT") } });
  return project.avataropsWith({ onStoppable }, "apply", "-y", "--concurrency", "1", ...argv);
}

const notBegun = "Not started, because the apply was cancelled.";

it("prints the reason for skipped objects once in text and Markdown, but per object in JSON", async () => {
  const { stdout, stderr } = await stopApply();
  expect(stdout.match(/^ {2}skipped {5}context\.c\d+ +to create/gm)).toHaveLength(11);
  expect(stderr).toContain("/12] created context.c0");
  expect(stderr).not.toContain("skipped");
  const markdown = (await stopApply("--format", "markdown")).stdout;
  expect(markdown.split("| **skipped** |")).toHaveLength(12);
  for (const text of [stdout, markdown]) expect(text.split(notBegun)).toHaveLength(2);
  const json = await stopApply("--format", "json");
  const { results, ...document } = JSON.parse(json.stdout) as OutcomeDocument;
  expect(json.exit).toBe(130);
  expect(document).toMatchObject({ exit: "cancelled", summary: { applied: 1, skipped: 11 } });
  expect(results.filter(({ status }) => status === "skipped")).toHaveLength(11);
});

describe("apply and rollback confirmation", () => {
  const prompt = (text: string) => `contexts: { desk: { name: Desk, prompt: ${text} } }\n`;
  async function startAppliedProject(): Promise<Project> {
    const project = await startProject({
      files: { "avatarops.yaml": prompt("One.") },
      world: createEmptyDataset(),
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
    ["another apply", ["apply"], others, "The plan is stale. context.desk", "Four."],
    ["another apply", ["rollback", "--to", "1"], others, "The plan is stale. context.desk", "Four."],
    ["a dashboard edit", ["apply"], dashboard, "context.desk was edited in the account", "Edited."],
    [
      "a dashboard edit",
      ["rollback", "--to", "1"],
      dashboard,
      "context.desk was edited in the account",
      "Edited.",
    ],
  ])("detects a stale plan after %s: %s", async (_, argv, meanwhile, says, live) => {
    const project = await startAppliedProject();
    const typed = async () => {
      await meanwhile(project);
      return "yes\n";
    };
    const flags = meanwhile === dashboard ? ["--overwrite-drift"] : [];
    const ran = await project.avataropsWith({ typed }, ...argv, ...flags);
    expect(ran).toMatchObject({ exit: 5, stderr: matchText(says) });
    expect(project.emulator.world.contexts.map((context) => context.prompt)).toEqual([live]);
  });
});

test.each([
  ["by default", "", 30_000],
  ["in the manifest", "service: { timeout_seconds: 45 }\n", 45_000],
])(
  "records an apply's request timeout in its lock (timeout set %s)",
  async (_, settings, requestTimeoutMs) => {
    const project = await startProject({
      world: createEmptyDataset(),
      files: { "avatarops.yaml": settings + files["avatarops.yaml"] },
    });
    let lock = "";
    const run = async () => {
      lock = await project.read(".avatarops/state.json.lock");
    };
    project.emulator.addFault({ match: { method: "POST" }, do: { kind: "run", run } });
    await project.expectDone("apply", "-y");
    expect(JSON.parse(lock)).toMatchObject({ requestTimeoutMs });
  },
);
