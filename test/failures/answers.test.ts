/** Tests lost responses. For each write, see `test/lifecycle/faults.md`. For lists and reads, see any-value.test.ts. */
import { describe, expect, it } from "vitest";
import { startProject } from "../cli/hosting.js";
import { applySuccessfully, listContextNames, runUnwrapped, summarizeApply } from "./commands.js";

const formatDesk = (prompt: string) => `contexts:\n  desk: { name: Desk, prompt: ${prompt} }\n`;

describe("create with a lost response and an existing object of the same name", () => {
  it("is reported as ambiguous, and creates a second object only with --accept-duplicate", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": formatDesk("Be kind.") },
      emulator: { behavior: { contextNames: "free" } },
    });
    project.emulator.addFault("POST /v1/contexts drop-before");
    expect(await summarizeApply(project)).toMatchObject({ exit: 4 });
    const other = project.emulator.addContext({ name: "Desk", prompt: "Somebody else's." });
    const planned = await runUnwrapped(project, "plan");
    expect(planned.exit).toBe(4);
    expect(planned.stdout).toContain(`avatarops import context.desk ${other.id}`);
    expect(await summarizeApply(project)).toMatchObject({
      exit: 4,
      outcomes: ["context.desk skipped ambiguous"],
    });
    expect(listContextNames(project)).toEqual(["Desk"]);

    await applySuccessfully(project, "--accept-duplicate", "context.desk");
    expect(listContextNames(project)).toEqual(["Desk", "Desk"]);
    await project.expectNothingToDo();
  });
});
