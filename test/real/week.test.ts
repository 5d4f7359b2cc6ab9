// @module-tag gitea
import { describe, expect, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import { newFolder } from "../cli/hosting.js";
import { startEmulator } from "../documented-emulator.js";
import { walkThroughTheWeek } from "../week/week.js";
import { startGitea } from "./gitea.js";
import { giteaCodeHost } from "./gitea-code-host.js";

describe("on a real Gitea", () => {
  test("a team works for a week, with pull requests, comments, statuses and git over HTTP", {
    timeout: 300_000,
  }, async () => {
    const emulator = await startEmulator({ world: emptyDataset() });
    const gitea = await startGitea();
    try {
      const within = await newFolder();
      const environment = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" };
      const host = await giteaCodeHost(gitea, within);
      await walkThroughTheWeek(host, emulator, { within, name: "Team", environment });
      expect(emulator.world.contexts).toHaveLength(1);
    } finally {
      await gitea.close();
      await emulator.close();
    }
  });
});
