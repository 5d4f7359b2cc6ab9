import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Says at the very end of a run what was not tested, where it cannot be overlooked. */
export function teardown(): void {
  if (spawnSync("terraform", ["version"], { stdio: "ignore" }).status === 0) return;
  const files = readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .filter((file) => readFileSync(`test/${file}`, "utf8").includes("skipIf(!hasTerraform)"));
  const frame = "!".repeat(80);
  console.error(
    `\n${frame}\nThere is no terraform on PATH: ${files.length} files of tests were left out, wholly or in part.\nCI runs them. To run them here: install terraform 1.11 or later, and npm test again.\n${frame}`,
  );
}
