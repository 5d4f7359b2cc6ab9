/**
 * Pins the version that pipelines install in the examples, the GitLab component and the docs. Takes a version with a
 * local tag, as in `npx tsx scripts/pin-examples.ts 1.2.3`, or a commit, as in `npx tsx scripts/pin-examples.ts "$(git
 * rev-parse main)"`.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { listPinnedFiles, writePins } from "./pipelines/pins.js";

const [given = ""] = process.argv.slice(2);
const version = /^\d+\.\d+\.\d+$/.test(given) ? given : undefined;
if (version === undefined && !/^[0-9a-f]{40}$/.test(given))
  throw new Error(`"${given}" is neither a version, such as 1.2.3, nor a full commit hash.`);
// Fails for an unknown tag or commit.
const named = version === undefined ? given : `refs/tags/v${version}`;
const commit = execFileSync("git", ["rev-parse", "--verify", `${named}^{commit}`], { encoding: "utf8" });
for (const file of listPinnedFiles()) {
  const text = readFileSync(file, "utf8");
  const written = writePins(text, commit.trim(), version);
  if (written === text) continue;
  writeFileSync(file, written);
  console.log(file);
}
