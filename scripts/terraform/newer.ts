/**
 * Installs the newest Terraform that installs in seconds, pinned in `tools/terraform`, for tests of features that 1.11
 * lacks. When run directly, it prints the path of the program: `TERRAFORM=$(npx tsx scripts/terraform/newer.ts) npx
 * vitest run test/terraform`.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { definePythonTools } from "../pipelines/python-tools.js";

const tools = definePythonTools("terraform");

export const newerTerraform = {
  program: path.join(tools.folder, "terraform"),
  has: tools.has,
  /** Installs Terraform on Linux x86-64, the only supported platform. */
  install() {
    if (process.platform !== "linux" || process.arch !== "x64") return;
    tools.install((folder) => {
      const python = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], {
        encoding: "utf8",
      });
      const text = readFileSync(path.join(tools.pins, "terraform.py"), "utf8");
      writeFileSync(path.join(folder, "terraform"), `#!${python}${text}`, { mode: 0o755 });
    });
  },
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  newerTerraform.install();
  console.log(newerTerraform.program);
}
