/**
 * Makes small faulty changes to the sources, one at a time, and runs the tests after each. If all tests pass, a test is
 * missing.
 *
 * `npm run test:mutants -- lifecycle` covers one folder, which can take several hours. To cover only some of its files,
 * append their paths, such as `src/core/lifecycle/write-object.ts`.
 */
import { mutatedFolders } from "../test/mutants/folders.js";
import { buildIfStale } from "./build.js";
import { exitWithUsage, readOptions } from "./options.js";

const usage = `npm run test:mutants -- [FOLDER [FILE]…], with a FOLDER of: ${Object.keys(mutatedFolders).join(", ")}`;
const [only, ...files] = readOptions(usage, { allowPositionals: true }).positionals;
if (only !== undefined && !mutatedFolders[only]) exitWithUsage(usage, `Unknown folder ${only}`);
const { Stryker } = await import("@stryker-mutator/core");
// Some tests kill the built command, so it must be up to date.
buildIfStale();
for (const [name, { mutate }] of Object.entries(mutatedFolders)) {
  if (only !== undefined && only !== name) continue;
  // vitest.mutants.config.ts reads this variable.
  process.env.AVATAROPS_MUTANTS = name;
  const results = `.mutants/${name}`;
  await new Stryker({
    mutate: files.length > 0 ? files : [...mutate],
    // Skips message strings and constants, which take hours and reveal little.
    mutator: { excludedMutations: ["StringLiteral"] },
    ignoreStatic: true,
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: { configFile: "vitest.mutants.config.ts", related: false },
    coverageAnalysis: "perTest",
    concurrency: 1,
    // Stops mutants that hang, with a margin for slow machines.
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
    // Disables two features that need the TypeScript API, which TypeScript 7 lacks.
    tsconfigFile: "none",
    disableTypeChecks: false,
  }).runMutationTest();
}
