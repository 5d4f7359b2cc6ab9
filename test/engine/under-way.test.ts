import { describe, expect, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { type Project, startProject } from "../cli/hosting.js";

const files = { "avatarops.yaml": "contexts:\n  desk: { name: Front desk, prompt: Be kind. }\n" };

/** Starts a project whose create was lost, so the state records no outcome. */
async function startInterrupted(): Promise<Project> {
  const project = await startProject({ world: createEmptyDataset(), files });
  project.emulator.addFault("POST /v1/contexts drop-before");
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 4 });
  return project;
}

describe("create with an unknown outcome", () => {
  test("appears in `plan`, `status` and `drift` without delaying them", async () => {
    const project = await startInterrupted();
    const waits = { backoffMs: 1 };
    const plan = await project.avataropsWith({ waits }, "plan");
    expect(plan.stdout.replace(/\s+/g, " ")).toMatch(
      /Its create started at 20\S+Z and is running or was interrupted. Apply checks/,
    );
    const status = await project.avataropsWith({ waits }, "status");
    expect(status.stdout.replace(/\s+/g, " ")).toMatch(/in progress or interrupted: context\.desk since 20/);
    const drift = await project.avataropsWith({ waits }, "drift");
    expect(drift.stdout.replace(/\s+/g, " ")).toMatch(
      /Not compared: context\.desk\. Creation in progress or interrupted since 20\S+Z\./,
    );
  });

  test("is reported by `drift` in a single note if several creates are affected", async () => {
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const text = `contexts:\n${names.map((name) => `  ${name}: { name: ${name}, prompt: Be kind. }\n`).join("")}`;
    const project = await startProject({ world: createEmptyDataset(), files: { "avatarops.yaml": text } });
    project.emulator.addFault("POST /v1/contexts drop-before times=always");
    await project.avatarops("apply", "--auto-approve");
    const { notes } = await project.json("drift");
    expect(notes).toEqual([
      expect.stringMatching(
        /: context\.a, context\.b, context\.c, context\.d, context\.e and 2 more\. Creation in progress/,
      ),
    ]);
  });

  test("is completed by a saved plan, even if the object appears after the plan", async () => {
    const project = await startInterrupted();
    await project.expectDone("plan", "--out", "plan.json");
    project.emulator.addContext({ name: "Front desk", prompt: "Be kind." });
    expect(await project.avatarops("apply", "plan.json")).toMatchObject({ exit: 0 });
    expect(project.emulator.world.contexts).toHaveLength(1);
    await project.expectNothingToDo();
  });

  test("is awaited only until its request deadline", async () => {
    const project = await startInterrupted();
    // The limit is 30 s for the request plus 60 s for clock skew.
    const nowMs = Date.now() + 91_000;
    const late = { now: () => nowMs, waits: { backoffMs: 1 } };
    expect(await project.avataropsWith(late, "apply", "--auto-approve")).toMatchObject({ exit: 0 });
    expect(project.emulator.world.contexts).toHaveLength(1);
  });
});
