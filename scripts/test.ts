/**
 * `npm test` runs every test that needs nothing but Node, npm and git, so that it does the same on every machine. `npm run test:ci` runs
 * those that it leaves out and CI runs: they need programs of others, or minutes. Arguments go to Vitest: `npm test -- test/api`.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { globSync } from "tinyglobby";
import { type Need, needs } from "../test/needs.js";
import { buildIfStale } from "./build.js";

const isCi = process.argv[2] === "--ci";
const given = process.argv.slice(isCi ? 3 : 2);

/** Test files with the tags that stand in them. `@module-tag` is for a whole file. */
const files = globSync(["test/**/*.test.ts", "examples/**/*.test.ts", "packages/*/test/**/*.test.ts"], {
  ignore: "**/node_modules/**",
}).map((file) => {
  const text = readFileSync(file, "utf8");
  const whole = Array.from(text.matchAll(/@module-tag ([\w-]+)/g), ([, tag]) => tag);
  const tagged = Array.from(text.matchAll(/\btags(?::| =) [^\n]*/g), ([found]) => found).join("\n");
  return { file, whole, tags: needs.filter(({ tag }) => whole.includes(tag) || tagged.includes(`"${tag}"`)) };
});

const leftOut = (need: Need) => !isCi || !need.isThere();
const whole = files.filter(({ whole }) => needs.some((need) => whole.includes(need.tag) && leftOut(need)));
const others = files.filter((file) => !whole.includes(file) && (!isCi || file.tags.length > 0));
console.log(`${others.length} of ${files.length} files of tests. Left out, wholly or in part:`);
for (const need of needs.filter(leftOut)) {
  const count = files.filter(({ tags }) => tags.includes(need)).length;
  if (count > 0) console.log(`  ${`${count}`.padStart(3)} for ${need.what}: ${need.remedy}`);
}
if (!isCi) console.log("`npm run test:ci` runs what CI runs of them, where what they need is installed.");

const argv = ["run", `--tags-filter=${isCi ? "* && !night" : "!*"}`, ...given];
if (given.every((argument) => argument.startsWith("-"))) {
  buildIfStale();
  // A file without a test to run is not even loaded.
  argv.push(...others.map(({ file }) => file));
}
const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", ...argv], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
