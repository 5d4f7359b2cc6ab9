// @module-tag ci
import { test } from "vitest";
import { copyRepository, follow, readWalkthrough } from "./walkthrough.js";

/* Follows the independent walkthroughs in docs/extending.md and ARCHITECTURE.md in one copy of the repository. */

test("compiles each extension walkthrough's code and passes its tests", async () => {
  const { folder, run } = copyRepository();
  const followed = [
    ...["Add a policy rule", "Add a command", "Add a secret source", "Add a code host"].flatMap((title) =>
      follow(readWalkthrough("docs/extending.md", title), folder),
    ),
    ...follow(readWalkthrough("ARCHITECTURE.md", "Add a kind"), folder),
  ];
  await run("npm run generate");
  await run("npx tsc -p tsconfig.json");
  const tests = followed.filter((file) => file.endsWith(".test.ts"));
  await run(`npx vitest run --maxWorkers=1 ${tests.join(" ")}`);
});
