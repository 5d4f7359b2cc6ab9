import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * Tools of hundreds of megabytes, which most contributors do not need: they have folders and lock files of
 * their own below `tools/`, and are installed on demand.
 */
export interface Tools {
  readonly folder: string;
  /** Whether they are installed as locked. */
  has(): boolean;
  /** Installs them if they are missing or differ from the lock. */
  install(): void;
}

/**
 * The tools in a folder below `tools/`; `what` names them in messages: "the tools of CDKTF, 650 MB". `flags` are npm's. With
 * other flags they are installed in a folder of their own, `place`.
 */
export function toolsIn(name: string, what: string, flags: readonly string[] = [], place = ""): Tools {
  const pins = path.resolve(import.meta.dirname, "../tools", name);
  const folder = path.join(pins, place);
  const lock = path.join(pins, "package-lock.json");
  /** A copy of the lock file, beside what was installed from it. */
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
