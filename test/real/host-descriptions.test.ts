// @module-tag gitea
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

// The script installs its packages (394 MB the first time).
test("stores code host API descriptions that match the published ones", { timeout: 600_000 }, () => {
  const argv = ["node_modules/tsx/dist/cli.mjs", "scripts/host-descriptions.ts", "--check"];
  const { status, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" });
  expect(status, stderr).toBe(0);
});
