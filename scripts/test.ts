/**
 * `npm test` runs the tests that need only Node, npm and git, so it behaves the same on every machine. `npm run
 * test:ci` runs the other tests of CI, which need more programs or take minutes. `npm test -- PATTERN` runs all tests
 * in matching files that this machine can run. `npm run dev` watches the tests that uncommitted changes affect, without
 * a build. Other arguments go to Vitest.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { globSync } from "tinyglobby";
import { type Need, needs } from "../test/needs.js";
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
const argv = [isWatch ? "watch" : "run", `--tags-filter=${tests}`, ...given];
if (isWatch) {
  const sourceTests = files.filter(({ file }) => !needsBuild(file)).map(({ file }) => file);
  argv.push("--changed", ...(patterns.length > 0 ? [] : sourceTests));
} else if (patterns.length === 0) {
  buildIfStale();
  // Passes only files that have a test to run, so that Vitest does not load the others.
  argv.push(...others.map(({ file }) => file));
} else if (files.some(({ file }) => patterns.some((pattern) => file.includes(pattern)) && needsBuild(file))) {
  buildIfStale();
}
const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", ...argv], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;

/** Whether a test file imports `test/built.ts`, directly or through other files. */
function needsBuild(file: string, seen = new Set<string>()): boolean {
  if (file.endsWith("test/built.ts")) return true;
  if (seen.has(file) || !existsSync(file)) return false;
  seen.add(file);
  const imports = readFileSync(file, "utf8").matchAll(/\bfrom "(\.[^"]+)\.js"/g);
  return Array.from(imports).some(([, name = ""]) =>
    needsBuild(path.join(path.dirname(file), `${name}.ts`), seen),
  );
}
