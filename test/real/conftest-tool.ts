import { goToolIn } from "../../scripts/go-tools.js";

/** Judges documents by policies in Rego. */
export const conftestTool = goToolIn("conftest", "Conftest, 4 minutes on one processor");

/** Whether tests may use it: it is built, and the run is one of `npm run test:real`. */
export function hasConftest(): boolean {
  return process.env.AVATAROPS_TEST_REAL === "1" && conftestTool.has();
}
