import { expect, it } from "vitest";
import { emptyWorld } from "../../src/emulator/index.js";
import { saying, startProject } from "./hosting.js";

const files = { "avatarops.yaml": "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n" };

it("prints the plan as JSON also when the answer was no", async () => {
  const project = await startProject({ world: emptyWorld(), files });
  const ran = await project.avataropsWith({ typed: "no\n" }, "apply", "--format", "json");
  expect(ran).toMatchObject({ exit: 130, stderr: saying("Nothing was applied.") });
  expect(JSON.parse(ran.stdout)).toMatchObject({ format: "avatarops/plan", summary: { create: 1 } });
  expect(project.emulator.world.contexts).toEqual([]);
});

it("says once what it would have done when the answer was no", async () => {
  const project = await startProject({ world: emptyWorld(), files });
  const ran = await project.avataropsWith({ typed: "no\n" }, "apply");
  expect(ran).toMatchObject({ exit: 130, stdout: "", stderr: saying("1 to create") });
});
