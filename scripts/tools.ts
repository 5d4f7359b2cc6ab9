import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * Tools of hundreds of megabytes, which most contributors do not need. Each has its own folder and lock file below
 * `tools/`, and is installed on demand.
 */
export interface Tools {
  readonly folder: string;
  /** Whether the locked versions are installed. */
  has(): boolean;
  /** Installs the tools if they are missing or differ from the lock file. */
  install(): void;
}

/**
 * Returns the tools pinned in a folder of `tools/`. `what` describes them in messages, such as "the CDKTF tools, 650
 * MB". `flags` are passed to npm. Set `place` to install the same tools separately with other flags.
 */
export function defineTools(name: string, what: string, flags: readonly string[] = [], place = ""): Tools {
  const pins = path.resolve(import.meta.dirname, "../tools", name);
  const folder = path.join(pins, place);
  const lock = path.join(pins, "package-lock.json");
  /** Copy of the lock file next to the installed packages. */
  const installed = path.join(folder, "node_modules/.installed-lock.json");
  const has = () => existsSync(installed) && readFileSync(installed).equals(readFileSync(lock));
  return {
    folder,
    has,
    install() {
      if (has()) return;
      console.log(`Installing ${what} …`);
      mkdirSync(folder, { recursive: true });
      if (folder !== pins)
        for (const file of ["package.json", "package-lock.json"])
          copyFileSync(path.join(pins, file), path.join(folder, file));
      const install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", ...flags];
      const { status } = spawnSync("npm", install, { cwd: folder, stdio: "inherit" });
      if (status !== 0) throw new Error(`\`npm ci\` in ${folder} failed.`);
      copyFileSync(lock, installed);
    },
  };
}
