import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { toolCache } from "../go-tools.js";

/** Python packages that a folder below `tools/` pins in `requirements.txt`. */
export interface PythonTools {
  /** Folder below `tools/`. */
  readonly pins: string;
  /** Installation folder, even if nothing is installed yet. */
  readonly folder: string;
  has(): boolean;
  /** Installs missing packages. `finish` completes the folder before it counts as installed. */
  install(finish?: (folder: string) => void): void;
}

export function definePythonTools(name: string): PythonTools {
  const pins = path.resolve(import.meta.dirname, "../../tools", name);
  const hash = createHash("sha256");
  for (const file of readdirSync(pins).toSorted()) hash.update(readFileSync(path.join(pins, file)));
  const folder = path.join(toolCache, `${name}-${hash.digest("hex").slice(0, 12)}`);
  const has = () => existsSync(folder);
  return {
    ...{ pins, folder, has },
    install(finish) {
      if (has()) return;
      const unfinished = `${folder}.${process.pid}`;
      const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
      const from = ["--require-hashes", "--only-binary", ":all:", "--target", unfinished];
      const requirements = ["-r", path.join(pins, "requirements.txt")];
      const { status, error } = spawnSync("python3", [...install, ...from, ...requirements], {
        stdio: "inherit",
      });
      if (status !== 0) {
        rmSync(unfinished, { recursive: true, force: true });
        throw new Error("`pip install` failed. It needs python3 with pip.", { cause: error });
      }
      finish?.(unfinished);
      renameSync(unfinished, folder);
    },
  };
}
