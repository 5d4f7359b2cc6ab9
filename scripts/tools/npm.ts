import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pinsFolder, run, type Tool } from "./tool.js";

/**
 * Defines the npm packages in a folder of `tools/`. `flags` are passed to npm. Set `subfolder` to install the same packages
 * separately with other flags.
 */
export function defineNpmTool(
  name: string,
  what: string,
  flags: readonly string[] = [],
  subfolder = "",
): Tool {
  const pins = path.join(pinsFolder, name);
  const folder = path.join(pins, subfolder);
  const lock = path.join(pins, "package-lock.json");
  /** Lock file copy next to the installed packages. */
  const installed = path.join(folder, "node_modules/.installed-lock.json");
  const has = () => existsSync(installed) && readFileSync(installed).equals(readFileSync(lock));
  return {
    path: folder,
    has,
    install() {
      if (has()) return;
      console.error(`Installing ${what} …`);
      mkdirSync(folder, { recursive: true });
      if (folder !== pins)
        for (const file of ["package.json", "package-lock.json"])
          copyFileSync(path.join(pins, file), path.join(folder, file));
      run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", ...flags], folder);
      copyFileSync(lock, installed);
    },
  };
}
