/** Whether `dist` is what the sources make: the last step of `npm run build` notes what it was made of, and tests build only what is stale. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { globSync } from "tinyglobby";

const stamp = "dist/.built-from";

function digestOfSources(): string {
  const hash = createHash("sha256");
  const folders = ["", "packages/*/"];
  const patterns = folders.flatMap((at) => [`${at}{src,scripts}/**`, `${at}{package,tsconfig*}.json`]);
  patterns.push("package-lock.json");
  for (const file of globSync(patterns).toSorted())
    hash.update(`${file}\0`).update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

/** Whether the sources are those of the last build. */
export function isFresh(): boolean {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === digestOfSources();
}

/** Builds, unless it is fresh. */
export function buildIfStale(): void {
  if (isFresh()) return;
  console.log("Building these sources …");
  const { status } = spawnSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
  if (status !== 0) throw new Error("`npm run build` failed.");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) writeFileSync(stamp, digestOfSources());
