/**
 * Detects a stale `dist`. The last step of `npm run build` records a digest of the sources, so tests rebuild only after
 * changes.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { globSync } from "tinyglobby";

const stamp = "dist/.built-from";

function digestSources(): string {
  const hash = createHash("sha256");
  const folders = ["", "packages/*/"];
  const patterns = folders.flatMap((at) => [`${at}{src,scripts}/**`, `${at}{package,tsconfig*}.json`]);
  patterns.push("package-lock.json");
  for (const file of globSync(patterns).toSorted())
    hash.update(`${file}\0`).update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

/** Whether the sources are unchanged since the last build. */
export function isFresh(): boolean {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === digestSources();
}

/** Builds if the sources changed since the last build. */
export function buildIfStale(): void {
  if (isFresh()) return;
  console.log("Building the sources …");
  const { status } = spawnSync("npm", ["run", "--silent", "build"], {
    stdio: "inherit",
    // Windows starts npm.cmd only through a shell.
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error("`npm run build` failed.");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) writeFileSync(stamp, digestSources());
