import { expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { createStopper, startProject } from "./hosting.js";

test("writes nothing if import --write is stopped while it reads the object a second time", async () => {
  // Freezes the clock. Otherwise a busy machine could make the edit old enough to be trusted at once.
  const nowMs = Date.now();
  const now = () => nowMs;
  const project = await startProject({
    files: { "avatarops.yaml": "contexts: {}\n" },
    world: generateDataset({ contexts: 1 }),
    emulator: { now, behavior: { timestampPrecision: "s" } },
  });
  const id = project.emulator.world.contexts[0]?.id ?? "";
  const { stop, onStoppable } = createStopper();
  project.emulator.addFault({
    match: { method: "GET", path: `/v1/contexts/${id}` },
    skip: 1,
    do: { kind: "run", run: () => stop("SIGINT") },
  });
  project.emulator.editContext(id, { opening_text: "Hi." });
  const ended = await project.avataropsWith({ onStoppable, now }, "import", "--write", "context.night", id);
  expect(ended).toMatchObject({ exit: 130 });
  expect(ended.stderr).toContain("error[cancelled] The command was stopped before it completed.");
  expect(ended.stderr).not.toContain("bug in avatarops");
  expect(await project.read("avatarops.yaml")).toBe("contexts: {}\n");
});
