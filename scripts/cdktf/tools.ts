import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * Tools of 650 MB, of which most people who work on the package need none: they have a folder and a lock of their own,
 * and are installed by who needs them.
 */
export const toolsFolder = path.resolve(import.meta.dirname, "../../tools/cdktf");

const lock = path.join(toolsFolder, "package-lock.json");
/** A copy of the lock, laid beside what was installed from it. */
const installed = path.join(toolsFolder, "node_modules/.installed-lock.json");

/** Whether the tools are there as the lock says. */
export function hasTools(): boolean {
  return existsSync(installed) && readFileSync(installed).equals(readFileSync(lock));
}

/** Installs the tools where they are missing, or others than the lock says. */
export function installTools(): void {
  if (hasTools()) return;
  console.log("Installing the tools of CDKTF, 650 MB …");
  const install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", install, { cwd: toolsFolder, stdio: "inherit" });
  if (status !== 0) throw new Error(`\`npm ci\` in ${toolsFolder} failed.`);
  copyFileSync(lock, installed);
}
