/** Whether `dist` is what the sources make: the last step of `npm run build` notes what it was made of, and tests build only what is stale. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { globSync } from "tinyglobby";

const stamp = "dist/.built-from";

function digestOfSources(): string {
  const hash = createHash("sha256");
  const patterns = [
    "{.,packages/*}/{src,scripts}/**",
    "{.,packages/*}/{package,tsconfig*}.json",
    "package-lock.json",
  ];
  for (const file of globSync(patterns).toSorted())
    hash.update(`${file}\0`).update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

/** Builds, unless the sources are those of the last build. */
export function buildIfStale(): void {
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digestOfSources()) return;
  console.log("Building, as the last build is of other sources …");
  const { status } = spawnSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
  if (status !== 0) throw new Error("`npm run build` failed.");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) writeFileSync(stamp, digestOfSources());
