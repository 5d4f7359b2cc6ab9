import path from "node:path";
import { isFresh } from "../scripts/build.js";

const root = path.resolve(import.meta.dirname, "..");
let isChecked = false;

/**
 * The absolute path of something in `dist`, for the tests of what users install; all others load the sources.
 *
 * @throws Error if it is not what the sources make: whoever runs single tests need not build for the others.
 */
export function findBuilt(file = "cli/main.js"): string {
  isChecked ||= isFresh();
  if (!isChecked) throw new Error("dist is not what the sources make: `npm run build`.");
  return path.join(root, "dist", file);
}
