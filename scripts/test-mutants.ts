/**
 * Makes small wrong changes to the sources, one at a time, and runs the tests for each: a change that all of them let pass has
 * survived, and needs a test. `npm run test:mutants -- lifecycle` does one folder; a folder takes from half an hour to hours.
 */
import { Stryker } from "@stryker-mutator/core";
import { mutatedFolders } from "../test/mutants/folders.js";
import { buildIfStale } from "./build.js";

const names = process.argv.slice(2);
const unknown = names.find((name) => !mutatedFolders[name]);
if (unknown !== undefined)
  throw new Error(`There is no folder ${unknown}. Name some of: ${Object.keys(mutatedFolders).join(", ")}.`);
// Some tests kill the built command.
buildIfStale();
for (const [name, { mutate }] of Object.entries(mutatedFolders)) {
  if (names.length > 0 && !names.includes(name)) continue;
  // For vitest.mutants.config.ts.
  process.env.AVATAROPS_MUTANTS = name;
  const results = `.mutants/${name}`;
  await new Stryker({
    mutate: [...mutate],
    // Texts of messages, and values that are computed once: hours of runs that find little.
    mutator: { excludedMutations: ["StringLiteral"] },
    ignoreStatic: true,
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: { configFile: "vitest.mutants.config.ts", related: false },
    coverageAnalysis: "perTest",
    concurrency: 1,
    // What hangs ends; a slow machine is no survivor.
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 60,
    incremental: true,
    incrementalFile: `${results}.json`,
    tempDirName: ".mutants/sandbox",
    reporters: ["clear-text", "progress-append-only", "html", "event-recorder"],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    htmlReporter: { fileName: `${results}.html` },
    eventReporter: { baseDir: `${results}-events` },
    allowConsoleColors: false,
    // Both need the API of TypeScript, which version 7 does not have.
    tsconfigFile: "none",
    disableTypeChecks: false,
  }).runMutationTest();
}
