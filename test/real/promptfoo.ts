import path from "node:path";
import { toolsIn } from "../../scripts/tools.js";

/** Real promptfoo, without the packages that only some of its models need. */
export const promptfooTools = toolsIn("promptfoo", "promptfoo, 280 MB");

/** The program. */
export const promptfoo = path.join(promptfooTools.folder, "node_modules/.bin/promptfoo");

/** Whether its lock file has the binaries of this machine: it pins those of one platform. */
export const canInstallPromptfoo = `${process.platform} ${process.arch}` === "linux x64";

/** Whether tests may run it: it is installed, on a Node that can start it, and the run is one of `npm run test:real`. */
export function hasPromptfoo(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const canStart = major > 22 || (major === 22 && minor >= 22);
  return process.env.AVATAROPS_TEST_REAL === "1" && canStart && promptfooTools.has();
}
