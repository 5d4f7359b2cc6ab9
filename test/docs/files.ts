import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/** The files of the repository, also those that are not committed yet, whose paths match one of git's patterns. */
export function repositoryFiles(...patterns: readonly string[]): string[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ...patterns];
  const listed = execFileSync("git", args, { encoding: "utf8" }).split("\0");
  return [...new Set(listed)].filter((file) => file !== "" && existsSync(file));
}
