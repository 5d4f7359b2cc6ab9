// @module-tag ci
import { expect, test } from "vitest";
import { startProject } from "./hosting.js";

test("completes an apply to a rate-limited service with at most one 429 per create", async () => {
  const contexts = Array.from(
    { length: 12 },
    (_, at) => `  desk${at}: { name: Desk ${at}, prompt: Be kind. }\n`,
  );
  const { emulator, ...project } = await startProject({
    files: { "avatarops.yaml": `contexts:\n${contexts.join("")}` },
    emulator: { behavior: { rateLimitPerSecond: 3 } },
  });
  await project.expectApplied();
  expect(emulator.world.contexts).toHaveLength(12);
  const creates = emulator.requests.filter(({ method }) => method === "POST");
  expect(creates.length).toBeLessThanOrEqual(2 * 12);
});
