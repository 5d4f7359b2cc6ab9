import path from "node:path";
import { isFresh } from "../scripts/build.js";

const root = path.resolve(import.meta.dirname, "..");
let isChecked = false;

/**
 * Returns the absolute path of a file in `dist`, for tests of the installed software. Other tests load the sources.
 *
 * @throws Error if the build is not current.
 */
export function findBuilt(file = "cli/main.js"): string {
  isChecked ||= isFresh();
  if (!isChecked) throw new Error("dist is not what the sources make: `npm run build`.");
  return path.join(root, "dist", file);
}
