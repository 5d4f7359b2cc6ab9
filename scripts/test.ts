/**
 * `npm test` runs the tests that need only Node, npm and git, so it behaves the same on every machine. `npm run
 * test:ci` runs the other CI tests, which need more programs or take minutes. `npm test -- PATTERN` runs all tests in
 * matching files that this machine can run, except nightly ones. Other arguments go to Vitest.
 *
 * After each change, `npm run dev` runs the tests that uncommitted changes affect, without a build.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { globSync } from "tinyglobby";
import { type Need, needs } from "../test/needs.js";
import { findAffectedTests } from "./affected-tests.js";
import { buildIfStale } from "./build.js";

const [mode] = process.argv.slice(2);
const isCi = mode === "--ci";
const isWatch = mode === "--watch";
const given = process.argv.slice(isCi || isWatch ? 3 : 2);

/** Test files with their tags. `@module-tag` tags a whole file. */
const files = globSync(["test/**/*.test.ts", "examples/**/*.test.ts", "packages/*/test/**/*.test.ts"], {
  ignore: "**/node_modules/**",
}).map((file) => {
  const text = readFileSync(file, "utf8");
  const whole = Array.from(text.matchAll(/@module-tag ([\w-]+)/g), ([, tag]) => tag);
  const tagged = Array.from(text.matchAll(/\btags(?::| =) [^\n]*/g), ([found]) => found).join("\n");
  return { file, whole, tags: needs.filter(({ tag }) => whole.includes(tag) || tagged.includes(`"${tag}"`)) };
});

const isSkipped = (need: Need) => !isCi || !need.isThere();
const whole = files.filter(({ whole }) => needs.some((need) => whole.includes(need.tag) && isSkipped(need)));
const others = files.filter((file) => !whole.includes(file) && (!isCi || file.tags.length > 0));
const patterns = given.filter((argument) => !argument.startsWith("-"));
if (patterns.length === 0 && !isWatch) {
  console.log(`${others.length} of ${files.length} test files. Skipped in whole or in part:`);
  for (const need of needs.filter(isSkipped)) {
    const count = files.filter(({ tags }) => tags.includes(need)).length;
    if (count > 0) console.log(`  ${`${count}`.padStart(3)} for ${need.what}: ${need.remedy}`);
  }
  if (!isCi) console.log("`npm run test:ci` runs the other tests of CI whose requirements are installed.");
}
const tests = isCi ? "* && !night" : isWatch || patterns.length > 0 ? "!night" : "!*";
const argv = ["run", `--tags-filter=${tests}`, ...given];
const runTests = (chosen: readonly string[] = []) => {
  const run = ["node_modules/vitest/vitest.mjs", ...argv, ...chosen];
  return spawnSync(process.execPath, run, { stdio: "inherit" }).status ?? 1;
};
/** Test files that import `test/built.ts`. */
const builtTests = new Set(
  findAffectedTests(
    files.map(({ file }) => file),
    ["test/built.ts"],
  ),
);
if (isWatch) await watch();
else {
  if (patterns.length === 0) {
    buildIfStale();
    // Passes only files that have a test to run, so that Vitest does not load the others.
    argv.push(...others.map(({ file }) => file));
  } else if ([...builtTests].some((file) => patterns.some((pattern) => file.includes(pattern)))) {
    buildIfStale();
  }
  process.exitCode = runTests();
}

/**
 * Runs the tests that uncommitted changes affect, then those that each further change affects. Vitest's own
 * watch mode ignores files that it has not loaded, so a change to such a file would run no tests.
 */
async function watch(): Promise<never> {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).split("\n");
  const untracked = ["ls-files", "--others", "--exclude-standard"];
  const readModificationTimes = () => {
    const files = git(...untracked, "--cached", "*.ts").filter((file) => file !== "");
    return new Map(files.map((file) => [file, statSync(file, { throwIfNoEntry: false })?.mtimeMs]));
  };
  const runAffected = (changed: readonly string[], what: string) => {
    const candidates = files.map(({ file }) => file).filter((file) => !builtTests.has(file));
    const matching = candidates.filter(
      (file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)),
    );
    const affected = findAffectedTests(matching, changed);
    const time = new Date().toLocaleTimeString("en-GB");
    const count = affected.length === 1 ? "1 test file" : `${affected.length || "no"} test files`;
    console.log(`${time} ${what}: ${count} affected.`);
    if (affected.length > 0) runTests(affected);
  };
  // Passes the affected files to Vitest instead of the patterns.
  argv.splice(0, argv.length, ...argv.filter((one) => !patterns.includes(one)));
  // Compares modification times, because file system events are lost on a busy machine, in containers and on network
  // drives. The times are older than the list of uncommitted changes, so no change falls between the two.
  let times = readModificationTimes();
  runAffected([...git("diff", "--name-only", "HEAD"), ...git(...untracked)], "uncommitted changes");
  for (;;) {
    await sleep(1_000);
    const before = times;
    times = readModificationTimes();
    const all = new Set([...before.keys(), ...times.keys()]);
    const [first, ...rest] = [...all].filter((file) => times.get(file) !== before.get(file));
    if (first === undefined) continue;
    runAffected([first, ...rest], `${first}${rest.length === 0 ? "" : ` and ${rest.length} more`} changed`);
  }
}
