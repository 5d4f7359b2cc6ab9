import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * Tools of hundreds of megabytes, of which most people who work on the package need none: they have folders and locks of
 * their own below `tools/`, and are installed by who needs them.
 */
export interface Tools {
  readonly folder: string;
  /** Whether they are there as the lock says. */
  has(): boolean;
  /** Installs them where they are missing, or others than the lock says. */
  install(): void;
}

/** The tools in a folder below `tools/`; what it is told they are: "the tools of CDKTF, 650 MB". */
export function toolsIn(name: string, what: string): Tools {
  const folder = path.resolve(import.meta.dirname, "../tools", name);
  const lock = path.join(folder, "package-lock.json");
  /** A copy of the lock, laid beside what was installed from it. */
  const installed = path.join(folder, "node_modules/.installed-lock.json");
  const has = () => existsSync(installed) && readFileSync(installed).equals(readFileSync(lock));
  return {
    folder,
    has,
    install() {
      if (has()) return;
      console.log(`Installing ${what} …`);
      const install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
      const { status } = spawnSync("npm", install, { cwd: folder, stdio: "inherit" });
      if (status !== 0) throw new Error(`\`npm ci\` in ${folder} failed.`);
      copyFileSync(lock, installed);
    },
  };
}
