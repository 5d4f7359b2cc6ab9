import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Returns the repository files that match git patterns, including uncommitted ones. */
export function listRepositoryFiles(...patterns: readonly string[]): string[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ...patterns];
  const listed = execFileSync("git", args, { encoding: "utf8" }).split("\0");
  return [...new Set(listed)].filter((file) => file !== "" && existsSync(file));
}
