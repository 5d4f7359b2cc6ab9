import { expect, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import { newFolder } from "../cli/hosting.js";
import { startEmulator } from "../documented-emulator.js";
import { bareRepository } from "./bare-repository.js";
import { walkThroughTheWeek } from "./week.js";

test("a team works for a week with a bare repository, from the first commit to going back", {
  tags: "night",
  timeout: 120_000,
}, async () => {
  const emulator = await startEmulator({ world: emptyDataset() });
  try {
    const environment = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" };
    const options = { within: await newFolder(), name: "Team", environment };
    await walkThroughTheWeek(bareRepository(options), emulator, options);
    expect(emulator.world.contexts).toHaveLength(1);
  } finally {
    await emulator.close();
  }
});
