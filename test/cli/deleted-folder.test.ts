import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findBuilt } from "../built.js";
import { newFolder } from "../git/repositories.js";

test.skipIf(process.platform === "win32")("reports that the current folder was deleted", () => {
  const folder = path.join(newFolder(), "gone");
  mkdirSync(folder);
  const command = `rmdir "${folder}" && exec "${process.execPath}" "${findBuilt()}" plan`;
  const { status, stderr } = spawnSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" });
  expect([status, stderr]).toEqual([
    1,
    "error[no-folder] The current folder no longer exists. Change to another folder.\n",
  ]);
});
