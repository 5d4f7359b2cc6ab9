/** What somebody who may push onto the branch of a proposal could have its job do. */
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { branch, startTeam } from "../cli/drift-hosting.js";
import { git, write } from "../git/repositories.js";

test("the drift job runs no code that somebody has pushed onto its branch", async () => {
  const team = await startTeam("github");
  const { emulator, folder } = team.project;
  emulator.editContext("Sales desk", { opening_text: "Hello!" });
  expect(await team.propose()).toMatchObject({ result: "opened" });
  const clone = team.colleague();
  git(clone, "checkout", "--quiet", branch);
  const proof = path.join(folder, "run-by-the-job");
  write(
    clone,
    "evil.ts",
    `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(proof)}, "");\n`,
  );
  write(
    clone,
    "avatarops.yaml",
    team.file(branch, "avatarops.yaml").replace("[contexts/*.md]", "[contexts/*.md, evil.ts]"),
  );
  git(clone, "add", "--all");
  git(clone, "commit", "--quiet", "--message=mine");
  git(clone, "push", "--quiet", "origin", branch);
  emulator.editContext("Support desk", { prompt: "Be livelier." });
  expect(await team.propose()).toMatchObject({ exit: 2, result: "unchanged" });
  expect(existsSync(proof)).toBe(false);
});
