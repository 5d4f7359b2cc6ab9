/** Objects made a moment ago: whether the list alone tells that nobody edited them since. */
import { expect, it } from "vitest";
import { emptyWorld } from "../../src/emulator/index.js";
import { startProject } from "../cli/hosting.js";

const desks =
  "contexts:\n  a: { name: A, prompt: x }\n  b: { name: B, prompt: x }\n  c: { name: C, prompt: x }\n";

it.each([
  { clock: "shows milliseconds", ms: 123, requests: 1 },
  { clock: "may tick every second", ms: 0, requests: 4 },
])("costs $requests requests of three where the service's clock $clock", async ({ ms, requests }) => {
  const nowMs = Date.UTC(2026, 0, 1) + ms;
  const project = await startProject({
    world: emptyWorld(),
    files: { "avatarops.yaml": desks },
    emulator: { now: () => nowMs },
  });
  for (let times = 0; times < 2; times++) await project.avatarops("apply", "--auto-approve");
  project.emulator.requests.length = 0;
  await project.expectNothingToDo();
  expect(project.emulator.requests).toHaveLength(requests);
});
