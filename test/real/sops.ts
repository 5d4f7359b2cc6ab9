import { goToolIn } from "../../scripts/go-tools.js";

/** Real SOPS, and what makes age keys for it. */
export const sopsTool = goToolIn("sops", "SOPS, 2 minutes on one processor");
export const ageTool = goToolIn("age", "age-keygen, 20 s on one processor");

/** Whether tests may run them: they are built, and the run is one of `npm run test:real`. */
export function hasSops(): boolean {
  return process.env.AVATAROPS_TEST_REAL === "1" && sopsTool.has() && ageTool.has();
}
