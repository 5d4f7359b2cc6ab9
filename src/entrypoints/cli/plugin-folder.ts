import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import type { Host } from "./host.js";

/** Finds the folder that Terraform and OpenTofu search by default. @throws UsageError */
export function findPluginFolder({ environment, platform }: Pick<Host, "environment" | "platform">): string {
  const isWindows = platform.startsWith("win32");
  const variable = isWindows ? "APPDATA" : "HOME";
  const folder = environment[variable];
  if (folder) return path.join(folder, isWindows ? "terraform.d/plugins" : ".terraform.d/plugins");
  throw new UsageError(
    "no-home",
    `The plugin folder is unknown, because ${variable} is not set. Choose a folder with --dir.`,
  );
}
