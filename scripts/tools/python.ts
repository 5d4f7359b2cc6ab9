import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pinsFolder, run, type Tool, toolCache } from "./tool.js";

/**
 * Defines a tool from the Python packages in a requirements file in `tools/python`. `launcher` is a script in the same
 * folder that starts the tool. Without it, the tool's path is the installation folder.
 */
export function definePythonTool(name: string, what: string, launcher?: string): Tool {
  const pins = path.join(pinsFolder, "python", `${name}.txt`);
  const script = launcher && readFileSync(path.join(pinsFolder, "python", launcher), "utf8");
  const hash = createHash("sha256")
    .update(readFileSync(pins))
    .update(script ?? "");
  const folder = path.join(toolCache, `${name}-${hash.digest("hex").slice(0, 12)}`);
  const program = path.basename(launcher ?? "", ".py");
  const has = () => existsSync(folder);
  return {
    path: path.join(folder, program),
    has,
    install() {
      if (has()) return;
      console.error(`Installing ${what} …`);
      const unfinished = `${folder}.${process.pid}`;
      // pip checks hashes if the file contains any.
      const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
      const from = ["--only-binary", ":all:", "--target", unfinished, "--requirement", pins];
      try {
        run("python3", [...install, ...from]);
        if (script) {
          const print = ["-c", "import sys; print(sys.executable)"];
          const python = execFileSync("python3", print, { encoding: "utf8" });
          writeFileSync(path.join(unfinished, program), `#!${python}${script}`, { mode: 0o755 });
        }
      } catch (error) {
        rmSync(unfinished, { recursive: true, force: true });
        throw error;
      }
      renameSync(unfinished, folder);
    },
  };
}
