// @module-tag night
/**
 * Checks that no object is missed or created twice if a long list changes while it is read. For paging, see
 * test/api/pages.test.ts.
 */
import { describe, expect, it } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { startProject } from "../cli/hosting.js";
import { applySuccessfully, summarizePlan } from "./commands.js";

describe("list that changes while it is read", () => {
  it("is still used to adopt objects, and the plan notes that the list kept changing", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": "contexts:\n  late: { name: Context 250, prompt: Prompt 250 }\n" },
      world: generateDataset({ contexts: 250 }),
    });
    let times = 0;
    project.emulator.addFault({
      match: { method: "GET", path: "/v1/contexts?page=2" },
      times: 99,
      do: {
        kind: "run",
        run(emulator) {
          times += 1;
          emulator.addContext({ name: `Newcomer ${times}` });
        },
      },
    });
    const { changes, notices } = await summarizePlan(project);
    expect(changes).toEqual(["adopt context.late found"]);
    expect(notices.join("\n")).toContain("the list of contexts was different each time it was read");
    project.emulator.clearFaults();
    await applySuccessfully(project);
    await project.expectNothingToDo();
  });
});
