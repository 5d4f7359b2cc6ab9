import { execFileSync } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";

const root = path.resolve(import.meta.dirname, "../..");

/** Git settings for jobs, which redirect clones from GitHub to this repository. */
export const cloneSettings = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: `url.${pathToFileURL(root)}.insteadOf`,
  GIT_CONFIG_VALUE_0: "https://github.com/avatarops/avatarops.git",
};

export const isCommit = (version: string) => /^[0-9a-f]{40}$/.test(version);

/** Returns the last commit of this checkout. */
export const readLastCommit = () =>
  execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();

/** Writes the files from a commit in this repository to a folder, as a code host does for actions. */
export function extractCommit(commit: string, folder: string): void {
  const archive = execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
}
