// @module-tag gitea
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

// The script installs what it needs: the first time, 394 MB.
test("the descriptions of code hosts are what the hosts publish", { timeout: 600_000 }, () => {
  const argv = ["node_modules/tsx/dist/cli.mjs", "scripts/host-descriptions.ts", "--check"];
  const { status, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" });
  expect(status, stderr).toBe(0);
});
